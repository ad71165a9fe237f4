// Which headers of a client reach a member of its own format.

import assert from "node:assert/strict";
import test from "node:test";
import { clientApis } from "#ai/apis/apis.ts";
import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";

const responses = {
  "openai-beta": "responses=v1",
  "session-id": "s",
  "thread-id": "t",
  "x-client-request-id": "r",
  originator: "codex_exec",
  "x-openai-internal-codex-responses-lite": "true",
  "x-codex-turn-state": "state",
};
const kept: Readonly<Record<string, Record<string, string>>> = {
  chat_completions: {},
  completions: {},
  gemini: {},
  messages: {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "a,b",
    "x-client-request-id": "r",
    "x-app": "cli",
    "x-claude-code-session-id": "c",
  },
  responses,
  compaction: responses,
};
const dropped = {
  authorization: "Bearer x",
  "x-api-key": "x",
  "api-key": "x",
  "x-goog-api-key": "x",
  cookie: "a=b",
  host: "h",
  "openai-organization": "o",
  "openai-project": "p",
  "x-trunkline-tags": "a=b",
  "x-forwarded-for": "1.2.3.4",
  "user-agent": "cli",
  "content-length": "3",
};

test("what the clients of an API say to its vendor is forwarded; credentials and the gateway's own headers are not", () => {
  const headers = { ...kept.messages, ...kept.responses, ...dropped, "x-codex-window-id": undefined };
  for (const api of clientApis) {
    const read = { text: "{}", body: {}, model: null, stream: false, includeUsage: false };
    const request = api.request(read, { headers, stem: "stem", created: 1, query: new URLSearchParams() });
    assert.deepEqual({ ...request.headers }, kept[request.format], request.format);
  }
});

test("a header that came twice is forwarded as one", () => {
  assert.deepEqual(forwardedHeaders({ "x-codex-a": ["b", "c"] }, new Set(), ["x-codex-"]), {
    "x-codex-a": "b, c",
  });
});
