// What may be said of pools: the defaults that the documentation names, and names that are safe in headers.

import assert from "node:assert/strict";
import test from "node:test";
import { keyChanges, keyFields } from "#contract/manage/pools/keys.ts";
import { memberChanges, memberFields } from "#contract/manage/pools/members.ts";
import { poolChanges, poolInput } from "#contract/manage/pools/pools.ts";

test("the defaults are the documented ones", () => {
  const pool = poolInput.parse({
    name: "default",
    members: [{ name: "one", kind: "sandbox", models: ["echo"] }],
    keys: [{ name: "app" }],
  });
  const { members, keys, ...rest } = pool;
  assert.deepEqual(rest, {
    name: "default",
    strict_models: false,
    answer_model: "pool",
    stream_mode: "live",
    headers_after_ms: 20_000,
    deadline_ms: 600_000,
    repeat: 1,
    wait_ms: 0,
    params: "adapt",
    affinity: "prefix",
    whole_answers: "forward",
    timeouts: { answer_ms: null },
    hedge: null,
    cache: null,
    content_log: null,
    budget: {
      tokens_per_day: null,
      tokens_per_month: null,
      cost_per_month: null,
      unpriced: null,
      low_percent: 80,
    },
  });
  assert.deepEqual(members, [
    {
      name: "one",
      kind: "sandbox",
      models: ["echo"],
      embedding_models: [],
      image_models: [],
      speech_models: [],
      transcription_models: [],
      moderation_models: [],
      rerank_models: [],
      aliases: {},
      context_tokens: null,
      price: null,
      prices: {},
      settings: {},
      priority: 1,
      weight: 1,
      active: true,
      timeouts: {
        connect_ms: 5_000,
        headers_ms: 60_000,
        first_token_ms: 120_000,
        idle_ms: 30_000,
        thinking_ms: 600_000,
        total_ms: null,
      },
    },
  ]);
  assert.deepEqual(keys, [
    {
      name: "app",
      models: null,
      limits: { requests_per_minute: null, tokens_per_minute: null, concurrency: null },
      budget: { tokens_per_day: null, tokens_per_month: null, cost_per_month: null, unpriced: null },
      expires_at: null,
    },
  ]);
});

test("the example of the contract is taken", () => {
  const member = {
    name: "primary",
    kind: "openai-compatible",
    models: ["gpt-4o-mini"],
    settings: { base_url: "http://127.0.0.1:9100/v1", api_key: "sk-x" },
    priority: 1,
    weight: 1,
  };
  const limits = { requests_per_minute: 600, tokens_per_minute: null, concurrency: null };
  const key = { name: "app", key: "tlp_0123456789abcdef0123456789abcdef", limits, models: null };
  assert.ok(poolInput.safeParse({ name: "default", members: [member], keys: [key] }).success);
});

test("what goes into headers and answers is plain text", () => {
  const names = ["", "a\r\nx: y", "ü", "a b", "-a", "a".repeat(101), 7];
  for (const name of names) {
    assert.equal(poolInput.safeParse({ name }).success, false, String(name));
    assert.equal(memberFields.safeParse({ name, kind: "sandbox" }).success, false, String(name));
  }
  for (const name of ["gpt-4o", "a", "openai/gpt:1", "A_b@c+d.e"])
    assert.ok(poolInput.safeParse({ name }).success, name);
  for (const model of ["", "a b", "a\n", "ü", "m".repeat(201)])
    assert.equal(
      memberFields.safeParse({ name: "a", kind: "sandbox", models: [model] }).success,
      false,
      model,
    );
  assert.equal(memberFields.safeParse({ name: "a", kind: "x", models: ["m", "m"] }).success, false);
  for (const name of ["a\u0000", "a\nb", "\ud800", ""])
    assert.equal(keyFields.safeParse({ name }).success, false, JSON.stringify(name));
  assert.ok(keyFields.safeParse({ name: "Müllers Schlüssel 🔑" }).success);
});

test("numbers have bounds, keys a least length, and unknown fields are refused", () => {
  const member = { name: "a", kind: "sandbox" };
  for (const bad of [
    { weight: 0 },
    { weight: 1.5 },
    { priority: -1 },
    { context_tokens: 0 },
    { price: { input: -1, output: 1 } },
    { price: { input: 1 } },
    { timeouts: { connect_ms: 0 } },
    { timeouts: { other: 1 } },
    { other: 1 },
  ])
    assert.equal(memberFields.safeParse({ ...member, ...bad }).success, false, JSON.stringify(bad));
  for (const bad of [
    { key: "x".repeat(31) },
    { key: `${"x".repeat(31)} ` },
    { models: [] },
    { limits: { requests_per_minute: 0 } },
    { budget: { cost_per_month: 0 } },
    { expires_at: "2027-01-01" },
    { other: 1 },
  ])
    assert.equal(keyFields.safeParse({ name: "a", ...bad }).success, false, JSON.stringify(bad));
  for (const bad of [{ deadline_ms: 10 }, { stream_mode: "dead" }, { members: [{ ...member, weight: 0 }] }])
    assert.equal(poolInput.safeParse({ name: "a", ...bad }).success, false, JSON.stringify(bad));
});

test("a change fills nothing in, and leaves names and texts alone", () => {
  for (const changes of [poolChanges, memberChanges, keyChanges]) assert.deepEqual(changes.parse({}), {});
  assert.deepEqual(memberChanges.parse({ timeouts: { idle_ms: 100 } }), { timeouts: { idle_ms: 100 } });
  assert.deepEqual(keyChanges.parse({ limits: {}, budget: { tokens_per_day: null } }), {
    limits: {},
    budget: { tokens_per_day: null },
  });
  assert.equal(memberChanges.safeParse({ name: "b" }).success, false);
  assert.equal(keyChanges.safeParse({ name: "b" }).success, false);
  assert.equal(keyChanges.safeParse({ key: "x".repeat(40) }).success, false);
  assert.equal(poolChanges.safeParse({ members: [] }).success, false);
});
