// A request for a chat completion: nothing of it is made again.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest, chatCompletions } from "#ai/apis/chat-completions/chat-completions.ts";

const body = { messages: [{ role: "user", content: "Hi" }], temperature: 1 };
const text = JSON.stringify(body);
const served = { provider: "p", model: "m", latency_ms: 1, attempts: 1 };
const rules = { model: "pool", created: 7, served, promptTokens: 1 };
const servedText = JSON.stringify(served);

test("its text and body are those that came, for members, estimates and refused parameters", () => {
  const request = new ChatCompletionsRequest({ text, body, includeUsage: false });
  const chat = request.chat();
  assert.equal(chat.text, text);
  for (const one of [chat.body, request.estimated, request.parameters]) assert.equal(one, body);
  assert.deepEqual([request.leftOut(), request.optional.size, request.echoesModel], [[], 0, false]);
});

test("an answer gets the model's name and who served; the rest goes through letter by letter", () => {
  const request = new ChatCompletionsRequest({ text, body, includeUsage: false });
  const answer = request.answer('{"model":"m","created":3,"x":1e400}', false, rules);
  assert.equal(answer, `{"model":"pool","created":3,"x":1e400,"service_pool":${servedText}}`);
});

test("the usage chunk is for those who asked; a stream that never began ends with its error", () => {
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  const chunk = { kind: "chunk" as const, output: false, finish: false, usage, usageOnly: true, units: 0 };
  for (const includeUsage of [false, true]) {
    const writer = new ChatCompletionsRequest({ text, body, includeUsage }).writer(rules);
    const out = writer.chunk({ ...chunk, text: '{"model":"m","usage":{}}' }) + writer.done();
    assert.equal(out.includes('"usage"'), includeUsage);
    assert.deepEqual(writer.usage, usage);
  }
  const request = new ChatCompletionsRequest({ text, body, includeUsage: false });
  const error = { message: "m", type: "t", param: null, code: "c" };
  assert.equal(request.failed(error, null), `data: ${JSON.stringify({ error })}\n\n`);
  assert.match(request.failed(error, served), /"service_pool":\{"provider":"p"/);
  assert.match(String(chatCompletions.operations[0]?.stream), /\[DONE\]/);
});
