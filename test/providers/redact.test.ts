// A member's secrets in what its vendor says of a failure.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatRequest } from "#providers/provider.ts";
import { redactSecrets } from "#providers/redact.ts";
import { findProvider } from "#providers/registry.ts";

const openai = findProvider("openai-compatible")!;
const key = "Zebra in the garden";
const member = redactSecrets(openai, [key, "of the header"]);
const request: ChatRequest = { text: "{}", body: {}, model: "m", stream: false };

test("an error loses the key wherever it is in it, and nothing else", () => {
  const error = {
    message: `Incorrect value ${key} provided`,
    type: `t ${key}`,
    param: key,
    code: "of the header",
  };
  const text = JSON.stringify({ error });
  const plain = openai.failure(400, {}, text, 0);
  assert.ok(JSON.stringify(plain).includes(key), "without it the key would be shown");
  const failure = member.failure(400, {}, text, 0);
  assert.deepEqual(failure, {
    ...plain,
    error: { message: "Incorrect value *** provided", type: "t ***", param: "***", code: "***" },
  });
});

test("what the pool's owner reads of a refused key loses it as well", () => {
  const text = JSON.stringify({ error: { message: `Incorrect key ${key} provided` } });
  assert.equal(openai.failure(401, {}, text, 0).detail, `Incorrect key ${key} provided`);
  assert.equal(member.failure(401, {}, text, 0).detail, "Incorrect key *** provided");
  const inside = JSON.stringify({ error: { message: `No ${key}`, code: 401 } });
  const answer = member.answer(inside, request);
  assert.equal(answer.kind === "failure" && answer.failure.detail, "No ***");
});

test("a message that is cut to its length shows no half of a key", () => {
  const text = JSON.stringify({ error: { message: `${"x ".repeat(994)}${key}` } });
  const { message } = member.failure(400, {}, text, 0).error;
  assert.ok(message.endsWith("***"), message.slice(-20));
});

test("a key that JSON spells with escapes is found as well", () => {
  const spelled = [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  assert.equal(member.failure(400, {}, `{"error":{"message":"No ${spelled}"}}`, 0).error.message, "No ***");
});

test("errors inside a 200 and inside a stream lose it too", () => {
  const text = JSON.stringify({ error: { message: `No ${key}`, type: "server_error" } });
  const answer = member.answer(text, request);
  assert.ok(answer.kind === "failure");
  assert.equal(answer.failure.error.message, "No ***");
  const pieces = member.stream(request).push({ event: null, data: text });
  assert.deepEqual(
    pieces.map((piece) => (piece.kind === "failure" ? piece.failure.error.message : piece.kind)),
    ["No ***"],
  );
});

test("what a model says is passed on as it came", () => {
  const message = { role: "assistant", content: `The ${key}` };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const text = JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices });
  assert.deepEqual(member.answer(text, request), openai.answer(text, request));
  const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" };
  const delta = [{ index: 0, delta: { content: key }, finish_reason: null }];
  const event = { event: null, data: JSON.stringify({ ...chunk, choices: delta }) };
  assert.deepEqual(member.stream(request).push(event), openai.stream(request).push(event));
});

test("what a stream tells of itself stays: that its model is thinking, that a choice is unfinished, and that it may be empty", () => {
  const settings = openai.settings.parse({ responses: true, base_url: "http://peer.test/v1" });
  const reader = member.native("responses", settings, "m")!.stream();
  const item = { type: "reasoning", summary: [] };
  const data = JSON.stringify({ type: "response.output_item.added", output_index: 0, item });
  reader.push({ event: null, data });
  assert.equal(reader.thinking?.(), true);
  const chat = member.stream(request);
  chat.push({ event: null, data: JSON.stringify({ choices: [{ index: 0, delta: { content: "Hi" } }] }) });
  assert.equal(chat.missing?.(), true);
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  chat.push({ event: null, data: JSON.stringify({ choices: [], usage }) });
  assert.equal(chat.mayBeEmpty?.(), true);
});

test("the API of tools masks them in its answers, its streams and its errors", () => {
  const settings = openai.settings.parse({ tools_over: "responses", base_url: "http://peer.test/v1" });
  const api = member.toolsApi(settings)!;
  const error = { code: "server_error", message: `No ${key}` };
  const answer = api.answer(JSON.stringify({ status: "failed", error }), request);
  assert.equal(answer.kind === "failure" && answer.failure.error.message, "No ***");
  const data = JSON.stringify({ type: "response.failed", response: { status: "failed", error } });
  const [piece] = api.stream(request).push({ event: null, data });
  assert.equal(piece?.kind === "failure" && piece.failure.error.message, "No ***");
  assert.equal(api.failure(400, {}, JSON.stringify({ error }), 0).error.message, "No ***");
});
