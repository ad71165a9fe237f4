// What happened to a message as one story: its events in order, where an attempt is one entry from its beginning to its end, and equal
// attempts that follow one another are one entry.

import type { MessageEvent, MessageTransmission } from "#ui/api/schema.ts";
import { instantsIn } from "#ui/words/instants.ts";

export interface Try {
  of: MessageTransmission;
  /** The word of the state that it led to; `sending` while it is under way. */
  state: string;
  /** What the event of its end says. */
  detail: string | null;
}

export type Entry =
  | { kind: "event"; event: MessageEvent }
  | { kind: "attempt"; attempt: Try }
  /** `same`: whether all had the same answer. */
  | { kind: "folded"; attempts: readonly Try[]; same: boolean };

/** More entries of attempts in a row than this are folded, also when their answers differ. */
const maxInRow = 8;

/** What two attempts have in common if their answers are the same; instants in a reason may differ. */
const answerOf = ({ of: { gateway, outcome, code, reason } }: Try): string =>
  JSON.stringify([gateway, outcome, code, instantsIn(reason ?? "").filter((_, at) => at % 2 === 0)]);

function foldOf(attempts: readonly Try[]): Entry[] {
  const [only] = attempts;
  if (only === undefined) return [];
  if (attempts.length === 1) return [{ kind: "attempt", attempt: only }];
  return [{ kind: "folded", attempts, same: new Set(attempts.map(answerOf)).size === 1 }];
}

/** `isLast`: the story ends with these attempts, of which the last one is an entry of its own. */
function entriesOf(attempts: readonly Try[], isLast: boolean): Entry[] {
  const open = isLast ? attempts.slice(-1) : [];
  const runs: Try[][] = [];
  for (const attempt of attempts.slice(0, attempts.length - open.length)) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && answerOf(run[0]) === answerOf(attempt)) run.push(attempt);
    else runs.push([attempt]);
  }
  const old = runs.length > maxInRow ? runs.splice(0, runs.length - maxInRow + 1).flat() : [];
  return [old, ...runs, open].flatMap(foldOf);
}

/** The attempts are those that the events begin, in the same order: each ends with the event after its `sending`. */
export function storyOf(events: readonly MessageEvent[], attempts: readonly MessageTransmission[]): Entry[] {
  const story: Entry[] = [];
  let inRow: Try[] = [];
  let number = 0;
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as MessageEvent;
    const of = event.type === "sending" ? attempts[number] : undefined;
    if (of === undefined) {
      story.push(...entriesOf(inRow, false), { kind: "event", event });
      inRow = [];
      continue;
    }
    number += 1;
    at += 1;
    inRow.push({ of, state: events[at]?.type ?? "sending", detail: events[at]?.detail ?? null });
  }
  return [...story, ...entriesOf(inRow, true)];
}
