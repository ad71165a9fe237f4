// Parts of a run in which nothing went wrong, for the tests that plant damage in it.

import type { LedgerEntry, Posted, Row, Taken } from "./evidence.ts";

/** The timeline of a message that came to `status` without a detour; one second a step. */
function timelineTo(status: string): Row["timeline"] {
  const way = ["queued", "sending", "sent", "delivered"];
  const known = way.indexOf(status);
  const steps = known < 0 ? ["queued", "sending", status] : way.slice(0, known + 1);
  return steps.map((type, index) => ({
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    type,
  }));
}

/** A message of acme, alone in its request. */
export function row(marker: string, status = "sent", gateway = "hold"): Row {
  return {
    id: `msg-${marker}`,
    request: `req-${marker}`,
    marker,
    account: "acme",
    gateway,
    status,
    reference: status === "sent" ? `p-${marker}` : null,
    segments: 1,
    error: status === "failed" || status === "unknown" ? "because" : null,
    timeline: timelineTo(status),
  };
}

export function entry(marker: string, gateway = "hold", answer = "ok"): Taken {
  return { at: 0, marker, id: `p-${marker}`, gateway, answer };
}

/** Everything that happened to a message, told once. */
export function postsOf({ id, account, timeline }: Row): Posted[] {
  return timeline.map(({ at, type }, seq) => ({
    account,
    id: `evt-${id}-${seq}`,
    signed: true,
    type: `message.${type}`,
    timestamp: at,
    subject: id,
    status: type,
    digest: `${id} ${type} ${at}`,
    answer: "ok",
  }));
}

/** A ledger's entries from amounts, with the balance after each. */
export function entriesOf(
  amounts: readonly [kind: string, reference: string, amount: number][],
): LedgerEntry[] {
  let remaining = 0;
  return amounts.map(([kind, reference, amount]) => {
    remaining += amount;
    return { kind, reference, amount, remaining };
  });
}
