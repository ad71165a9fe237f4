// What the pages say of a pool member's state.

import assert from "node:assert/strict";
import test from "node:test";
import { stateOf } from "#ui/pools/outcomes.ts";

const early = "2027-01-01T00:00:00.000Z";
const late = "2027-01-01T00:00:01.000Z";
const failure = (at: string | null) =>
  at === null ? null : { call: "req_1", at, outcome: "upstream_error", status: 503 };

test("a member is up only if its last request was answered, and every other state stays what it is", () => {
  for (const state of ["half_open", "open", "cooling_down", "unauthorized", "off", "up"] as const)
    for (const answered of [null, early, late])
      for (const failed of [null, early, late])
        for (const first_output_ms of [null, 120]) {
          const shown = stateOf({
            state,
            first_output_ms,
            last_answered_at: answered,
            last_failure: failure(failed),
          });
          const hasFailed = failed !== null && (answered === null || failed > answered);
          const hasAnswered = !hasFailed && (answered !== null || first_output_ms !== null);
          const expected = state !== "up" ? state : hasFailed ? "failed" : hasAnswered ? "up" : "ready";
          assert.equal(shown.state, expected, JSON.stringify([state, answered, failed, first_output_ms]));
          assert.equal(shown.word === "up", state === "up" && hasAnswered);
          assert.equal(shown.serves, state === "up");
        }
});
