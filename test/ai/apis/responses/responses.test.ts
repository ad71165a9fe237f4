// The Responses API: what is estimated, and what forwarded answers are called.

import assert from "node:assert/strict";
import test from "node:test";
import { createResponsesRequest, estimatedOf } from "#ai/apis/responses/responses.ts";

test("tokens are estimated from input, instructions and tools", () => {
  const { messages, tools, max_tokens } = estimatedOf({
    input: "Hello!",
    instructions: "Be brief.",
    tools: [{ type: "function", name: "f" }],
    max_output_tokens: 12,
  });
  assert.deepEqual(messages, [{ content: "Be brief." }, { content: "Hello!" }]);
  assert.deepEqual([tools, max_tokens], [[{ type: "function", name: "f" }], 12]);
});

test("a forwarded answer keeps everything but the name of its model, and has `service_pool`", () => {
  const body = { input: "Hi" };
  const request = createResponsesRequest({ text: JSON.stringify(body), body, headers: {} }, "1", 7);
  const names = {
    model: "asked",
    created: 7,
    promptTokens: 1,
    served: { provider: "a", model: "b", attempts: 1, latency_ms: 1 },
  };
  assert.equal(
    request.answer('{"model":"upstream","x":1e400,"output":[]}', true, names),
    `{"model":"asked","x":1e400,"output":[],"service_pool":${JSON.stringify(names.served)}}`,
  );
  assert.equal(request.chat(), request.chat(), "it is translated once");
});
