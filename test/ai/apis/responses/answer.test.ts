// Whole answers of chat completions as responses.

import assert from "node:assert/strict";
import test from "node:test";
import { responseOf } from "#ai/apis/responses/answer.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const completion = (message: object, finish_reason = "stop") =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage,
  });
const rules = () => ({
  model: "asked",
  created: 7,
  stem: "1",
  names: new ToolNames(),
  body: { store: true },
});

test("text: one message, completed, and nothing stored", () => {
  const response = JSON.parse(responseOf(completion({ content: "Hello" }), rules()));
  assert.deepEqual(
    [response.id, response.object, response.created_at, response.status, response.model, response.store],
    ["resp_1", "response", 7, "completed", "asked", false],
  );
  assert.deepEqual(
    response.output.map(({ type, content }: { type: string; content: { text: string }[] }) => [
      type,
      content[0]?.text,
    ]),
    [["message", "Hello"]],
  );
  assert.deepEqual(
    [response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens],
    [9, 5, 14],
  );
});

for (const [name, args, input] of [
  ["as it was offered", '{"input":"*** Begin"}', "*** Begin"],
  ["under another name", '{"patch":"*** Begin"}', "*** Begin"],
  ["as a JSON string", '"*** Begin"', "*** Begin"],
  ["as it is", "*** Begin", "*** Begin"],
  ["beside another member", '{"input":"*** Begin","note":"x"}', "*** Begin"],
  ["as an object of several members", '{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
  ["as an object of something else", '{"a":1}', '{"a":1}'],
] as const)
  test(`a custom tool's call has its input, which the model wrote ${name}`, () => {
    const named = rules();
    named.names.add([{ type: "custom", name: "apply_patch" }], []);
    const call = { id: "call_90123", type: "function", function: { name: "apply_patch", arguments: args } };
    const response = JSON.parse(
      responseOf(completion({ content: null, tool_calls: [call] }, "tool_calls"), named),
    );
    const [item] = response.output;
    assert.deepEqual(
      [item.type, item.name, item.input, item.call_id],
      ["custom_tool_call", "apply_patch", input, "call_90123"],
    );
  });

test("an answer that was cut off says why", () => {
  const response = JSON.parse(responseOf(completion({ content: "Hel" }, "length"), rules()));
  assert.deepEqual(
    [response.status, response.incomplete_details],
    ["incomplete", { reason: "max_output_tokens" }],
  );
});

test("log probabilities of a text stand in its part", () => {
  const logprobs = {
    content: [{ token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] }],
    refusal: null,
  };
  const text = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, logprobs, finish_reason: "stop" }],
  });
  const response = JSON.parse(responseOf(text, rules()));
  assert.deepEqual(response.output[0].content[0].logprobs, logprobs.content);
});
