// How long it is remembered that a model lacks an API.

import assert from "node:assert/strict";
import test from "node:test";
import { MissingApis } from "#ai/health/missing-apis.ts";
import { rememberedMs } from "#ai/health/refused-parameters.ts";

test("a model lacks the one API until its time is over", () => {
  const missing = new MissingApis();
  assert.equal(missing.has("m", "responses", 0), false);
  missing.learn("m", "responses", 10);
  assert.deepEqual([missing.has("m", "responses", 10), missing.has("other", "responses", 10)], [true, false]);
  assert.equal(missing.has("m", "messages", 10), false);
  assert.deepEqual(
    [missing.has("m", "responses", rememberedMs + 9), missing.has("m", "responses", rememberedMs + 10)],
    [true, false],
  );
});
