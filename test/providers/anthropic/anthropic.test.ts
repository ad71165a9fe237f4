// Anthropic on recorded traffic: the conformance suite, and where its settings lead.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { providerConformance } from "../conformance.ts";
import { anthropicSuite } from "./anthropic-suite.ts";

providerConformance(anthropic, anthropicSuite);

test("anthropic: the check carries the key as requests do", () => {
  const check = anthropic.check(anthropic.settings.parse(anthropicSuite.settings));
  assert.equal(check?.headers["x-api-key"], anthropicSuite.settings.api_key);
  assert.equal(check?.headers["anthropic-version"], "2023-06-01");
});

test("anthropic: the version of the settings is said, and minded", () => {
  const of = (version?: string) =>
    anthropic.settings.parse({ ...anthropicSuite.settings, ...(version ? { version } : {}) });
  const body = { messages: [{ role: "user", content: "Hi" }], temperature: 0.5 };
  const request = { text: JSON.stringify(body), body, model: "claude-haiku-4-5", stream: false };
  const standard = anthropic.chat(request, of());
  assert.ok(standard.kind === "request");
  assert.equal(standard.request.headers["anthropic-version"], "2023-06-01");
  assert.equal(standard.request.headers["x-api-key"], anthropicSuite.settings.api_key);
  assert.equal(anthropic.check(of("2026-10-21"))?.headers["anthropic-version"], "2026-10-21");
  const later = anthropic.chat(request, of("2026-10-21"));
  assert.equal(later.kind === "unsupported_parameter" && later.param, "temperature");
});
