// The attempts of a call on a time axis.

import type { PoolCall } from "#ui/api/schema.ts";
import type { Span } from "#ui/parts/story/span.ts";
import { isBlameless, outcomeOf } from "./outcomes.ts";

/** A shorter gap between two attempts is not a wait, ms. */
const shortMs = 2;

/**
 * The attempts of a call on a time axis, ms from its start. Older calls record only their durations: failed attempts follow each other from
 * the start, and the one that answered ends with the first output. The time between them was waiting. Of two concurrent attempts, the
 * abandoned one is drawn as far to the left as its duration allows.
 */
export function spansOf({ attempts, first_byte_ms, ms, stream, member }: PoolCall): Span[] {
  const spans: Span[] = [];
  let at = 0;
  attempts.forEach(({ member: name, model, started_ms: startedMs, ms: length, outcome, status }, index) => {
    const answered = outcome === "ok";
    const end = Math.min(first_byte_ms ?? ms, ms);
    const likely = Math.max(0, answered ? end - length : Math.min(at, ms - length));
    const from = startedMs ?? likely;
    if (from - at >= shortMs)
      spans.push({ key: `wait ${index}`, status: "waiting", name: "waited", fromMs: at, ms: from - at });
    spans.push({
      key: `${index}`,
      status: answered ? "ok" : isBlameless(outcome) ? "off" : "failed",
      name,
      note: `${model} · ${outcomeOf({ outcome, status })}`,
      fromMs: from,
      ms: length,
    });
    at = Math.max(at, from + length);
  });
  const rest = ms - at;
  if (rest < shortMs || attempts.length === 0) return spans;
  const isAnswer = member !== null && attempts.at(-1)?.outcome === "ok";
  if (isAnswer && stream)
    spans.push({
      key: "answer",
      status: "ok",
      name: "the answer",
      note: "from its first output to its end",
      fromMs: at,
      ms: rest,
    });
  else spans.push({ key: "rest", status: "waiting", name: "waited", fromMs: at, ms: rest });
  return spans;
}
