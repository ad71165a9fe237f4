// A configuration of the LiteLLM proxy, part by part.

import assert from "node:assert/strict";
import test from "node:test";
import { importConfig } from "#command-line/import/litellm-config.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";

const deployment = (model_name: string, model: string, more: object = {}, model_info: object = {}) => ({
  model_name,
  litellm_params: { model, api_key: "os.environ/KEY", ...more },
  model_info,
});
function imported(config: object) {
  const { pool, variables, notes } = importConfig(config, "default");
  const filled = JSON.stringify(pool).replaceAll(/\$\{\w+\}/g, "x".repeat(40));
  const checked = poolInput.safeParse(JSON.parse(filled));
  assert.ok(checked.success, JSON.stringify(checked.error?.issues));
  const { members, keys, ...rules } = pool as {
    members: Record<string, unknown>[];
    keys: Record<string, unknown>[];
    [rule: string]: unknown;
  };
  return { members, key: keys[0]!, rules, variables, paths: notes.map(({ path }) => path), notes };
}

test("fallbacks are members of a later priority under the name of the model that failed, also in a circle", () => {
  const model_list = [deployment("a", "openai/a"), deployment("b", "anthropic/b"), deployment("c", "groq/c")];
  const byName = (config: object) => {
    const { members, paths } = imported({ model_list, ...config });
    const fallbacks = members
      .filter(({ name }) => String(name).includes("-fallback"))
      .map(({ name, aliases, priority }) => [name, aliases, priority]);
    return { fallbacks, paths };
  };
  assert.deepEqual(byName({ router_settings: { fallbacks: [{ a: ["b", "c"] }, { b: ["a"] }] } }), {
    fallbacks: [
      ["anthropic-fallback", { a: "b" }, 2],
      ["groq-fallback", { a: "c" }, 3],
      ["openai-fallback", { b: "a" }, 2],
    ],
    paths: [],
  });
  for (const general of [
    { litellm_settings: { default_fallbacks: ["c"] } },
    { router_settings: { fallbacks: [{ "*": ["c"] }] } },
  ])
    assert.deepEqual(byName(general), { fallbacks: [["groq-fallback", { a: "c", b: "c" }, 2]], paths: [] });
  assert.deepEqual(byName({ router_settings: { fallbacks: [{ a: ["gone"] }, { gone: ["a"] }] } }), {
    fallbacks: [],
    paths: ["router_settings.fallbacks.0.a", "router_settings.fallbacks.1.gone"],
  });
});

test("weights, order, times, prices and contexts go along; limits of a deployment are noted", () => {
  const { members, paths } = imported({
    model_list: [
      deployment("a", "openai/a", { weight: 0.7, order: 2, timeout: 30, stream_timeout: 5 }),
      deployment("a", "groq/a", { weight: 1, rpm: 60, max_parallel_requests: 3 }),
      deployment(
        "a",
        "mistral/a",
        { input_cost_per_token: 0.00000015, output_cost_per_token: 0.0000006 },
        { max_input_tokens: 128_000, base_model: "x" },
      ),
    ],
  });
  const [first, second, third] = members;
  assert.deepEqual(
    [first?.weight, first?.priority, first?.timeouts],
    [700, 2, { total_ms: 30_000, first_token_ms: 5_000 }],
  );
  assert.equal(second?.weight, 1_000);
  assert.deepEqual([third?.prices, third?.context_tokens], [{ a: { input: 0.15, output: 0.6 } }, 128_000]);
  assert.deepEqual(paths, [
    "model_list.1.litellm_params.rpm",
    "model_list.1.litellm_params.max_parallel_requests",
    "model_list.2.model_info.base_model",
  ]);
});

