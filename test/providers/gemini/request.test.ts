// What decides about a request to Gemini beside the recorded ones: efforts by model, and names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { geminiBody, geminiVersion } from "#providers/gemini/request.ts";
import { requestOf } from "../conformance-cases.ts";

const messages = [{ role: "user", content: "Hello" }];

function thinking(effort: unknown, model: string) {
  const made = geminiBody(requestOf({ messages, reasoning_effort: effort }, model));
  if (made.kind === "unsupported_parameter") return made.param;
  return (made.body as { generationConfig?: { thinkingConfig?: unknown } }).generationConfig?.thinkingConfig;
}

test("versions by name", () => {
  const names: [string, number | null][] = [
    ["gemini-2.5-flash", 205],
    ["models/gemini-2.0-flash-001", 200],
    ["gemini-3-pro-preview", 300],
    ["gemini-3.1-pro", 301],
    ["gemini-flash-latest", null],
    ["gemma-3-27b-it", null],
  ];
  for (const [name, version] of names) assert.equal(geminiVersion(name), version, name);
});

test("efforts: tokens before version 3, levels from then on and for names without one", () => {
  assert.deepEqual(thinking("minimal", "gemini-2.5-flash"), { includeThoughts: true, thinkingBudget: 1024 });
  assert.deepEqual(thinking("medium", "gemini-2.5-pro"), { includeThoughts: true, thinkingBudget: 8192 });
  assert.deepEqual(thinking("minimal", "gemini-3-flash"), {
    includeThoughts: true,
    thinkingLevel: "MINIMAL",
  });
  assert.deepEqual(thinking("xhigh", "gemini-3.1-pro"), { includeThoughts: true, thinkingLevel: "HIGH" });
  assert.deepEqual(thinking("low", "gemini-flash-latest"), { includeThoughts: true, thinkingLevel: "LOW" });
  assert.equal(thinking(null, "gemini-2.5-flash"), undefined);
  assert.equal(thinking("none", "gemini-2.0-flash"), undefined);
  for (const [effort, model] of [
    ["none", "gemini-3-flash"],
    ["none", "gemini-2.5-pro"],
    ["low", "gemini-1.5-pro"],
    ["extreme", "gemini-3-flash"],
    [3, "gemini-3-flash"],
  ] as const) {
    assert.equal(thinking(effort, model), "reasoning_effort");
  }
});

test("log probabilities are asked for properly or not at all", () => {
  const refused = (more: object) => {
    const made = geminiBody(requestOf({ messages, ...more }, "gemini-2.5-flash"));
    return made.kind === "unsupported_parameter" ? made.param : made.body;
  };
  assert.equal(refused({ top_logprobs: 2 }), "top_logprobs");
  assert.equal(refused({ logprobs: 2 }), "logprobs");
  assert.equal(refused({ logprobs: true, top_logprobs: 21 }), "top_logprobs");
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  assert.deepEqual(refused({ logprobs: false, top_logprobs: 0 }), { contents });
});
