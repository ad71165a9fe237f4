// What Trunkline itself reads of a request to a model, and that it leaves the text alone.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readChat, readEmbeddings } from "#contract/ai/chat.ts";

const messages = [{ role: "user", content: "Hello" }];

function fault(text: string, read = readChat): { status: number; param: unknown; code: unknown } {
  const result = read(text);
  assert.ok("problem" in result, text);
  const { error } = result.body as { error: { param: unknown; code: unknown; type: unknown } };
  assert.equal(error.type, "invalid_request_error");
  return { status: result.status, param: error.param, code: error.code };
}

function fine(text: string, read = readChat) {
  const result = read(text);
  assert.ok(!("problem" in result), JSON.stringify(result));
  return result;
}

test("the text is kept as it came, and what matters is read from it", () => {
  const text =
    '{ "seed": 12345678901234567890, "z": -0, "messages": [{"role":"user"}], "unknown": "\\u00e9" }';
  const request = fine(text);
  assert.equal(request.text, text);
  assert.deepEqual([request.model, request.stream, request.includeUsage], [null, false, false]);
});

test("model, stream and the wish for usage; null is absent, and so is a model without a name", () => {
  const of = (more: object) => {
    const { model, stream, includeUsage } = fine(JSON.stringify({ messages, ...more }));
    return [model, stream, includeUsage];
  };
  assert.deepEqual(of({ model: "gpt-4o", stream: true }), ["gpt-4o", true, false]);
  assert.deepEqual(of({ model: null, stream: null, stream_options: null }), [null, false, false]);
  assert.deepEqual(of({ model: "" }), [null, false, false]);
  assert.deepEqual(of({ stream: true, stream_options: { include_usage: true } }), [null, true, true]);
  assert.deepEqual(of({ stream_options: { include_usage: "yes" } }), [null, false, false]);
  assert.deepEqual(of({ stream_options: [true] }), [null, false, false]);
});

for (const text of ["", "{", "[]", "null", "1", '"x"', "{}x", "{'a':1}", "[{}]"]) {
  test(`${JSON.stringify(text)} could not be read`, () => {
    for (const read of [readChat, readEmbeddings])
      assert.deepEqual(fault(text, read), { status: 400, param: null, code: "malformed_body" });
  });
}

const wrong: [text: string, param: string][] = [
  ["{}", "messages"],
  ['{"messages":null}', "messages"],
  ['{"messages":[]}', "messages"],
  ['{"messages":{}}', "messages"],
  ['{"messages":"Hello"}', "messages"],
  ['{"messages":[{}],"model":1}', "model"],
  ['{"messages":[{}],"model":["a"]}', "model"],
  ['{"messages":[{}],"stream":"true"}', "stream"],
  ['{"messages":[{}],"stream":1}', "stream"],
  ['{"model":"a","messages":[{}],"model":"a"}', "model"],
  ['{"model":"a","messages":[{}],"mod\\u0065l":"b"}', "model"],
  ['{"model":null,"messages":[{}],"model":"b"}', "model"],
];
for (const [text, param] of wrong) {
  test(`${text}: ${param} is at fault`, () => {
    assert.deepEqual(fault(text), { status: 400, param, code: "invalid_value" });
  });
}

test("only the model of the request itself may not stand twice", () => {
  fine('{"messages":[{"model":"a","model":"b"}],"model":"c","metadata":{"model":"d"}}');
  fine('{"messages":[{"content":"\\"model\\":1,\\"model\\":2"}]}');
  fine('{"messages":[{}],"seed":1,"seed":2}');
});

test("a field named __proto__ is a field", () => {
  const request = fine('{"messages":[{}],"__proto__":{"stream":true,"model":"x"}}');
  assert.deepEqual([request.model, request.stream], [null, false]);
  assert.equal(({} as { stream?: unknown }).stream, undefined);
});

test("embeddings need an input, and are never streamed", () => {
  assert.deepEqual(fault('{"model":"a"}', readEmbeddings), {
    status: 400,
    param: "input",
    code: "invalid_value",
  });
  assert.deepEqual(fault('{"input":null}', readEmbeddings).param, "input");
  const request = fine('{"input":"Hello","model":"embed","stream":true}', readEmbeddings);
  assert.deepEqual([request.model, request.stream], ["embed", false]);
});

test("any text is read or refused, never thrown at", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((json) => `{"messages":[${json}],"model":${json}}`),
    fc.json().map((json) => json.slice(0, -1)),
  );
  fc.assert(
    fc.property(anything, (text) => {
      for (const read of [readChat, readEmbeddings]) {
        const result = read(text);
        if ("problem" in result) assert.equal(result.status, 400);
        else assert.equal(result.text, text);
      }
    }),
  );
});
