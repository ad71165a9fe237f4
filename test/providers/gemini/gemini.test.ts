// Gemini on recorded traffic: the conformance suite, and that its key is never in a URL.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gemini } from "#providers/gemini/gemini.ts";
import { providerConformance } from "../conformance.ts";
import { geminiSuite } from "./gemini-suite.ts";

providerConformance(gemini, geminiSuite);

test("gemini: the check carries the key in its header", () => {
  const check = gemini.check(gemini.settings.parse(geminiSuite.settings));
  assert.equal(check?.headers["x-goog-api-key"], geminiSuite.settings.api_key);
});
