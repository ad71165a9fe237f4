// Chat completions as requests of the Responses API: every part has its equivalent, or the parameter is named.

import assert from "node:assert/strict";
import test from "node:test";
import { responsesRequest } from "#providers/openai/over-responses/request.ts";
import { requestOf } from "../../conformance-cases.ts";

function bodyOf(body: Record<string, unknown>, stream = false) {
  const translated = responsesRequest(requestOf(body, "gpt-6", stream));
  assert.ok(translated.kind === "body", JSON.stringify(translated));
  return JSON.parse(JSON.stringify(translated.body));
}
const hello = [{ role: "user", content: "Hello" }];

test("tools, choices, formats, effort and limits", () => {
  const schema = { type: "object", properties: {}, maximum: 1 };
  const format = { name: "answer", strict: true, schema };
  const sent = bodyOf(
    {
      messages: hello,
      tools: [{ type: "function", function: { name: "f", description: "Does.", parameters: schema } }],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
      response_format: { type: "json_schema", json_schema: format },
      reasoning_effort: "high",
      verbosity: "low",
      max_completion_tokens: 5,
      temperature: 1,
      prompt_cache_key: "k",
      logprobs: true,
      top_logprobs: 2,
      seed: 1,
      store: true,
      stream_options: { include_usage: true },
      base_url: "http://169.254.169.254/",
    },
    true,
  );
  assert.deepEqual(sent, {
    model: "gpt-6",
    input: [{ type: "message", role: "user", content: "Hello" }],
    store: false,
    stream: true,
    temperature: 1,
    parallel_tool_calls: false,
    prompt_cache_key: "k",
    tools: [{ type: "function", name: "f", description: "Does.", parameters: schema, strict: false }],
    tool_choice: { type: "function", name: "f" },
    max_output_tokens: 16,
    reasoning: { effort: "high" },
    text: { verbosity: "low", format: { type: "json_schema", ...format } },
    include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
    top_logprobs: 2,
  });
});

test("allowed tools and JSON mode", () => {
  const named = { type: "function", function: { name: "f" } };
  const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named] } };
  const sent = bodyOf({ messages: hello, tool_choice: allowed, response_format: { type: "json_object" } });
  assert.deepEqual(sent.tool_choice, {
    type: "allowed_tools",
    mode: "required",
    tools: [{ type: "function", name: "f" }],
  });
  assert.deepEqual(sent.text, { format: { type: "json_object" } });
});

test("numbers that a double cannot hold keep their spelling", () => {
  const text = '{"messages":[],"metadata":{"n":12345678901234567890}}';
  const translated = responsesRequest({ text, body: JSON.parse(text), model: "m", stream: false });
  assert.ok(translated.kind === "body");
  assert.match(JSON.stringify(translated.body), /12345678901234567890/);
});

test("what has no equivalent is named, and what the model refused is not sent", () => {
  const audio = [
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }] },
  ];
  for (const [param, more] of [
    ["n", { n: 2 }],
    ["stop", { stop: ["x"] }],
    ["logit_bias", { logit_bias: { 1: 1 } }],
    ["tools", { tools: [{ type: "custom", custom: { name: "c" } }] }],
    ["messages", { messages: audio }],
    ["messages", { messages: [{ role: "function", name: "f", content: "1" }] }],
    ["tool_choice", { tool_choice: { type: "odd" } }],
  ] as const) {
    const translated = responsesRequest(requestOf({ messages: hello, ...more }, "m", false));
    assert.equal(translated.kind === "unsupported_parameter" && translated.param, param);
  }
  const request = {
    ...requestOf({ messages: hello, temperature: 0, n: 1 }, "m", false),
    refused: ["temperature"],
  };
  const sent = responsesRequest(request);
  assert.ok(sent.kind === "body" && !("temperature" in sent.body));
});

test("sealed reasoning is asked for of models that reason, and not with the effort `none`", () => {
  const includeOf = (model: string, more: object = {}) => {
    const body = { messages: [{ role: "user", content: "Hi" }], ...more };
    const read = responsesRequest({ text: JSON.stringify(body), body, model, stream: false });
    assert.ok(read.kind === "body");
    return read.body.include;
  };
  const sealed = ["reasoning.encrypted_content"];
  for (const model of ["gpt-6", "gpt-5.6-terra", "o4-mini", "openai/gpt-5-mini", "us.gpt-12"])
    assert.deepEqual(includeOf(model), sealed, model);
  for (const model of ["gpt-4o", "gpt-4.1", "gpt-5-chat-latest", "turbo3-mini", "my-deployment"])
    assert.equal(includeOf(model), undefined, model);
  assert.deepEqual(includeOf("my-deployment", { reasoning_effort: "low" }), sealed);
  assert.equal(includeOf("gpt-6", { reasoning_effort: "none" }), undefined);
});
