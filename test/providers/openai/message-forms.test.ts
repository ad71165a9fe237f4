// The role `developer` and the ids of calls, for vendors and servers that do not take them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openaiFailure } from "#providers/openai/failure.ts";
import { messagesFor } from "#providers/openai/message-forms.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { defaultsOf, vendorNames } from "#providers/openai/vendors.ts";
import { requestOf } from "../conformance-cases.ts";

const hello = { role: "user", content: "hello" };
const developer = [{ role: "developer", content: "Be brief." }, hello];
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const withCalls = (id: string) => [
  hello,
  { role: "assistant", content: null, tool_calls: [call(id), call("abcDEF123")] },
  { role: "tool", tool_call_id: id, content: "sunny" },
];

function sent(vendor: string, messages: object[], refused: readonly string[] = []) {
  const settings = openaiCompatible.settings.parse({
    api_key: "k",
    vendor,
    base_url: "https://first.test/v1",
  });
  const prepared = openaiCompatible.chat({ ...requestOf({ messages }, "m", false), refused }, settings);
  assert.ok(prepared.kind === "request" && typeof prepared.request.body === "string");
  return JSON.parse(prepared.request.body).messages;
}

test("developer is system to all vendors but those that know it, and to a model that refused it", () => {
  const knowing = vendorNames.filter((name) => defaultsOf(name).knowsDeveloper === true);
  assert.deepEqual(knowing, ["openai", "azure-openai", "openrouter", "vllm", "llama.cpp"]);
  const system = [{ role: "system", content: "Be brief." }, hello];
  for (const vendor of vendorNames) {
    assert.deepEqual(sent(vendor, developer), knowing.includes(vendor) ? developer : system, vendor);
    assert.deepEqual(sent(vendor, developer, ["developer"]), system, vendor);
  }
});

test("Mistral gets ids of nine letters and digits, the same in a call and in its result", () => {
  const [, assistant, result] = sent("mistral", withCalls("call_PTLP8xhu3uwZk4l3nlnrrJha"));
  const ids = assistant.tool_calls.map(({ id }: { id: string }) => id);
  assert.match(ids[0], /^[A-Za-z0-9]{9}$/);
  assert.equal(result.tool_call_id, ids[0]);
  assert.equal(ids[1], "abcDEF123", "its own stay");
  const [, other] = sent("mistral", withCalls("toolu_01"));
  assert.notEqual(other.tool_calls[0].id, ids[0]);
  assert.deepEqual(sent("groq", withCalls("call_1")), withCalls("call_1"));
  assert.notDeepEqual(sent("groq", withCalls("call_1"), ["tool_call_ids"]), withCalls("call_1"));
});

test("what needs no change stays as it was written", () => {
  for (const messages of [[hello], withCalls("abcDEF123"), [{ role: "user", content: '"developer"' }], "x"]) {
    const text = JSON.stringify({ messages });
    assert.equal(messagesFor({ text }, { ownCallIds: true }), undefined);
  }
  const text = `{"messages":[{"role":"developer","content":"a"},{"role":"user","n":12345678901234567890}]}`;
  assert.match(messagesFor({ text }, {}) ?? "", /12345678901234567890/);
});

test("a refusal names the form", () => {
  const words: readonly (readonly [string, string | undefined])[] = [
    [
      "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected",
      "developer",
    ],
    ["<400> InternalError.Algo.InvalidParameter: developer is not one of ['system', 'user']", "developer"],
    ["Unsupported role 'developer'", "developer"],
    ["Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.", "tool_call_ids"],
    ["Conversation roles must alternate user/assistant", undefined],
    ["messages[0]: unknown variant `image_url`, expected `text`", undefined],
  ];
  for (const [message, name] of words) {
    const failure = openaiFailure(400, {}, JSON.stringify({ error: { message } }), 0);
    assert.deepEqual([failure.kind, failure.refused?.name], ["unsupported", name], message);
  }
});
