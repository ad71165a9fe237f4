// Counting without serving: the member's number, or the estimate. Over real connections: test/http/routes/ai.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import type { Opened } from "#ai/pools/pools.ts";
import { createTokenCounter } from "#ai/token-counter.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import type { Provider } from "#providers/provider.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { poolOf } from "./completing.ts";
import { json, type Reply, script } from "./scripted-members.ts";

const body = { model: "claude", messages: [{ role: "user", content: "Hello there!" }] };
const text = JSON.stringify(body);

async function counted(
  replies: readonly Reply[],
  allowed: readonly string[] | null = null,
  strict = false,
  provider: Provider = anthropic,
) {
  const it = script();
  const settings = anthropic.settings.parse({ api_key: "sk-ant-1", base_url: "https://claude.test" });
  const member = it.member("claude", replies, { provider, settings, models: ["claude"] });
  const pool = poolOf([member], { strict_models: strict });
  const opened = { pool, key: { models: allowed } } as unknown as Opened;
  const api = createMessagesRequest({ text, body, headers: {} }, "stem");
  const request = {
    kind: "chat" as const,
    text,
    body,
    api,
    model: "claude",
    stream: false,
    includeUsage: false,
  };
  const counter = createTokenCounter({ clock: it.clock, upstreams: it.deps.upstreams });
  const tokens = await counter.count(opened, request, new LightAbortController());
  return { tokens, asked: it.asked, health: member.health.availability(it.clock.monotonic()).kind };
}

test("the member's own count", async () => {
  const { tokens, asked } = await counted([json({ input_tokens: 42 })]);
  assert.equal(tokens, 42);
  assert.match(asked[0]!.request.url, /\/v1\/messages\/count_tokens$/);
});

test("a request that its vendor wants signed is signed, and the key stays here", async () => {
  const awsKey = { accessKeyId: "a", secretAccessKey: "b", region: "c", service: "d" };
  const signing: Provider = {
    ...anthropic,
    native: (format, settings) => {
      const native = anthropic.native(format, settings, "m")!;
      return { ...native, countTokens: (asked) => ({ ...native.countTokens!(asked), awsKey }) };
    },
  };
  const { tokens, asked } = await counted([json({ input_tokens: 42 })], null, false, signing);
  assert.equal(tokens, 42);
  assert.match(asked[0]?.request.headers.authorization ?? "", /^AWS4-HMAC-SHA256 /);
  assert.ok(!("awsKey" in asked[0]!.request));
});

test("the estimate where it does not say, without harm to its health", async () => {
  for (const reply of [
    json({ error: {} }, 500),
    json({ input_tokens: "many" }),
    json([]),
    { failed: "unreachable" } as const,
  ]) {
    const { tokens, health } = await counted([reply]);
    assert.equal(tokens, 6);
    assert.equal(health, "up");
  }
});

test("a model that the key may not use has no number", async () => {
  const { tokens, asked } = await counted([json({ input_tokens: 42 })], ["another"]);
  assert.equal(tokens, null);
  assert.equal(asked.length, 0);
});
