// Waits until a message was sent or has ended: for a person who tries a gateway and waits for the result.

import type { MessageRecord } from "#contract/messages/record.ts";
import { AutoResetEvent } from "#runtime/waiting/auto-reset-event.ts";
import { lookup } from "./lookup.ts";
import type { WaitingDeps } from "./waiting.ts";

/** How often the message is read without a hint, ms: another process may be sending it. */
const pollMs = 500;
/** A busy gateway changes all the time: after this many reads caused by hints, only the timer counts. */
const maxHintedReads = 50;

const waiting: readonly string[] = ["queued", "scheduled", "sending"];

/**
 * The record of a message with its timeline, as soon as the message has been sent or has ended, when its next attempt comes too late, and
 * otherwise after `maxMs`. Null if the account has no such message.
 */
export async function lookupWhenSent(
  deps: WaitingDeps,
  account: { id: string },
  { id, maxMs }: { id: string; maxMs: number },
): Promise<MessageRecord | null> {
  const { clock, database } = deps;
  const until = clock.monotonic() + maxMs;
  const changed = new AutoResetEvent();
  let hints = 0;
  const unsubscribe = database.onChanges(({ topics }) => {
    if (!topics.some(([subject, changes]) => subject === account.id && changes.includes("messages"))) return;
    hints += 1;
    if (hints <= maxHintedReads) changed.set();
  });
  try {
    for (;;) {
      const record = await lookup(deps, account, null, id);
      const leftMs = until - clock.monotonic();
      if (record === null || !waiting.includes(record.status) || leftMs <= 0) return record;
      const nextAt = record.next_attempt_at === null ? 0 : Date.parse(record.next_attempt_at);
      if (nextAt > clock.now() + leftMs) return record;
      await changed.wait(clock, Math.min(pollMs, leftMs));
    }
  } finally {
    unsubscribe();
  }
}
