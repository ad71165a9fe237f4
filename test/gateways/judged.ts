// What an answer was judged to be, apart from the answer itself, which an attempt keeps.

import assert from "node:assert/strict";
import type { Outcome } from "#gateways/outcome.ts";
import type { OutboundResult } from "#runtime/runtime.ts";

/** The outcome without the answer, which has to be there exactly when there was one and it was no yes. */
export function judged(outcome: Outcome, result: OutboundResult): Outcome {
  if (outcome.kind === "accepted") return outcome;
  const { answer, ...rest } = outcome;
  assert.equal(answer?.status, result.kind === "answer" ? result.status : undefined);
  assert.ok([...(answer?.body ?? "")].length <= 1_000);
  return rest;
}
