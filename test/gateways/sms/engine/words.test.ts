// The words of receipts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { wordReader } from "#gateways/sms/engine/words.ts";

test("words mean the same in any case, exact ones first, and unlisted ones nothing", () => {
  const words = wordReader({ delivered: ["DELIVRD"], failed: ["FAILED.*"], undelivered: ["FAILED.EXPIRED"] });
  assert.equal(words("delivrd"), "delivered");
  assert.equal(words("FAILED.expired"), "undelivered");
  assert.equal(words("failed.blocked"), "failed");
  assert.equal(words("FAILED"), undefined);
  assert.equal(words("toString"), undefined);
});
