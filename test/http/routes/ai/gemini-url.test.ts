// The slashes of a model in the paths of Google's operations, and of nothing else.

import assert from "node:assert/strict";
import test from "node:test";
import { geminiUrl } from "#http/routes/ai/gemini-url.ts";

for (const [url, expected] of [
  ["v1beta/models/a/b:generateContent", "v1beta/models/a%2Fb:generateContent"],
  ["v1/models/a/b/c:free:countTokens?key=a/b:c", "v1/models/a%2Fb%2Fc:free:countTokens?key=a/b:c"],
  ["v1/models/a//b:countTokens/", "v1/models/a%2F%2Fb:countTokens/"],
  ["v1beta/models/a%2Fb/c:embedContent#x", "v1beta/models/a%2Fb%2Fc:embedContent#x"],
] as const)
  test(`${url} is ${expected}`, () => assert.equal(geminiUrl(`/api/ai/${url}`), `/api/ai/${expected}`));

for (const path of [
  "/api/ai/v1beta/models/a:generateContent?alt=a/b:c",
  "/api/ai/v1beta/models/a/b",
  "/api/ai/v1/models/:generateContent",
  "/api/ai/v1/models/a:b/c",
  "/api/ai/v1/chat/completions",
  "/api/ai/v2/models/a/b:generateContent",
  "/",
])
  test(`${path} stays as it is`, () => assert.equal(geminiUrl(path), path));
