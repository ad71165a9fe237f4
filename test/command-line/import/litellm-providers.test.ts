// Each provider of LiteLLM that is known here: the member's settings, which its kind accepts.

import assert from "node:assert/strict";
import test from "node:test";
import { type Fields, targetOf } from "#command-line/import/litellm-providers.ts";
import { findProvider } from "#providers/registry.ts";

/** Writes texts as they are, and the variables' names for secrets. */
const writer = {
  variable: (name: string) => `https://${name.toLowerCase().replaceAll("_", "-")}.test`,
  plain: (value: unknown) => (typeof value === "string" ? value : null),
  secret: (_field: string, value: unknown, preset?: string) =>
    typeof value === "string" ? value : preset === undefined ? null : `value_of_${preset}`,
};
const target = (params: Fields) => {
  const found = targetOf(params, writer);
  assert.ok(typeof found !== "string", String(found));
  const { kind, model, settings } = found;
  return { kind, model, settings };
};

test("vendors with an OpenAI-compatible API: the vendor's name here, and LiteLLM's variable for the key", () => {
  for (const [named, vendor, variable] of [
    ["openai/gpt-5-mini", "openai", "OPENAI_API_KEY"],
    ["gpt-5-mini", "openai", "OPENAI_API_KEY"],
    ["openrouter/openai/gpt-5-mini", "openrouter", "OPENROUTER_API_KEY"],
    ["groq/llama", "groq", "GROQ_API_KEY"],
    ["mistral/mistral-small", "mistral", "MISTRAL_API_KEY"],
    ["deepseek/deepseek-chat", "deepseek", "DEEPSEEK_API_KEY"],
    ["together_ai/meta/llama", "together", "TOGETHERAI_API_KEY"],
    ["xai/grok-4", "xai", "XAI_API_KEY"],
    ["perplexity/sonar", "perplexity", "PERPLEXITYAI_API_KEY"],
    ["cerebras/llama", "cerebras", "CEREBRAS_API_KEY"],
    ["fireworks_ai/accounts/fireworks/models/x", "fireworks", "FIREWORKS_AI_API_KEY"],
    ["nvidia_nim/llama", "nvidia", "NVIDIA_NIM_API_KEY"],
    ["sambanova/llama", "sambanova", "SAMBANOVA_API_KEY"],
    ["huggingface/org/llama", "hugging-face", "HF_TOKEN"],
    ["deepinfra/org/llama", "deepinfra", "DEEPINFRA_API_KEY"],
    ["moonshot/kimi", "moonshot", "MOONSHOT_API_KEY"],
    ["zai/glm-5", "z.ai", "ZAI_API_KEY"],
  ] as const) {
    const { kind, model, settings } = target({ model: named });
    assert.deepEqual(
      [kind, settings],
      ["openai-compatible", { vendor, api_key: `value_of_${variable}` }],
      named,
    );
    assert.equal(model, named.includes("/") ? named.slice(named.indexOf("/") + 1) : named);
    assert.equal(findProvider(kind)?.settings.safeParse(settings).success, true, named);
  }
});

test("addresses, and providers with fields of their own", () => {
  for (const [params, kind, model, settings] of [
    [
      {
        model: "azure/prod",
        api_base: "https://acme.openai.azure.com/",
        api_key: "k",
        api_version: "2024-10-21",
      },
      "openai-compatible",
      "prod",
      { vendor: "azure-openai", base_url: "https://acme.openai.azure.com/openai/v1", api_key: "k" },
    ],
    [
      { model: "azure/prod", api_key: "k" },
      "openai-compatible",
      "prod",
      { vendor: "azure-openai", base_url: "https://azure-api-base.test/openai/v1", api_key: "k" },
    ],
    [
      { model: "ollama_chat/llama4", api_base: "http://gpu.test:11434" },
      "openai-compatible",
      "llama4",
      { vendor: "ollama", base_url: "http://gpu.test:11434/v1" },
    ],
    [
      { model: "hosted_vllm/qwen", api_base: "http://gpu.test:8000/v1" },
      "openai-compatible",
      "qwen",
      { vendor: "vllm", base_url: "http://gpu.test:8000/v1" },
    ],
    [
      { model: "qwen", custom_llm_provider: "openai", api_base: "http://gpu.test/v1", organization: "org-1" },
      "openai-compatible",
      "qwen",
      {
        vendor: "openai",
        base_url: "http://gpu.test/v1",
        api_key: "value_of_OPENAI_API_KEY",
        headers: { "openai-organization": "org-1" },
      },
    ],
    [
      { model: "claude-sonnet-4-5" },
      "anthropic",
      "claude-sonnet-4-5",
      { api_key: "value_of_ANTHROPIC_API_KEY" },
    ],
    [{ model: "gemini/gemini-3-flash" }, "gemini", "gemini-3-flash", { api_key: "value_of_GEMINI_API_KEY" }],
    [
      { model: "bedrock/converse/anthropic.claude", aws_region_name: "eu-west-1" },
      "bedrock",
      "anthropic.claude",
      {
        region: "eu-west-1",
        access_key_id: "value_of_AWS_ACCESS_KEY_ID",
        secret_access_key: "value_of_AWS_SECRET_ACCESS_KEY",
      },
    ],
    [
      { model: "bedrock/amazon.nova", aws_region_name: "eu-west-1", api_key: "k" },
      "bedrock",
      "amazon.nova",
      { region: "eu-west-1", api_key: "k" },
    ],
  ] as const) {
    assert.deepEqual(target(params), { kind, model, settings });
    assert.equal(findProvider(kind)?.settings.safeParse(settings).success, true, JSON.stringify(params));
  }
  const vertex = target({ model: "vertex_ai/gemini-3-pro", vertex_project: "p", vertex_credentials: "{}" });
  assert.deepEqual(vertex, {
    kind: "vertex",
    model: "gemini-3-pro",
    settings: { project: "p", location: "us-central1", credentials: "{}" },
  });
});

test("what cannot be a member says why", () => {
  for (const [params, reason] of [
    [{ model: "my-model" }, /provider is not named/],
    [{}, /provider is not named/],
    [{ model: "openai/" }, /model is not named/],
    [{ model: "voyage/voyage-3" }, /no provider `voyage`/],
    [{ model: "openai/x", api_base: "https://u:p@host/v1" }, /login or a query/],
    [{ model: "openai_like/x" }, /needs an `api_base`/],
  ] as const)
    assert.match(String(targetOf(params, writer)), reason);
});
