// Whole answers and errors of OpenAI's form, as its vendors send them. platform.openai.com/docs/guides/error-codes,
// openrouter.ai/docs (errors), api-docs.deepseek.com (error codes), learn.microsoft.com (Azure OpenAI content filters),
// console.groq.com/docs/errors, and what vLLM, llama.cpp and Ollama write.

import type { AnswerCase, FailureCase } from "./conformance-cases.ts";

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const said = (message: object, reason = "stop", more: object = {}) => ({
  id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
  object: "chat.completion",
  created: 1_763_640_000,
  model: "gpt-4.1-2025-04-14",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, ...message },
      logprobs: null,
      finish_reason: reason,
    },
  ],
  usage,
  ...more,
});
const passed = (name: string, completion: object, output = true): AnswerCase => ({
  name,
  wire: completion,
  completion,
  output,
});
const calls = [
  { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Köln"}' } },
];

export const openaiAnswers: readonly AnswerCase[] = [
  passed(
    "OpenAI: text",
    said({ content: "Hello!", refusal: null, annotations: [] }, "stop", { service_tier: "default" }),
  ),
  passed("OpenAI: a refusal", said({ refusal: "No." })),
  passed("OpenAI: tool calls", said({ tool_calls: calls }, "tool_calls")),
  passed("OpenAI: cut by its length before a word", said({ content: "" }, "length")),
  passed("DeepSeek: reasoning", said({ content: "9.8", reasoning_content: "9.11 < 9.8" })),
  passed(
    "DeepSeek: reasoning alone, cut by its length",
    said({ content: "", reasoning_content: "Hm" }, "length"),
  ),
  passed("Azure: filters", said({ content: "Hi" }, "stop", { prompt_filter_results: [{ prompt_index: 0 }] })),
  passed("Ollama: text", { ...said({ content: "Blue." }), system_fingerprint: "fp_ollama" }),
  passed("llama.cpp: its timings", {
    ...said({ content: "A" }),
    usage,
    timings: { prompt_n: 1 },
  }),
  passed(
    "empty, and nothing counted",
    said({ content: "" }, "stop", { usage: { ...usage, completion_tokens: 0, total_tokens: 9 } }),
    false,
  ),
  {
    name: "DeepSeek: empty lines before it, to keep the connection",
    wire: `\n\n\n${JSON.stringify(said({ content: "ok" }))}`,
    completion: said({ content: "ok" }),
  },
  {
    name: "OpenRouter: an error with status 200",
    wire: {
      error: { code: 502, message: "Provider returned error", metadata: { provider_name: "X" } },
      user_id: "u",
    },
    failure: { kind: "broken", error: { message: "Provider returned error", code: "502" } },
  },
  {
    name: "OpenRouter: an error inside the choice",
    wire: {
      id: "gen-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          finish_reason: "error",
          error: { code: 429, message: "slow" },
          message: { role: "assistant", content: "par" },
        },
      ],
    },
    failure: { kind: "limited", error: { message: "slow" } },
  },
];

const error = (
  message: string,
  type: string | null,
  code: string | number | null = null,
  param: string | null = null,
) => ({
  error: { message, type, param, code },
});

