// The `Allow` of a 405, and the paths that exist with no method at all.

import assert from "node:assert/strict";
import test from "node:test";
import { createAllow } from "#http/allow.ts";
import { endpoints } from "#http/endpoints.ts";

const allow = createAllow(endpoints);

test("a path that exists names its methods to another one alone", () => {
  for (const [method, path, methods] of [
    ["GET", "/api/ai/v1/chat/completions", "POST"],
    ["POST", "/api/ai/v1/chat/completions", null],
    ["DELETE", "/api/ai/v1/responses/resp_1", "GET, HEAD"],
    ["DELETE", "/api/ai/v1/models/openai/gpt-4o", "GET, HEAD"],
    ["PUT", "/api/ai/v1/models/m/?a=1", "GET, HEAD"],
    ["POST", "/api/ai/v1/models", "GET, HEAD"],
    ["GET", "/api/ai/v1/files", null],
  ] as const)
    assert.equal(allow(method, path), methods, `${method} ${path}`);
});

test("an operation that a model does not have is no model that could be read", () => {
  for (const path of ["/api/ai/v1beta/models/m:predict", "/api/ai/v1/models/a/b:batchGenerateContent"])
    assert.equal(allow("POST", path), null, path);
  assert.equal(allow("PUT", "/api/ai/v1beta/models/m:generateContent"), "POST");
});
