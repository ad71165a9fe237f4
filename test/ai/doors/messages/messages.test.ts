// One request at Anthropic's door: what it asks for, and that it is translated once, when a member needs it.

import assert from "node:assert/strict";
import test from "node:test";
import { estimatedOf, messagesDoor } from "#ai/doors/messages/messages.ts";

const body = {
  model: "m",
  max_tokens: 64_000,
  system: "Be brief.",
  messages: [{ role: "user", content: "Hi" }],
};
const door = (more: object = {}) => {
  const whole = { ...body, ...more };
  return messagesDoor({ text: JSON.stringify(whole), body: whole, headers: {} }, "stem");
};

test("its tokens are estimated with the system text, and an answer's with a bound", () => {
  assert.deepEqual(estimatedOf(body), {
    messages: [{ content: "Be brief." }, ...body.messages],
    max_tokens: 4_096,
  });
  assert.equal(estimatedOf({ messages: [], max_tokens: 10 }).max_tokens, 10);
});

test("the chat completion is made once, and says what it left out", () => {
  const made = door({ mcp_servers: [] });
  assert.deepEqual(made.leftOut(), []);
  assert.equal(made.chat(), made.chat());
  assert.deepEqual(made.leftOut(), ["mcp_servers"]);
});

test("a forwarded answer has the name that the client used, and nothing else is changed", () => {
  const served = { provider: "p", model: "served", latency_ms: 1, attempts: 1 };
  const rules = { model: "asked", created: 1, served, promptTokens: 1 };
  assert.equal(door().answer('{"model":"served","x":1e400}', true, rules), '{"model":"asked","x":1e400}');
});
