// Anthropic on recorded traffic: the conformance suite, and where its settings lead.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic } from "#providers/anthropic.ts";
import { anthropicSuite } from "./anthropic-suite.ts";
import { providerConformance } from "./conformance.ts";

providerConformance(anthropic, anthropicSuite);

test("anthropic: the check carries the key as requests do", () => {
  const check = anthropic.check(anthropic.settings.parse(anthropicSuite.settings));
  assert.equal(check?.headers["x-api-key"], anthropicSuite.settings.api_key);
  assert.equal(check?.headers["anthropic-version"], "2023-06-01");
});
