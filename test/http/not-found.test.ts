// Answers to requests that no route takes: by the path, the method, and whose errors the client reads.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { createNotFound, isAi } from "#http/not-found.ts";

const notFound = createNotFound(endpoints, null);
const answer = (method: string, url: string, headers: Record<string, string> = {}) => {
  const reply = notFound({ method, url, headers } as unknown as IncomingMessage, "req_1");
  return { status: reply.status, text: JSON.stringify(reply) };
};

test("paths of the AI endpoints are found in any spelling", () => {
  for (const [url, expected] of [
    ["/api/ai/v1/models", true],
    ["/%61pi/a%69", true],
    ["http://host:1/api/ai?x", true],
    ["/api/aix", false],
    ["/api/%zz", false],
    ["/", false],
    [undefined, false],
  ] as const)
    assert.equal(isAi(url), expected, String(url));
});

test("a known path with another method is 405, an unknown one 404, each in the shape that its client reads", () => {
  for (const [method, url, status, words] of [
    ["DELETE", "/api/ai/v1/models", 405, /"error"/],
    ["POST", "/api/ai/v1/nothing", 404, /unknown_url/],
    ["DELETE", "/api/manage/v1/pools", 404, /not found/i],
    ["PUT", "/health/live", 405, /GET/],
    ["GET", "/nothing", 404, /not found/i],
    // What OpenAI's clients ask with a base URL that lacks a part.
    ["POST", "/v1/chat/completions", 404, /unknown_url/],
  ] as const) {
    const found = answer(method, url);
    assert.equal(found.status, status, url);
    assert.match(found.text, words, url);
  }
});
