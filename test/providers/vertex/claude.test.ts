// Claude on Vertex AI: whose models they are, what is different in the body, and what another member has to serve.

import assert from "node:assert/strict";
import test from "node:test";
import { claudeBody, isClaude, isClaudeError } from "#providers/vertex/claude.ts";
import { requestOf } from "../conformance-cases.ts";

const model = "claude-sonnet-4-5@20250929";
const bodyOf = (content: unknown) => claudeBody(requestOf({ messages: [{ role: "user", content }] }, model));

test("a model is Claude by its name, alone or behind its publisher", () => {
  for (const name of [model, "claude-opus-4-6", "publishers/anthropic/models/x"]) assert.ok(isClaude(name));
  for (const name of ["gemini-2.5-flash", "publishers/google/models/claude", "not-claude", ""])
    assert.ok(!isClaude(name));
});

test("the version is in the body, and the model is not", () => {
  assert.deepEqual(bodyOf("Hello"), {
    kind: "body",
    body: {
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 21_333,
      messages: [{ role: "user", content: "Hello" }],
    },
  });
});

test("a link is another member's, also in the result of a tool; bytes are not", () => {
  const picture = (url: string) => [{ type: "image_url", image_url: { url } }];
  assert.equal(bodyOf(picture("data:image/png;base64,AAAA")).kind, "body");
  const refused = bodyOf(picture("https://x.test/a.png"));
  assert.ok(refused.kind === "unsupported_parameter" && refused.param === "messages");
  const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const inResult = claudeBody(
    requestOf(
      {
        messages: [
          { role: "user", content: "Look" },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: picture("https://x.test/a.png") },
        ],
        tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
      },
      model,
    ),
  );
  assert.equal(inResult.kind, "unsupported_parameter");
});

test("errors are told apart by their form", () => {
  assert.ok(isClaudeError('{"type":"error","error":{"type":"overloaded_error","message":"x"}}'));
  for (const text of ['{"error":{"code":404,"status":"NOT_FOUND"}}', '[{"error":{}}]', "<html>", "null", ""])
    assert.ok(!isClaudeError(text));
});
