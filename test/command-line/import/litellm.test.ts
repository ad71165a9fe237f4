// A LiteLLM configuration as a newcomer takes it over: what the command prints starts a service.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commands } from "../commands.ts";

const { folder, call, serve } = commands();
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const config = `
model_list:
  - model_name: gpt-5-mini
    litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/OPENAI_API_KEY }
  - model_name: gpt-5-mini
    litellm_params: { model: azure/prod-mini, api_base: https://acme.openai.azure.com, api_key: s3cret }
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4-5 }
router_settings:
  fallbacks: [{ gpt-5-mini: [claude] }]
  routing_strategy: latency-based-routing
`;

test("the file goes to the output, what is left to the errors, and a service starts with it", async () => {
  const path = file("config.yaml", config);
  const { code, out, error } = await call("data", "import", "litellm", path, "--account", "acme");
  assert.equal(code, 0, error);
  assert.doesNotMatch(out + error, /s3cret/);
  assert.match(error, /OPENAI_API_KEY, LITELLM_SECRET_1, ANTHROPIC_API_KEY, TRUNKLINE_POOL_KEY/);
  assert.match(error, /model_list\.1\.litellm_params\.api_key: Put it into the variable LITELLM_SECRET_1\./);
  assert.match(error, /router_settings\.routing_strategy: /);
  const key = "sk-Q8xV2mZpL0aRtY7uEwN4bC";
  const service = await serve("imported", {
    TRUNKLINE_PROVISION: file("provision.yaml", out),
    OPENAI_API_KEY: "a",
    LITELLM_SECRET_1: "b",
    ANTHROPIC_API_KEY: "c",
    TRUNKLINE_POOL_KEY: key,
  });
  try {
    const models = await fetch(`${service.base}/api/ai/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(models.status, 200);
    const { data } = (await models.json()) as { data: { id: string }[] };
    const ids = data.map(({ id }) => id);
    for (const id of ["default", "gpt-5-mini", "claude"]) assert.ok(ids.includes(id), ids.join());
  } finally {
    await service.stop("SIGTERM");
  }
});

test("for programs it is JSON; what is no configuration is refused, without its words", async () => {
  const path = file("config.yaml", config);
  const json = await call("data", "import", "litellm", path, "--pool", "chat", "--json");
  const { provision, variables, notes } = JSON.parse(json.out);
  assert.equal(provision.accounts[0].pools[0].name, "chat");
  assert.equal(variables.length, 4);
  assert.equal(notes.length, 2);
  for (const [text, words, reason] of [
    ["model_list: []", [], /has no model_list/],
    ["a: [s3cret", [], /is not YAML \(line \d+\)/],
    [config, ["--pool", "two words"], /pool has no valid name/],
    [
      config.replace(
        "openai/gpt-5-mini,",
        "openai/gpt-5-mini, input_cost_per_token: -1, output_cost_per_token: 1,",
      ),
      [],
      /would have an invalid members\.0\.prices/,
    ],
    [`model_list: [${"{}, ".repeat(1_001)}]`, [], /more than 1000 entries/],
  ] as const) {
    const refused = await call("data", "import", "litellm", file("bad.yaml", text), ...words);
    assert.equal(refused.code, 1, text);
    assert.match(refused.error, reason);
    assert.doesNotMatch(refused.error, /s3cret/);
  }
});
