// Sealed thoughts in chat completions: read from requests, answers and chunks, and taken out.

import assert from "node:assert/strict";
import test from "node:test";
import { thoughtSignatures, withoutSignatures } from "#providers/translate/thought-signatures.ts";

const signed = (signature: unknown, id = "call_1") => ({
  id,
  type: "function",
  function: { name: "f", arguments: '{"n":1}' },
  extra_content: { google: { thought_signature: signature } },
});

test("they are read where calls have them", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [signed("a"), signed(5), { id: "x" }, null] },
    { role: "assistant", tool_calls: [signed("b")] },
  ];
  assert.deepEqual(thoughtSignatures.in({ messages }), ["a", "b"]);
  assert.deepEqual(thoughtSignatures.in({}), []);
  const made = (value: object) => thoughtSignatures.made(JSON.stringify(value));
  assert.deepEqual(made({ choices: [{ message: { tool_calls: [signed("a")] } }] }), ["a"]);
  assert.deepEqual(made({ choices: [{ delta: { tool_calls: [{ index: 0, ...signed("b") }] } }] }), ["b"]);
  assert.deepEqual(made({ choices: [{ delta: { content: '"thought_signature"' } }] }), []);
});

test("the foreign ones go, and numbers keep their spelling", () => {
  const text = `{"messages":[{"role":"assistant","n":1e400,"tool_calls":[${JSON.stringify(signed("a"))},${JSON.stringify(signed("b", "2"))}]}]}`;
  const { extra_content: _extra, ...bare } = signed("a");
  assert.equal(
    withoutSignatures(text, new Set(["a"])),
    `[{"role":"assistant","n":1e400,"tool_calls":[${JSON.stringify(bare)},${JSON.stringify(signed("b", "2"))}]}]`,
  );
  assert.equal(withoutSignatures(text, new Set(["c"])), null);
  assert.equal(withoutSignatures("[]", new Set(["a"])), null);
});

test("only Google's sentence at the beginning of a 400 is a refusal", () => {
  const failure = (message: string, status = 400) => ({
    kind: "invalid_request" as const,
    status,
    retryAfterMs: null,
    error: { message, type: "invalid_request_error", param: null, code: null },
  });
  const { isRefusal } = thoughtSignatures;
  for (const message of [
    "Corrupted thought signature.",
    "Invalid thought signature.",
    "Thought signature is not valid",
  ])
    assert.ok(isRefusal(failure(message)), message);
  assert.ok(!isRefusal(failure("Your text: Corrupted thought signature.")));
  assert.ok(!isRefusal(failure("Corrupted thought signature.", 422)));
});

test("signed and sealed thoughts are read under both names and taken out whole, and a field that a vendor lacks is a refusal", () => {
  const details = [
    { type: "reasoning.text", text: "Hm.", signature: "a", index: 0 },
    { type: "reasoning.encrypted", data: "b", index: 1 },
    { type: "reasoning.text", text: "open", index: 2 },
  ];
  const blocks = [{ type: "thinking", thinking: "Hm.", signature: "a" }];
  const message = { role: "assistant", content: "x", reasoning_details: details, thinking_blocks: blocks };
  assert.deepEqual(thoughtSignatures.in({ messages: [message] }), ["a", "b", "a"]);
  assert.deepEqual(thoughtSignatures.made(JSON.stringify({ choices: [{ message }] })), ["a", "b"]);
  const text = JSON.stringify({ messages: [message] });
  assert.deepEqual(JSON.parse(withoutSignatures(text, new Set(["a"])) ?? ""), [
    { role: "assistant", content: "x", reasoning_details: details.slice(1) },
  ]);
  const refused = (param: string) =>
    thoughtSignatures.isRefusal({
      kind: "invalid_request",
      status: 400,
      retryAfterMs: null,
      error: { message: "Unknown.", type: "invalid_request_error", param, code: "unknown_parameter" },
    });
  assert.ok(refused("messages[1].reasoning_details") && refused("messages.1.thinking_blocks[0]"));
  assert.ok(!refused("messages[1].content") && !refused("my_reasoning_details"));
});
