// How a model that refused parameters is asked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { adapt, isHint } from "#providers/translate/hints.ts";

test("hints are left out, other names are taken, and everything else cannot be dropped", () => {
  const { changes, undroppable } = adapt(["verbosity", "max_tokens", "tools"]);
  assert.deepEqual(
    [...changes],
    [
      ["verbosity", undefined],
      ["max_tokens", "max_completion_tokens"],
    ],
  );
  assert.deepEqual(undroppable, ["tools"]);
  assert.deepEqual(adapt(["max_tokens", "max_completion_tokens"]).undroppable, [
    "max_tokens",
    "max_completion_tokens",
  ]);
  for (const name of ["temperature", "logit_bias", "__proto__", "toString"])
    assert.equal(isHint(name), false);
});
