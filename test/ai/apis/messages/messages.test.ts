// One request to Anthropic's API: what it asks for, and that it is translated once, when a member needs it.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest, estimatedOf } from "#ai/apis/messages/messages.ts";

const body = {
  model: "m",
  max_tokens: 64_000,
  system: "Be brief.",
  messages: [{ role: "user", content: "Hi" }],
};
const request = (more: object = {}) => {
  const whole = { ...body, ...more };
  return createMessagesRequest({ text: JSON.stringify(whole), body: whole, headers: {} }, "stem");
};

test("its tokens are estimated with the system text, and an answer's with a bound", () => {
  assert.deepEqual(estimatedOf(body), {
    messages: [{ content: "Be brief." }, ...body.messages],
    max_tokens: 4_096,
  });
  assert.equal(estimatedOf({ messages: [], max_tokens: 10 }).max_tokens, 10);
});

test("the chat completion is made once, and says what it left out", () => {
  const made = request({ mcp_servers: [] });
  assert.deepEqual(made.leftOut(), []);
  assert.equal(made.chat(), made.chat());
  assert.deepEqual(made.leftOut(), ["mcp_servers"]);
});

test("a forwarded answer has the name that the client used and `service_pool`, and nothing else is changed", () => {
  const served = { provider: "p", model: "served", latency_ms: 1, attempts: 1 };
  const rules = { model: "asked", created: 1, served, promptTokens: 1 };
  assert.equal(
    request().answer('{"model":"served","x":1e400}', true, rules),
    `{"model":"asked","x":1e400,"service_pool":${JSON.stringify(served)}}`,
  );
});

test("names of tools beyond 64 characters are shortened on the way out and restored in the answer", () => {
  const names = ["first", "second"].map((end) => `mcp__${"server".repeat(12)}__${end}`);
  const made = request({
    tools: names.map((name) => ({ name, input_schema: { type: "object" } })),
    tool_choice: { type: "tool", name: names[1] },
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: names[0], input: {} }] },
    ],
  });
  const chat = made.chat();
  assert.ok(chat.kind === "chat");
  const { tools, tool_choice, messages } = chat.body as {
    tools: { function: { name: string } }[];
    tool_choice: { function: { name: string } };
    messages: { tool_calls?: { function: { name: string } }[] }[];
  };
  const short = tools.map((tool) => tool.function.name);
  assert.equal(new Set(short).size, 2);
  for (const name of short) assert.match(name, /^mcp__[A-Za-z0-9_-]{1,59}$/);
  assert.equal(tool_choice.function.name, short[1]);
  assert.equal(messages.at(-1)!.tool_calls![0]!.function.name, short[0]);
  const call = { id: "c", type: "function", function: { name: short[1], arguments: "{}" } };
  const choices = [{ index: 0, message: { content: null, tool_calls: [call] }, finish_reason: "tool_calls" }];
  const served = { provider: "p", model: "served", latency_ms: 1, attempts: 1 };
  const rules = { model: "asked", created: 1, served, promptTokens: 1 };
  const answer = JSON.parse(made.answer(JSON.stringify({ choices }), false, rules));
  assert.equal(answer.content[0].name, names[1]);
  const delta = { tool_calls: [{ ...call, index: 0 }] };
  const text = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });
  const chunk = {
    kind: "chunk" as const,
    text,
    output: true,
    finish: false,
    usage: null,
    usageOnly: false,
    units: 1,
  };
  assert.ok(made.writer(rules, false).chunk(chunk).includes(`"name":"${names[1]}"`));
});
