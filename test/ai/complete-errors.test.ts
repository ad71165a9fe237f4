// Errors as their caller sees them where the pool itself is the reason: statuses that clients do not repeat.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { type CallOutcome, complete } from "#ai/complete.ts";
import type { Member } from "#ai/pools/member.ts";
import { poolOf } from "./completing.ts";
import { answered, json, type Reply, type Script, script } from "./scripted-members.ts";

async function errorOf(it: Script, members: Member[], kind: "chat" | "embeddings") {
  const body = kind === "chat" ? { messages: [] } : { input: "x" };
  const spent: CallOutcome[] = [];
  const read = { text: JSON.stringify(body), body, model: null, stream: false, includeUsage: false };
  const request = { kind, ...read, api: new ChatCompletionsRequest(read) };
  const completed = await complete(
    it.deps,
    poolOf(members),
    { ...request, allowedModels: null, promptTokens: 1 },
    new AbortController().signal,
    (one) => spent.push(one),
  );
  assert.equal(completed.kind, "error");
  assert.deepEqual(
    spent.map(({ status }) => status),
    [completed.kind === "error" && completed.status],
  );
  return completed as Extract<typeof completed, { kind: "error" }>;
}

test("embeddings of a pool without embedding models: a 400 that says so, and no member is asked", async () => {
  const it = script();
  const { status, error, served } = await errorOf(it, [it.member("chats", [answered()])], "embeddings");
  assert.deepEqual(
    [status, error.code, error.type, served],
    [400, "no_embeddings", "invalid_request_error", null],
  );
  assert.match(error.message, /embedding models/);
  assert.deepEqual(it.names(), []);
});

test("of a pool whose only member with such models is switched off: a 503, since it may come back", async () => {
  const it = script();
  const off = it.member("off", [], { embedding_models: ["embed"], active: false });
  const { status, error } = await errorOf(it, [off], "embeddings");
  assert.deepEqual([status, error.code], [503, "no_member"]);
});

test("a request that no member can serve: the vendor's status, and a 413 where that was a 429", async () => {
  const refused = (status: number, message: string): Reply => json({ error: { message } }, status);
  for (const [reply, status] of [
    [refused(404, "No endpoints found that support image input"), 404],
    [refused(413, "Request too large for m: Limit 1, Requested 2"), 413],
    [refused(429, "Request too large for m: Limit 1, Requested 2"), 413],
    [json({ error: { message: "Request too large for m", code: "rate_limit_exceeded" } }), 400],
  ] as const) {
    const it = script();
    assert.equal((await errorOf(it, [it.member("only", [reply])], "chat")).status, status);
  }
});
