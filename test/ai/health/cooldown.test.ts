// How long a rest is.

import assert from "node:assert/strict";
import test from "node:test";
import { cooldownMs, cooldownRules } from "#ai/health/cooldown.ts";

test("a limit lasts as long as the vendor asks, within bounds; a refused key rests for one time", () => {
  assert.equal(cooldownMs("rate_limited", 2_000), 2_000);
  assert.equal(cooldownMs("rate_limited", null), cooldownRules.defaultCooldownMs);
  assert.equal(cooldownMs("rate_limited", 1), cooldownRules.minCooldownMs);
  assert.equal(cooldownMs("rate_limited", 1e9), cooldownRules.maxCooldownMs);
  assert.equal(cooldownMs("unauthorized", 1), cooldownRules.unauthorizedCooldownMs);
});
