// OpenAI's wire traffic and that of those who speak it: settings, and requests as they go out.

import type { ProviderSuite, RequestCase } from "./conformance-cases.ts";
import { answerCases, failureCases, streamCases } from "./fixtures.ts";

const host = "https://api.openai.com/v1";
const key = "sk-proj-example-0123-not-a-key-4567890abc";
const model = "gpt-4.1";
const hello = [{ role: "user", content: "Hello" }];
const url = `${host}/chat/completions`;
const asked = { stream: true, stream_options: { include_usage: true } };

/** Where each vendor is asked by default. */
const places: Record<string, string> = {
  openai: host,
  openrouter: "https://openrouter.ai/api/v1",
  groq: "https://api.groq.com/openai/v1",
  mistral: "https://api.mistral.ai/v1",
  deepseek: "https://api.deepseek.com/v1",
  together: "https://api.together.xyz/v1",
  xai: "https://api.x.ai/v1",
  perplexity: "https://api.perplexity.ai",
  cerebras: "https://api.cerebras.ai/v1",
  fireworks: "https://api.fireworks.ai/inference/v1",
  nvidia: "https://integrate.api.nvidia.com/v1",
  sambanova: "https://api.sambanova.ai/v1",
  "hugging-face": "https://router.huggingface.co/v1",
  deepinfra: "https://api.deepinfra.com/v1/openai",
  moonshot: "https://api.moonshot.ai/v1",
  "z.ai": "https://api.z.ai/api/paas/v4",
  ollama: "http://127.0.0.1:11434/v1",
  vllm: "http://127.0.0.1:8000/v1",
  "llama.cpp": "http://127.0.0.1:8080/v1",
  "lm-studio": "http://127.0.0.1:1234/v1",
};

const requests: RequestCase[] = [
  {
    name: "the least there is",
    body: { messages: hello },
    request: {
      url,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: { model, messages: hello },
    },
  },
  {
    name: "streamed: the usage is asked for",
    body: { messages: hello },
    stream: true,
    request: { url, headers: { accept: "text/event-stream" }, body: { model, messages: hello, ...asked } },
  },
  {
    name: "streamed, with options of the caller's",
    body: { messages: hello, stream_options: { include_usage: false, include_obfuscation: false } },
    stream: true,
    request: {
      url,
      body: {
        model,
        messages: hello,
        stream: true,
        stream_options: { include_usage: true, include_obfuscation: false },
      },
    },
  },
  {
    name: "everything unknown goes along, but no choice of an upstream",
    body: {
      messages: hello,
      api_base: "http://169.254.169.254/",
      base_url: "x",
      enable_thinking: false,
      n: 2,
    },
    request: { url, body: { model, messages: hello, enable_thinking: false, n: 2 } },
  },
  {
    name: "Azure: an address of one's own, and the key in its header",
    body: { messages: hello },
    settings: { vendor: "azure-openai", base_url: "https://mine.openai.azure.com/openai/v1/" },
    request: {
      url: "https://mine.openai.azure.com/openai/v1/chat/completions",
      headers: { "api-key": key },
      body: { model, messages: hello },
    },
  },
  {
    name: "Azure as it was before: a deployment's address, and a version",
    body: { messages: hello },
    settings: {
      vendor: "azure-openai",
      base_url: "https://mine.openai.azure.com/openai/deployments/gpt-4o",
      api_version: "2024-10-21",
    },
    request: {
      url: "https://mine.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
      headers: { "api-key": key },
      body: { model, messages: hello },
    },
  },
  {
    name: "Cloudflare: the account is in the address",
    body: { messages: hello },
    settings: {
      vendor: "cloudflare",
      base_url: "https://api.cloudflare.com/client/v4/accounts/0123456789abcdef/ai/v1",
    },
    request: {
      url: "https://api.cloudflare.com/client/v4/accounts/0123456789abcdef/ai/v1/chat/completions",
      headers: { authorization: `Bearer ${key}` },
      body: { model, messages: hello },
    },
  },
  {
    name: "Mistral: streams tell their usage unasked",
    body: { messages: hello },
    stream: true,
    settings: { vendor: "mistral" },
    request: { url: `${places.mistral}/chat/completions`, body: { model, messages: hello, stream: true } },
  },
  {
    name: "not asked for where the settings say so",
    body: { messages: hello },
    stream: true,
    settings: { stream_usage: false, headers: { "OpenAI-Organization": "org-1" } },
    request: {
      url,
      headers: { "OpenAI-Organization": "org-1" },
      body: { model, messages: hello, stream: true },
    },
  },
  ...Object.entries(places).map(([vendor, place]) => ({
    name: `${vendor} is where it is`,
    body: { messages: hello },
    settings: { vendor },
    request: { url: `${place}/chat/completions`, body: { model, messages: hello } },
  })),
];

export const openaiSuite: ProviderSuite = {
  settings: { api_key: key },
  model,
  check: `${host}/models`,
  refused: [
    { settings: { api_key: "" }, path: "api_key", says: /./ },
    { settings: { vendor: "acme" }, path: "vendor", says: /openai/ },
    { settings: { vendor: "azure-openai", api_key: key }, path: "base_url", says: /needed/ },
    { settings: { vendor: "cloudflare", api_key: key }, path: "base_url", says: /accounts\/ACCOUNT_ID\/ai/ },
    { settings: { base_url: "api.openai.com" }, path: "base_url", says: /http/ },
    { settings: { base_url: "ftp://x.test" }, path: "base_url", says: /http/ },
    { settings: { base_url: "https://a:b@x.test/v1" }, path: "base_url", says: /login/ },
    { settings: { base_url: "https://x.test/v1?api-version=1" }, path: "base_url", says: /query/ },
    { settings: { headers: { Authorization: "x" } }, path: "headers.Authorization", says: /./ },
    { settings: { headers: { "api-key": "x" } }, path: "headers.api-key", says: /./ },
    { settings: { headers: { "X-A": "1\r\nx-b: 2" } }, path: "headers.X-A", says: /line/ },
    { settings: { api_version: "2024-10-21" }, path: "api_version", says: /Azure/ },
    {
      settings: { vendor: "azure-openai", base_url: "https://x.test", api_version: "1&x=2" },
      path: "api_version",
      says: /version/,
    },
    { settings: { stream_usage: "yes" }, path: "stream_usage", says: /boolean/ },
  ],
  requests,
  unsupported: [],
  answers: answerCases("openai"),
  streams: streamCases("openai"),
  failures: failureCases("openai"),
};
