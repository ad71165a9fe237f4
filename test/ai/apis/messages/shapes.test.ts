// What is checked of a request to Anthropic's API before a member sees it.

import assert from "node:assert/strict";
import test from "node:test";
import { readCounted, readMessages } from "#ai/apis/messages/shapes.ts";

test("a request is read, unknown fields and all", () => {
  const text = '{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"Hi"}],"x":1}';
  const read = readMessages(text);
  assert.ok(!("problem" in read));
  assert.deepEqual([read.text, read.model, read.stream, read.body.x], [text, "m", true, 1]);
});

test("what the gateway needs and is wrong is named", () => {
  for (const [text, param] of [
    ["{}", "messages"],
    ['{"messages":[]}', "messages"],
    ['{"messages":"Hi"}', "messages"],
    ['{"messages":[{}],"model":5}', "model"],
    ['{"messages":[{}],"model":"a","model":"b"}', "model"],
    ['{"messages":[{}],"stream":"yes"}', "stream"],
  ] as const) {
    const read = readMessages(text);
    assert.ok("problem" in read, text);
    assert.equal((read.body as { error: { param: string } }).error.param, param);
  }
});

test("a count needs messages with a role and a content; nothing else judges them", () => {
  const reads = (message: unknown) => !("problem" in readCounted(JSON.stringify({ messages: [message] })));
  assert.equal(reads({ role: "user", content: "Hi" }), true);
  assert.equal(reads({ role: "user", content: [{ type: "text", text: "Hi" }], x: 1 }), true);
  for (const message of [{}, { role: "user" }, { content: "Hi" }, { role: 5, content: "Hi" }, null, "Hi"])
    assert.equal(reads(message), false, JSON.stringify(message));
  for (const content of [null, 5, {}, ["Hi"]]) assert.equal(reads({ role: "user", content }), false);
  assert.ok("problem" in readCounted('{"messages":[]}'));
});