export const openaiFailures: readonly FailureCase[] = [
  {
    name: "OpenAI: a wrong key, quoted",
    status: 401,
    wire: error(
      "Incorrect API key provided: sk-proj-********************wxYz. You can find your API key at https://platform.openai.com/account/api-keys.",
      "invalid_request_error",
      "invalid_api_key",
    ),
    failure: { kind: "denied", error: { code: "invalid_api_key" } },
  },
  {
    name: "OpenAI: no money",
    status: 429,
    headers: { "x-should-retry": "false" },
    wire: error(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    failure: { kind: "denied" },
  },
  {
    name: "OpenAI: the hard limit",
    status: 400,
    wire: error("Billing hard limit has been reached", "invalid_request_error", "billing_hard_limit_reached"),
    failure: { kind: "denied" },
  },
  {
    name: "OpenAI: too many tokens a minute",
    status: 429,
    headers: { "retry-after-ms": "1520", "retry-after": "2" },
    wire: error(
      "Rate limit reached for gpt-4.1 in organization org-x on tokens per min (TPM)",
      "tokens",
      "rate_limit_exceeded",
    ),
    failure: { kind: "limited", retryAfterMs: 1520, error: { type: "tokens" } },
  },
  {
    name: "OpenAI: too long",
    status: 400,
    wire: error(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      "invalid_request_error",
      "context_length_exceeded",
      "messages",
    ),
    failure: { kind: "context", error: { param: "messages" } },
  },
  {
    name: "OpenAI: a parameter that it does not have",
    status: 400,
    wire: error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "invalid_request_error",
      "unsupported_parameter",
      "max_tokens",
    ),
    failure: { kind: "caller", error: { code: "unsupported_parameter", param: "max_tokens" } },
  },
  {
    name: "OpenAI: a caller who writes about billing",
    status: 400,
    wire: error(
      "Invalid 'messages[0].name': 'billing team' does not match the pattern.",
      "invalid_request_error",
      "invalid_value",
      "messages[0].name",
    ),
    failure: { kind: "caller" },
  },
  {
    name: "OpenAI: no such model",
    status: 404,
    wire: error(
      "The model `gpt-9` does not exist or you do not have access to it.",
      "invalid_request_error",
      "model_not_found",
    ),
    failure: { kind: "no_model" },
  },
  {
    name: "OpenAI: a country",
    status: 403,
    wire: error(
      "Country, region, or territory not supported",
      "request_forbidden",
      "unsupported_country_region_territory",
    ),
    failure: { kind: "denied" },
  },
  {
    name: "OpenAI: overloaded",
    status: 503,
    headers: { "retry-after": "3" },
    wire: error("The engine is currently overloaded, please try again later", "server_error"),
    failure: { kind: "broken", retryAfterMs: 3000 },
  },
  {
    name: "Azure: cut for its content",
    status: 400,
    wire: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    },
    failure: { kind: "policy", error: { code: "content_filter", param: "prompt" } },
  },
  {
    name: "Azure: no such deployment",
    status: 404,
    wire: {
      error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
    },
    failure: { kind: "no_model" },
  },
  {
    name: "Azure: a wrong key, its code a string of digits",
    status: 401,
    wire: {
      error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint." },
    },
    failure: { kind: "denied" },
  },
  {
    name: "OpenRouter: no credit",
    status: 402,
    wire: {
      error: {
        code: 402,
        message: "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
      },
    },
    failure: { kind: "denied" },
  },
  {
    name: "OpenRouter: moderated",
    status: 403,
    wire: {
      error: {
        code: 403,
        message: "Your chosen model requires moderation and your input was flagged",
        metadata: { reasons: ["violence"] },
      },
    },
    failure: { kind: "policy" },
  },
  {
    name: "DeepSeek: no balance",
    status: 402,
    wire: error("Insufficient Balance", "unknown_error", "invalid_request_error"),
    failure: { kind: "denied" },
  },
  {
    name: "Groq: larger than its minute",
    status: 413,
    wire: error(
      "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 8000",
      "tokens",
      "rate_limit_exceeded",
    ),
    failure: { kind: "limited" },
  },
  {
    name: "Mistral: not valid",
    status: 422,
    wire: { detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required", input: {} }] },
    failure: { kind: "caller", error: { message: "Field required" } },
  },
  {
    name: "Mistral: a wrong key",
    status: 401,
    wire: { detail: "Unauthorized" },
    failure: { kind: "denied", error: { message: "Unauthorized" } },
  },
  {
    name: "Ollama: no such model",
    status: 404,
    wire: error('model "llama9" not found, try pulling it first', "api_error"),
    failure: { kind: "no_model" },
  },
  {
    name: "vLLM: too long, in its old form",
    status: 400,
    wire: {
      object: "error",
      message: "This model's maximum context length is 4096 tokens.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    failure: { kind: "context", error: { code: "400" } },
  },
  {
    name: "llama.cpp: too long",
    status: 400,
    wire: {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    failure: { kind: "context" },
  },
  {
    name: "llama.cpp: still loading",
    status: 503,
    wire: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    failure: { kind: "broken" },
  },
  {
    name: "a proxy's page",
    status: 502,
    wire: "<html><head><title>502 Bad Gateway</title></head></html>",
    failure: { kind: "broken", error: { type: "server_error" } },
  },
];
