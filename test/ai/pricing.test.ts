// What a call costs: whose price, of which tokens.

import assert from "node:assert/strict";
import test from "node:test";
import type { AttemptRecord } from "#ai/failover/call.ts";
import { callCost } from "#ai/pricing.ts";
import { costText } from "#contract/cost.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Usage } from "#providers/provider.ts";
import { sandbox } from "#providers/sandbox/sandbox.ts";

const usage: Usage = { promptTokens: 10_000, completionTokens: 100, totalTokens: 10_100 };
const openai = (settings: object) => ({
  name: "main",
  aliases: {},
  price: null,
  prices: {},
  provider: openaiCompatible,
  settings: openaiCompatible.settings.parse(settings),
});
const own = openai({ base_url: "https://unlisted.test/v1" });
const cost = (member: object, model = "m", more: Partial<Usage> = {}, attempts: AttemptRecord[] = []) => {
  const members = [
    { ...own, ...member },
    { ...own, name: "other", price: { input: 3, output: 9 } },
  ];
  const priced = callCost({ members }, { member: "main", model, attempts, usage: { ...usage, ...more } });
  return priced && [costText(priced), priced.source];
};

test("the model's price comes before the member's, that before the list; no price is no cost", () => {
  const price = { input: 1, output: 2 };
  assert.deepEqual(cost({ price }), ["0.0102", "set"]);
  assert.deepEqual(cost({ price, prices: { m: { input: 2, output: 2 } } }), ["0.0202", "set"]);
  assert.deepEqual(cost({ aliases: { mini: "m" }, prices: { mini: price } }), ["0.0102", "set"]);
  assert.equal(cost({}), null);
  assert.deepEqual(cost({ provider: sandbox }), ["0", "list"], "the sandbox costs nothing");
  assert.deepEqual(cost({ provider: sandbox, price }), ["0.0102", "set"]);
  const listed = openai({});
  assert.deepEqual(cost(listed, "gpt-5-mini"), ["0.0027", "list"]);
  assert.deepEqual(cost({ ...listed, price }, "gpt-5-mini"), ["0.0102", "set"]);
  assert.equal(cost(listed, "my-own"), null);
});

test("list prices are those of the vendor itself: at its own address, and at Azure under an alias", () => {
  assert.equal(cost(openai({ base_url: "https://other.test/v1" }), "gpt-5-mini"), null);
  const azure = openai({ vendor: "azure-openai", base_url: "https://mine.openai.azure.com/openai/v1" });
  assert.deepEqual(cost({ ...azure, aliases: { "gpt-5-mini": "prod" } }, "prod"), ["0.0027", "list"]);
  const claude = { ...own, provider: anthropic, settings: anthropic.settings.parse({ api_key: "k" }) };
  assert.deepEqual(cost(claude, "claude-sonnet-4-5", { cachedTokens: 4_000, cacheWriteTokens: 1_000 }), [
    "0.02145",
    "list",
  ]);
  const google = { ...own, provider: gemini, settings: gemini.settings.parse({ api_key: "k" }) };
  assert.equal(cost(google, "gemini-2.5-flash")?.[1], "list");
  for (const [vendor, provider, model] of [
    [claude, anthropic, "claude-sonnet-4-5"],
    [google, gemini, "gemini-2.5-flash"],
  ] as const) {
    const proxied = provider.settings.parse({ api_key: "k", base_url: "https://proxy.test" });
    assert.equal(
      cost({ ...vendor, settings: proxied }, model),
      null,
      "who is behind it may charge otherwise",
    );
  }
});

test("cached tokens have their price, by default that of input", () => {
  const price = { input: 0.1, output: 0.4, cached_input: 0.01, cache_write: 0.125 };
  assert.deepEqual(cost({ price }, "m", { cachedTokens: 9_900 }), ["0.000149", "set"]);
  assert.deepEqual(cost({ price }, "m", { cacheWriteTokens: 10_000 }), ["0.00129", "set"]);
  assert.deepEqual(cost({ price: { input: 0.1, output: 0.4 } }, "m", { cachedTokens: 9_900 }), [
    "0.00104",
    "set",
  ]);
  assert.deepEqual(
    cost({ price }, "m", { cachedTokens: 99_999 }),
    ["0.00014", "set"],
    "no more than the prompt",
  );
  assert.deepEqual(cost({ price: { input: 0.02, output: 0 } }, "m", { promptTokens: 20 }), [
    "0.0000004",
    "set",
  ]);
});

test("what was written to a cache for an hour has its price, by default 1.6 times that of five minutes", () => {
  const price = { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 };
  const written = { completionTokens: 0, cacheWriteTokens: 10_000, cacheWriteHourTokens: 4_000 };
  assert.deepEqual(cost({ price }, "m", written), ["0.0465", "set"]);
  assert.deepEqual(cost({ price: { ...price, cache_write_1h: 7 } }, "m", written), ["0.0505", "set"]);
  assert.deepEqual(cost({ price: { input: 3, output: 15 } }, "m", written), ["0.03", "set"]);
  const claude = { ...own, provider: anthropic, settings: anthropic.settings.parse({ api_key: "k" }) };
  assert.deepEqual(cost(claude, "claude-opus-5", written), ["0.0775", "list"]);
});

test("a file of prices takes the place of the list", () => {
  const prices = { date: "2026-11-01", source: "mine", prices: { openai: { m: { input: 1, output: 0 } } } };
  const outcome = { member: "main", model: "m", attempts: [], usage };
  const members = [openai({})];
  assert.equal(callCost({ members }, outcome), null);
  assert.equal(costText(callCost({ members }, outcome, prices)!), "0.01");
});

test("the input of a request that was given up for another one is billed, at its own price", () => {
  const attempt = (member: string, more: Partial<AttemptRecord>): AttemptRecord => ({
    member,
    model: "m",
    started_ms: 0,
    ms: 1,
    outcome: "aborted",
    status: null,
    ...more,
  });
  const won = attempt("main", { outcome: "ok", status: 200 });
  const price = { input: 1, output: 2 };
  assert.deepEqual(cost({ price }, "m", {}, [attempt("other", { given_up: true }), won]), ["0.0402", "set"]);
  assert.deepEqual(cost({ price }, "m", {}, [attempt("other", {}), won]), ["0.0102", "set"]);
});

test("all tokens of a call with a long prompt have the prices of long prompts, also where it was given up", () => {
  const long_prompt = { above: 10_000, input: 2, output: 4 };
  const price = { input: 1, output: 2, cached_input: 0.1, long_prompt };
  const at = (promptTokens: number, more: Partial<Usage> = {}) =>
    cost({ price }, "m", { promptTokens, completionTokens: 1_000, ...more })?.[0];
  assert.equal(at(10_000), "0.012");
  assert.equal(at(10_001), "0.024002");
  assert.equal(at(10_000, { cachedTokens: 10_000 }), "0.003");
  assert.equal(
    at(10_001, { cachedTokens: 10_001 }),
    "0.024002",
    "without a price for what is cached, that of input",
  );
  const openais = openai({});
  const listed = (promptTokens: number) =>
    cost(openais, "gpt-5.4", { promptTokens, completionTokens: 0 })?.[0];
  assert.deepEqual([listed(271_999), listed(272_000)], ["0.6799975", "1.36"]);
  const attempt = { member: "main", model: "m", started_ms: 0, ms: 1, status: null, given_up: true } as const;
  const attempts = [{ ...attempt, outcome: "aborted" } as const];
  assert.equal(cost({ price }, "m", { promptTokens: 20_000, completionTokens: 0 }, attempts)?.[0], "0.08");
});
