// Which headers of a client reach a member of its own format.

import assert from "node:assert/strict";
import test from "node:test";
import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";

test("what the format's clients tell its vendor travels; credentials and the gateway's own headers do not", () => {
  const kept = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "a,b",
    "openai-beta": "responses=v1",
    "session-id": "s",
    "thread-id": "t",
    "x-client-request-id": "r",
    originator: "codex_exec",
    "x-app": "cli",
    "x-openai-internal-codex-responses-lite": "true",
    "x-codex-turn-state": "state",
    "x-claude-code-session-id": "c",
  };
  const dropped = {
    authorization: "Bearer x",
    "x-api-key": "x",
    "api-key": "x",
    cookie: "a=b",
    host: "h",
    "openai-organization": "o",
    "openai-project": "p",
    "x-trunkline-tags": "a=b",
    "x-forwarded-for": "1.2.3.4",
    "user-agent": "cli",
    "content-length": "3",
  };
  assert.deepEqual(forwardedHeaders({ ...kept, ...dropped, "x-codex-window-id": undefined }), kept);
  assert.deepEqual(forwardedHeaders({ "x-codex-a": ["b", "c"] }), { "x-codex-a": "b, c" });
});
