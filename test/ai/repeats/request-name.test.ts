// Which requests are the same one: the order of members and who asks do not count, everything else does.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { cacheSlot, canonicalBody, idempotencySlot } from "#ai/repeats/request-name.ts";
import { poolKey } from "../pools/pool-keys.ts";

const pool = { id: "pool_1", revision: 3, cache: { ttl_s: 60 } };
const how = { path: "/api/ai/v1/chat/completions", idempotencyKey: "once", skipsCache: false };
const requested = (text: string, stream = false) => {
  const body = JSON.parse(text);
  const read = { text, body, model: null, stream, includeUsage: false };
  return { kind: "chat" as const, ...read, api: new ChatCompletionsRequest(read) };
};
const asked = '{"model":"a","messages":[{"role":"user","content":"hi"}],"temperature":0.5}';
const cached = (text: string, more = {}, key = poolKey()) =>
  cacheSlot({ ...pool, ...more }, key, requested(text), how)?.name ?? null;
const keyed = (text: string, more = {}) => idempotencySlot(poolKey(), requested(text), { ...how, ...more });

test("the order of members and spaces do not count; values, their order in lists and large numbers do", () => {
  const same = '{ "temperature":5e-1, "messages":[{"content":"h\\u0069","role":"user"}], "model":"a" }';
  assert.equal(cached(same), cached(asked));
  assert.equal(keyed(same)?.fingerprint, keyed(asked)?.fingerprint);
  const bodies = [
    asked,
    asked.replace("0.5", "0.6"),
    asked.replace("0.5", "-0"),
    asked.replace("0.5", "0"),
    asked.replace("0.5", "12345678901234567890"),
    asked.replace("0.5", "12345678901234567891"),
    asked.replace("0.5", "1234567.1234567891"),
    asked.replace("0.5", "1234567.12345678911"),
    asked.replace("0.5", "123456789012345.671"),
    asked.replace("0.5", "123456789012345.672"),
    asked.replace("0.5", "1e400"),
    asked.replace("0.5", "1e401"),
    asked.replace("0.5", '"0.5"'),
    asked.replace("0.5", "[1,2]"),
    asked.replace("0.5", "[2,1]"),
    asked.replace("0.5", '{"__proto__":1}'),
    asked.replace("0.5", "{}"),
  ];
  assert.equal(new Set(bodies.map((text) => cached(text))).size, bodies.length);
  assert.equal(
    canonicalBody('{"b":1,"a":[{"d":null,"c":"é"}]}', { b: 1, a: [{ d: null, c: "é" }] }),
    '{"a":[{"c":"é","d":null}],"b":1}',
  );
});

test("a body over 1 MiB is compared as it came, which takes no time", () => {
  const long = "x".repeat(1024 * 1024);
  const [one, other] = [`{"a":1,"b":"${long}"}`, `{"b":"${long}","a":1}`];
  assert.equal(canonicalBody(other, JSON.parse(other)), other);
  assert.notEqual(keyed(one)?.fingerprint, keyed(other)?.fingerprint);
  assert.equal(keyed(one)?.fingerprint, keyed(one)?.fingerprint);
});

test("who asks does not count for the cache, but for the meaning of an Idempotency-Key", () => {
  const named = asked.replace(
    "}],",
    '}],"user":"ada","metadata":{"a":"b"},"store":true,"prompt_cache_key":"x",',
  );
  assert.equal(cached(named), cached(asked));
  assert.notEqual(keyed(named)?.fingerprint, keyed(asked)?.fingerprint);
  assert.equal(keyed(named)?.name, keyed(asked)?.name);
});

test("answers are of one key, its models, one pool as it is set now, one path and one way to be read", () => {
  const slots = [
    cached(asked),
    cached(asked, { id: "pool_2" }),
    cached(asked, { revision: 4 }),
    cached(asked, {}, poolKey({ id: "key_2" })),
    cached(asked, {}, poolKey({ models: ["a"] })),
    cacheSlot(pool, poolKey(), requested(asked, true), how)?.name,
    cacheSlot(pool, poolKey(), requested(asked), { ...how, path: "/api/ai/v1/messages" })?.name,
    cacheSlot(pool, poolKey(), { ...requested(asked), kind: "embeddings" }, how)?.name,
  ];
  assert.equal(new Set(slots).size, slots.length);
  assert.ok(!slots.includes(undefined));
  const names = [keyed(asked), keyed(asked, { path: "/x" }), keyed(asked, { idempotencyKey: "twice" })];
  assert.equal(new Set(names.map((slot) => slot?.name)).size, 3);
});

test("no cache: none is set, the request wants none, it is long, forwarded, or depends on what is not in it", () => {
  assert.equal(cached(asked, { cache: null }), null);
  assert.equal(cacheSlot(pool, poolKey(), requested(asked), { ...how, skipsCache: true }), null);
  assert.equal(cacheSlot(pool, poolKey(), { ...requested(asked), kind: "image" }, how), null);
  assert.equal(cached(asked.replace("hi", "x".repeat(1024 * 1024))), null);
  const withTools = (tools: string) => cached(asked.replace("}],", `}],"tools":[${tools}],`));
  for (const tool of [
    '{"type":"web_search"}',
    '{"type":"web_search_20250305","name":"web_search"}',
    '{"googleSearch":{}}',
    '{"type":"mcp","server_url":"https://mcp.test"}',
  ])
    assert.equal(withTools(tool), null, tool);
  for (const tool of [
    '{"type":"function","function":{"name":"f"}}',
    '{"type":"custom","name":"f"}',
    '{"name":"f","input_schema":{}}',
    '{"functionDeclarations":[]}',
  ])
    assert.notEqual(withTools(tool), null, tool);
  for (const member of [
    '"web_search_options":{}',
    '"search_parameters":{"mode":"auto"}',
    '"previous_response_id":"resp_1"',
    '"prompt":{"id":"pmpt_1"}',
    '"cachedContent":"cachedContents/1"',
    '"cached_content":"cachedContents/1"',
  ])
    assert.equal(cached(asked.replace("}],", `}],${member},`)), null, member);
});

test("an Idempotency-Key keeps answers a day, also of forms, by the contents of their files", () => {
  assert.equal(keyed(asked, { idempotencyKey: null }), null);
  assert.equal(keyed(asked)?.ttlMs, 86_400_000);
  const form = (text: string) => ({
    boundary: String(Math.random()),
    parts: [{ name: "file", filename: "a.wav", bytes: Buffer.from(text) }],
  });
  const [one, again, other] = ["a", "a", "b"].map(
    (text) =>
      idempotencySlot(poolKey(), { ...requested("{}"), kind: "transcription", form: form(text) }, how)
        ?.fingerprint,
  );
  assert.equal(one, again);
  assert.notEqual(one, other);
});