test("secrets are variables: those of the file are named again, once each, and appear nowhere", () => {
  const config = {
    credential_list: [{ credential_name: "shared", credential_values: { api_key: "s3cret-of-two" } }],
    model_list: [
      { model_name: "a", litellm_params: { model: "openai/a", litellm_credential_name: "shared" } },
      deployment("b", "openai/b", { api_key: "s3cret-of-two" }),
      deployment("c", "groq/c", { api_key: "s3cret-of-one" }),
      { model_name: "d", litellm_params: { model: "anthropic/d" } },
    ],
    general_settings: { master_key: "sk-s3cretQ8xV2mZpL0aRtY7uE" },
  };
  const result = imported(config);
  assert.deepEqual(result.variables, [
    "LITELLM_SECRET_1",
    "LITELLM_SECRET_2",
    "ANTHROPIC_API_KEY",
    "LITELLM_SECRET_3",
  ]);
  assert.doesNotMatch(JSON.stringify(result), /s3cret/);
  assert.equal(result.members.length, 3);
  assert.match(String(result.key.key), /^\$\{LITELLM_SECRET_3\}$/);
});

test("the key, its limits, and budgets of a month", () => {
  const model_list = [deployment("a", "openai/a")];
  const { key, rules, paths } = imported({
    model_list,
    litellm_settings: {
      max_budget: 100,
      budget_duration: "30d",
      default_key_generate_params: {
        rpm_limit: 60,
        tpm_limit: 9_000,
        models: ["a"],
        max_budget: 5,
        budget_duration: "1d",
      },
    },
    general_settings: { master_key: "os.environ/LITELLM_MASTER_KEY", database_url: "postgres://db" },
  });
  assert.deepEqual(rules, { name: "default", strict_models: true, budget: { cost_per_month: 100 } });
  assert.deepEqual(
    [key.models, key.limits, key.budget],
    [["a"], { requests_per_minute: 60, tokens_per_minute: 9_000 }, undefined],
  );
  assert.match(String(key.key), /^\$\{LITELLM_MASTER_KEY\}$/);
  assert.deepEqual(paths, [
    "litellm_settings.max_budget",
    "general_settings.database_url",
    "general_settings.master_key",
    "litellm_settings.default_key_generate_params.max_budget",
  ]);
  const weak = imported({ model_list, general_settings: { master_key: "sk-1234" } });
  assert.match(String(weak.key.key), /TRUNKLINE_POOL_KEY/);
  assert.match(weak.notes[0]?.reason ?? "", /too easy to guess/);
});

test("everything that is not carried over is named, at every level, also of an odd file", () => {
  const { paths, members, rules } = imported({
    model_list: [
      { ...deployment("*", "openai/*"), extra: 1 },
      deployment("v", "voyage/v"),
      deployment("two words", "openai/x"),
      "nonsense",
      deployment("a", "openai/a", { mock_response: "x" }, { tier: "free" }),
    ],
    litellm_settings: {
      num_retries: 7,
      request_timeout: 60,
      cache: true,
      cache_params: { ttl: 600 },
      callbacks: ["x"],
    },
    router_settings: {
      routing_strategy: "least-busy",
      model_group_alias: { b: "a", c: "gone", d: { model: "a" } },
    },
    environment_variables: { A: "b" },
    guardrails: [],
  });
  assert.deepEqual(paths, [
    "model_list.0",
    "model_list.0.extra",
    "model_list.1",
    "model_list.2",
    "model_list.3",
    "model_list.4.litellm_params.mock_response",
    "model_list.4.model_info.tier",
    "router_settings.model_group_alias.c",
    "litellm_settings.callbacks",
    "router_settings.routing_strategy",
    "environment_variables",
    "guardrails",
  ]);
  assert.deepEqual(members[0]?.aliases, { b: "a", d: "a" });
  assert.deepEqual([rules.repeat, rules.timeouts, rules.cache], [3, { answer_ms: 60_000 }, { ttl_s: 600 }]);
  for (const odd of [null, [], "text", { model_list: {} }, { model_list: [null], router_settings: [] }])
    assert.doesNotThrow(() => importConfig(odd, "default"));
});
