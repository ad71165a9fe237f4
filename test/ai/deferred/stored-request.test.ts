// The form of stored requests: a chat completion is its text, and nothing a client writes passes for another API's.

import assert from "node:assert/strict";
import test from "node:test";
import { callOf, formatAt, packed, pathOf, stemOf, unpacked } from "#ai/deferred/stored-request.ts";
import { isProblem } from "#contract/problem.ts";

const chat = "/api/ai/v1/chat/completions";
const text = '{"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}';
const row = { id: "cmp_01abc", createdAt: 1_767_225_600_500 };

test("a chat completion is stored as its text, which earlier versions read too", () => {
  const headers = { "x-other": "left out" };
  assert.equal(packed({ path: chat, headers, text }), text);
  assert.deepEqual(unpacked(text), { path: chat, headers: {}, text });
  assert.deepEqual(unpacked(` \n${text}`)?.path, chat);
});

test("a request of another API keeps its path, its forwarded headers and its text", () => {
  const request = { path: "/api/ai/v1/messages", headers: { "anthropic-beta": "a,b" }, text };
  assert.deepEqual(unpacked(packed(request)), request);
  const call = callOf(request, row);
  assert.ok(!isProblem(call));
  assert.equal(call.api.format, "messages");
  assert.deepEqual(call.api.headers, { "anthropic-beta": "a,b" });
});

test("headers that are not forwarded come back from no storage", () => {
  const call = callOf({ path: "/api/ai/v1/messages", headers: { authorization: "x" }, text }, row);
  assert.ok(!isProblem(call));
  assert.deepEqual(call.api.headers, {});
});

test("what no version stored is refused, and so is an operation that cannot be deferred", () => {
  for (const stored of ["[]", "[1,{},2]", '["/a",null,"{}"]', '["/a",{}]'])
    assert.equal(unpacked(stored), null);
  for (const path of ["/api/ai/v1/messages/count_tokens", "/api/ai/v1/embeddings", "/"])
    assert.ok(isProblem(callOf({ path, headers: {}, text }, row)));
  assert.ok(isProblem(callOf({ path: chat, headers: {}, text: "{}" }, row)));
});

test("the stem is the id without its kind", () => assert.equal(stemOf("cmp_01abc"), "01abc"));

test("an API has a name and a path, and what cannot be deferred has no name", () => {
  for (const [name, path] of [
    ["chat_completions", chat],
    ["messages", "/api/ai/v1/messages"],
    ["responses", "/api/ai/v1/responses"],
  ] as const) {
    assert.equal(formatAt(path), name);
    assert.equal(pathOf(name), path);
  }
  for (const path of ["/api/ai/v1/messages/count_tokens", "/api/ai/v1/embeddings", ""])
    assert.equal(formatAt(path), null);
  for (const name of [null, "", "embeddings"]) assert.equal(pathOf(name), undefined);
});
