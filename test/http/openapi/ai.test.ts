// What the OpenAPI document says of the AI endpoints' errors: every code of ours, with an example that is one.

import assert from "node:assert/strict";
import test from "node:test";
import { errorShapeOf } from "#ai/apis/apis.ts";
import { geminiErrorReply } from "#ai/apis/gemini/shapes.ts";
import { anthropicErrorReply } from "#ai/apis/messages/shapes.ts";
import { openaiErrorReply } from "#contract/ai/chat-shapes.ts";
import { aiProblems } from "#contract/ai/openai-error.ts";
import { endpoints } from "#http/endpoints.ts";
import { errorHeaders, poolReplies, servedHeaders } from "#http/openapi/ai.ts";
import { sharedResponses } from "#http/openapi/errors.ts";

interface Reply {
  description: string;
  headers: Record<string, unknown>;
  content: { "application/json": { schema: object; examples?: Record<string, { value: unknown }> } };
}

const pooled = endpoints.map(({ head }) => head).filter(({ family }) => family === "pool");

/** The error replies of an operation, with their references followed. */
function repliesOf(name: string): Record<string, Reply> {
  const { responses, share } = sharedResponses();
  const replies = poolReplies(pooled.find((head) => head.name === name)!, share);
  const entries = Object.entries(replies).map(([status, reply]) => {
    const { $ref } = reply as { $ref: string };
    return [status, responses[$ref.split("/").at(-1)!] as unknown as Reply];
  });
  return Object.fromEntries(entries);
}

test("a completion may meet every error but those that come before any endpoint", () => {
  const replies = repliesOf("createChatCompletion");
  for (const [code, { status }] of Object.entries(aiProblems)) {
    const isDocumented = replies[status]?.description.includes(`\`${code}\``) === true;
    const elsewhere = ["unknown_url", "method_not_allowed", "completion_not_found", "completion_ended"];
    assert.equal(isDocumented, !elsewhere.includes(code), code);
  }
  for (const status of ["502", "504"]) assert.ok(replies[status], status);
});

test("every example has the shape that it is an example of, and its own status", () => {
  for (const { name, path } of pooled) {
    for (const [status, reply] of Object.entries(repliesOf(name))) {
      assert.ok("X-Request-Id" in reply.headers);
      for (const [code, { value }] of Object.entries(reply.content["application/json"].examples ?? {})) {
        if (errorShapeOf(path).name === "Anthropic") anthropicErrorReply.parse(value);
        else if (errorShapeOf(path).name === "Gemini") geminiErrorReply.parse(value);
        else assert.equal(openaiErrorReply.parse(value).error.code, code);
        assert.equal(String(aiProblems[code as keyof typeof aiProblems].status), status);
      }
    }
  }
});

test("what is only read has no errors of bodies and providers", () => {
  assert.deepEqual(Object.keys(repliesOf("listModels")).sort(), ["400", "401", "500", "503"]);
  assert.deepEqual(Object.keys(repliesOf("getModel")).sort(), ["401", "404", "500", "503"]);
  assert.deepEqual(Object.keys(repliesOf("cancelDeferredCompletion")).sort(), [
    "401",
    "404",
    "409",
    "500",
    "503",
  ]);
});

test("the headers that clients look for are sent", () => {
  const replies = repliesOf("createEmbedding");
  assert.ok("WWW-Authenticate" in replies[401]!.headers);
  assert.ok("Retry-After" in replies[429]!.headers && "retry-after-ms" in replies[429]!.headers);
  for (const name of [
    "X-Service-Pool-Provider",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
  ])
    assert.ok(name in servedHeaders, name);
  for (const name of ["WWW-Authenticate", "retry-after-ms"]) assert.ok(name in errorHeaders, name);
});
