// Whom a key may ask whose budget refuses models without a known price.

import assert from "node:assert/strict";
import test from "node:test";
import { MemberHealth } from "#ai/health/health.ts";
import type { Member } from "#ai/pools/member.ts";
import { modelsFor } from "#ai/pools/operation-models.ts";
import { eligibleMembers, embeddingMembers } from "#ai/pools/pool.ts";
import { pricedMembers, pricedOnlyBy } from "#ai/priced-members.ts";
import { memberRules } from "#contract/manage/pools/members.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { budgetOf } from "./pools/pool-keys.ts";

const price = { input: 1, output: 2 };

/** A member at an address without list prices. */
function member(name: string, rules: object): Member {
  const settings = openaiCompatible.settings.parse({ base_url: "https://unlisted.test/v1" });
  const own = {
    id: name,
    name,
    provider: openaiCompatible,
    settings,
    keys: null,
    health: new MemberHealth(),
  };
  return { ...own, ...memberRules.parse(rules) };
}

const unpriced = member("unpriced", { models: ["shared", "rare"] });
const priced = member("priced", { models: ["shared", "own"], price });
const mixed = member("mixed", { models: ["rare", "cheap"], prices: { cheap: price } });
const named = member("named", { models: ["mine"], aliases: { rare: "mine" }, prices: { rare: price } });
const listed = {
  ...member("listed", { models: ["gpt-5-mini", "gpt-unheard-of"] }),
  settings: openaiCompatible.settings.parse({}),
};

const cases: [string, Member[], { model?: string; strict?: true; allowed?: string[] }, string[] | string][] =
  [
    ["the other member", [unpriced, priced], {}, ["priced:shared"]],
    ["the same model elsewhere", [unpriced, priced], { model: "shared" }, ["priced:shared"]],
    ["a substitute for a model without a price", [unpriced, priced], { model: "rare" }, ["priced:shared"]],
    ["no substitute in a strict pool", [unpriced, priced], { model: "rare", strict: true }, "unpriced rare"],
    ["another model of the member", [mixed], {}, ["mixed:cheap"]],
    ["also for a name that means the pool", [mixed], { model: "gpt-unheard-of" }, ["mixed:cheap"]],
    ["no other model for one that is named", [mixed], { model: "rare" }, "unpriced rare"],
    ["a price under an alias", [named], {}, ["named:mine"]],
    ["a list price", [listed], {}, ["listed:gpt-5-mini"]],
    ["a model that is not listed", [listed], { model: "gpt-unheard-of" }, "unpriced gpt-unheard-of"],
    ["no member", [unpriced], {}, "unpriced shared"],
    ["what the key may not use", [unpriced, priced], { model: "own", allowed: ["rare"] }, "unknown_model"],
    ["no priced model that the key may use", [unpriced, priced], { allowed: ["rare"] }, "unpriced rare"],
    ["an unknown model in a strict pool", [unpriced], { model: "none", strict: true }, "unknown_model"],
    ["a pool without members", [], {}, []],
  ];

test("members whose model has a known price are left, and where there are none, the model is named", () => {
  for (const [words, members, { model = null, strict = false, allowed = null }, expected] of cases) {
    const request = { model, poolName: "pool", strict, allowed };
    const found = pricedMembers(eligibleMembers, members, request, modelsFor("chat"));
    const shown =
      found.kind === "choices"
        ? found.choices.map((choice) => `${choice.member.name}:${choice.model}`)
        : found.kind === "unpriced"
          ? `unpriced ${found.model}`
          : found.kind;
    assert.deepEqual(shown, expected, words);
  }
});

test("embeddings of a named model are made by no other, whose vectors would not fit", () => {
  const members = [
    member("unpriced", { embedding_models: ["small"] }),
    member("priced", { embedding_models: ["large"], price, priority: 2 }),
  ];
  const found = (model: string | null) =>
    pricedMembers(
      embeddingMembers,
      members,
      { model, poolName: "pool", strict: false, allowed: null },
      modelsFor("embeddings"),
    );
  assert.deepEqual(found("small"), { kind: "unpriced", model: "small" });
  const whole = found(null);
  assert.ok(whole.kind === "choices");
  assert.deepEqual(
    whole.choices.map(({ model }) => model),
    ["large"],
  );
});

test("the first budget of cost that refuses says whose it is", () => {
  const refusing = { cost_per_month: 1, unpriced: "refuse" } as const;
  for (const [budgets, expected] of [
    [[], null],
    [[budgetOf("k", refusing, "key"), budgetOf("p", refusing, "pool")], "key"],
    [[budgetOf("k", { ...refusing, unpriced: "allow" }), budgetOf("p", refusing, "pool")], "pool"],
    [[budgetOf("k", { ...refusing, cost_per_month: null, tokens_per_day: 1 })], null],
    [[budgetOf("a", refusing, "account")], "account"],
    [[budgetOf("a", { cost_per_month: 1 }, "account")], null],
  ] as const)
    assert.equal(pricedOnlyBy({ budgets }), expected, JSON.stringify(budgets));
});
