// Claude on Vertex AI: whose models they are, what is different in the body, and what another member has to serve.

import assert from "node:assert/strict";
import test from "node:test";
import { claudeApi, claudeBody, isClaude, isClaudeError, ownName } from "#providers/vertex/claude.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { requestOf } from "../conformance-cases.ts";
import { credentials } from "./key-file.ts";

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
    adapted: [],
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

const settings = vertex.settings.parse({ location: "europe-west4", credentials, headers: { "X-Own": "1" } });
const place =
  "https://europe-west4-aiplatform.googleapis.com/v1/projects/example-project/locations/europe-west4/publishers/anthropic/models";
const messagesOf = (body: Record<string, unknown>, more: object = {}) => ({
  text: JSON.stringify(body),
  body,
  model,
  stream: body.stream === true,
  headers: { "anthropic-version": "2026-10-21", "anthropic-beta": "one-2025-01-01" },
  ...more,
});

test("only Claude is asked in the words of Messages, and in no other format", () => {
  assert.equal(ownName(`publishers/anthropic/models/${model}`), model);
  for (const name of [model, `publishers/anthropic/models/${model}`])
    assert.ok(vertex.native("messages", settings, name));
  for (const [format, name] of [
    ["messages", "gemini-2.5-flash"],
    ["messages", ""],
    ["responses", model],
    ["gemini", "gemini-2.5-flash"],
  ] as const)
    assert.equal(vertex.native(format, settings, name), null);
});

test("Messages go out as they came, but for the model and the version, with the client's betas", () => {
  const native = vertex.native("messages", settings, model)!;
  const text = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\u00e9"}],"x":1e400,"big":12345678901234567890}`;
  for (const [stream, method] of [
    [false, "rawPredict"],
    [true, "streamRawPredict"],
  ] as const) {
    const body = JSON.parse(text.replace("1e400", "1")) as Record<string, unknown>;
    const prepared = native.prepare({ ...messagesOf(body), text, stream });
    assert.ok(prepared.kind === "request");
    const { request } = prepared;
    assert.equal(request.url, `${place}/${model}:${method}`);
    assert.equal(
      request.body,
      text.replace('"model":"m",', "").replace(/\}$/, ',"anthropic_version":"vertex-2023-10-16"}'),
    );
    assert.deepEqual(request.headers, {
      "x-own": "1",
      accept: stream ? "text/event-stream" : "application/json",
      "content-type": "application/json",
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "one-2025-01-01",
    });
    assert.ok(request.tokenGrant);
  }
});

test("a client's own `anthropic_version` does not choose another", () => {
  const native = vertex.native("messages", settings, model)!;
  const prepared = native.prepare(messagesOf({ anthropic_version: "x", messages: [] }));
  assert.ok(prepared.kind === "request");
  assert.deepEqual(JSON.parse(String(prepared.request.body)), {
    anthropic_version: "vertex-2023-10-16",
    messages: [],
  });
});

test("tokens are counted by the publisher's own endpoint, which has the model in the body", () => {
  const name = `publishers/anthropic/models/${model}`;
  const native = vertex.native("messages", settings, name)!;
  const request = native.countTokens!(messagesOf({ model: "m", messages: [] }, { model: name }));
  assert.equal(request.url, `${place}/count-tokens:rawPredict`);
  assert.deepEqual(JSON.parse(String(request.body)), {
    model,
    messages: [],
    anthropic_version: "vertex-2023-10-16",
  });
});

test("a link in Messages is another member's, also in the result of a tool", () => {
  const native = vertex.native("messages", settings, model)!;
  const picture = (source: object) => [{ type: "image", source }];
  const link = { type: "url", url: "https://x.test/a.png" };
  for (const [content, kind] of [
    [picture(link), "unsupported_parameter"],
    [[{ type: "tool_result", tool_use_id: "c1", content: picture(link) }], "unsupported_parameter"],
    [picture({ type: "base64", media_type: "image/png", data: "AAAA" }), "request"],
    ["https://x.test/a.png", "request"],
  ] as const)
    assert.equal(native.prepare(messagesOf({ messages: [{ role: "user", content }] })).kind, kind);
});

test("thoughts are Anthropic's own at Google's address, and a proxy's at another", () => {
  const sharedBy = (more: object) =>
    vertex.native("messages", { ...settings, ...more }, model)?.sealed?.sharedBy;
  assert.equal(sharedBy({}), "https://api.anthropic.com");
  assert.equal(sharedBy({ base_url: "http://one.test" }), "http://one.test");
  const api = claudeApi((name, method) => ({
    method: "POST",
    url: `${name}:${method}`,
    headers: {},
    body: null,
  }));
  const thoughts = [{ type: "thinking", thinking: "Hm.", signature: "c2lnbmVk/+0=" }];
  assert.deepEqual(api.sealed?.in({ messages: [{ role: "assistant", content: thoughts }] }), [
    "c2lnbmVk/+0=",
  ]);
});
