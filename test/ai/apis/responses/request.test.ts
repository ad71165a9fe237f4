// Responses requests as chat completions.

import assert from "node:assert/strict";
import test from "node:test";
import { chatOfResponses } from "#ai/apis/responses/request.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

function chatOf(request: object) {
  const leftOut: string[] = [];
  const chat = chatOfResponses(JSON.stringify({ model: "m", ...request }), new ToolNames(), leftOut);
  return { chat, leftOut };
}

function bodyOf(request: object): Record<string, unknown> {
  const { chat } = chatOf(request);
  assert.ok(chat.kind === "chat");
  assert.deepEqual(JSON.parse(chat.text), chat.body);
  return chat.body;
}

test("instructions and a text become a system message and the user's", () => {
  const { messages } = bodyOf({ instructions: "Be brief.", input: "Hello!", max_output_tokens: 9 });
  assert.deepEqual(messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello!" },
  ]);
});

test("a picture that the model made comes back as the user's", () => {
  const made = { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA" };
  const { messages } = bodyOf({
    input: [{ role: "user", content: "A fox" }, made, { role: "user", content: "Bluer" }],
  });
  assert.deepEqual(messages, [
    { role: "user", content: "A fox" },
    {
      role: "user",
      content: [
        { type: "text", text: "The assistant made this picture:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
    { role: "user", content: "Bluer" },
  ]);
});

test("a call comes right before its output, also where something stood between them", () => {
  const { messages } = bodyOf({
    input: [
      { role: "user", content: "Go." },
      { type: "function_call", call_id: "call_1", name: "shell", arguments: '{"c":"ls"}' },
      { type: "reasoning", summary: [] },
      { type: "function_call_output", call_id: "call_1", output: "a.txt" },
    ],
    tools: [{ type: "function", name: "shell", parameters: { type: "object", properties: {} } }],
  });
  const [, call, output] = messages as {
    role: string;
    tool_calls?: { id: string }[];
    tool_call_id?: string;
  }[];
  assert.deepEqual([call?.role, call?.tool_calls?.[0]?.id], ["assistant", "call_1"]);
  assert.deepEqual([output?.role, output?.tool_call_id], ["tool", "call_1"]);
});

test("a tool that no function can stand for is refused by name", () => {
  const { chat } = chatOf({ input: "Hi", tools: [{ type: "teleport" }] });
  assert.ok(chat.kind === "unsupported_parameter");
  assert.equal(chat.param, "tools");
});

test("log probabilities are asked for where they are included, with as many alternatives as were named", () => {
  const included = { input: "Hi", include: ["message.output_text.logprobs"] };
  const of = (request: object) => {
    const { logprobs, top_logprobs: alternatives } = bodyOf(request);
    return [logprobs, alternatives];
  };
  assert.deepEqual(of({ ...included, top_logprobs: 3 }), [true, 3]);
  assert.deepEqual(of(included), [true, undefined]);
  assert.deepEqual(of({ input: "Hi", top_logprobs: 3 }), [undefined, undefined]);
  assert.deepEqual(chatOf({ ...included, top_logprobs: 3 }).leftOut, []);
});

test("a message of more parts than a call takes arguments is read", () => {
  const parts = 160_000;
  const content = Array.from({ length: parts }, () => ({ type: "output_text", text: "a" }));
  const { messages } = bodyOf({
    input: [
      { type: "message", role: "assistant", content },
      { type: "message", role: "user", content: "Go on." },
    ],
  });
  const [first] = messages as { content: string | unknown[] }[];
  assert.ok((first?.content.length ?? 0) >= parts);
});
