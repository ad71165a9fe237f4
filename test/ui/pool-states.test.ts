// What the pages say of a pool member's state.

import assert from "node:assert/strict";
import test from "node:test";
import { stateOf } from "#ui/pools/outcomes.ts";

test("a member is up only if it has answered, and every other state stays what it is", () => {
  for (const state of ["up", "half_open", "open", "cooling_down", "unauthorized", "off"] as const)
    for (const answered of [null, 120]) {
      const shown = stateOf({ state, first_output_ms: answered });
      assert.equal(shown.state, state === "up" && answered === null ? "ready" : state);
      assert.equal(shown.word === "up", state === "up" && answered !== null);
      assert.equal(shown.serves, ["up", "half_open"].includes(state));
    }
});
