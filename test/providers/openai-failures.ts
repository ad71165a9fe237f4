// Errors of OpenAI's form, as its vendors send them. platform.openai.com/docs/guides/error-codes, openrouter.ai/docs
// (errors), api-docs.deepseek.com (error codes), learn.microsoft.com (Azure OpenAI content filters),
// console.groq.com/docs/errors, docs.x.ai, and what vLLM, llama.cpp and Ollama write.

import type { FailureCase } from "./conformance-cases.ts";

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
    failure: { kind: "unauthorized", error: { type: "server_error", code: "provider_denied" } },
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
    failure: { kind: "unauthorized" },
  },
  {
    name: "OpenAI: the hard limit",
    status: 400,
    wire: error("Billing hard limit has been reached", "invalid_request_error", "billing_hard_limit_reached"),
    failure: { kind: "unauthorized" },
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
    failure: { kind: "rate_limited", retryAfterMs: 1520, error: { type: "tokens" } },
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
    failure: { kind: "context_length", error: { param: "messages" } },
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
    failure: { kind: "invalid_request", error: { code: "unsupported_parameter", param: "max_tokens" } },
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
    failure: { kind: "invalid_request" },
  },
  {
    name: "OpenAI: no such model",
    status: 404,
    wire: error(
      "The model `gpt-9` does not exist or you do not have access to it.",
      "invalid_request_error",
      "model_not_found",
    ),
    failure: { kind: "model_not_found" },
  },
  {
    name: "OpenAI: a country",
    status: 403,
    wire: error(
      "Country, region, or territory not supported",
      "request_forbidden",
      "unsupported_country_region_territory",
    ),
    failure: { kind: "unauthorized" },
  },
  {
    name: "OpenAI: overloaded",
    status: 503,
    headers: { "retry-after": "3" },
    wire: error("The engine is currently overloaded, please try again later", "server_error"),
    failure: { kind: "upstream_error", retryAfterMs: 3000 },
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
    failure: { kind: "content_policy", error: { code: "content_filter", param: "prompt" } },
  },
  {
    name: "Azure: no such deployment",
    status: 404,
    wire: {
      error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
    },
    failure: { kind: "model_not_found" },
  },
  {
    name: "Azure: a wrong key, its code a string of digits",
    status: 401,
    wire: {
      error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint." },
    },
    failure: { kind: "unauthorized" },
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
    failure: { kind: "unauthorized" },
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
    failure: { kind: "content_policy" },
  },
  {
    name: "DeepSeek: no balance",
    status: 402,
    wire: error("Insufficient Balance", "unknown_error", "invalid_request_error"),
    failure: { kind: "unauthorized" },
  },
  {
    name: "Groq: larger than its minute",
    status: 413,
    wire: error(
      "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 8000",
      "tokens",
      "rate_limit_exceeded",
    ),
    failure: { kind: "unsupported" },
  },
  {
    name: "OpenAI: larger than its minute",
    status: 429,
    headers: { "retry-after": "1" },
    wire: error(
      "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.",
      "tokens",
      "rate_limit_exceeded",
    ),
    failure: { kind: "unsupported" },
  },
  {
    name: "OpenAI: a key that it does not know, quoted",
    status: 400,
    wire: error("Unrecognized request argument supplied: insufficient_quota", "invalid_request_error"),
    failure: { kind: "invalid_request" },
  },
  {
    name: "OpenAI: a path that it does not have",
    status: 404,
    wire: error("Invalid URL (POST /v1/v1/chat/completions)", "invalid_request_error"),
    failure: { kind: "unsupported" },
  },
  {
    name: "OpenRouter: nothing for pictures",
    status: 404,
    wire: { error: { message: "No endpoints found that support image input", code: 404 } },
    failure: { kind: "unsupported" },
  },
  {
    name: "OpenRouter: nothing for tools, and the caller's own tool named",
    status: 404,
    wire: {
      error: {
        message:
          'No endpoints found that support tool use. Try disabling "model_not_found". To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing',
        code: 404,
      },
    },
    failure: { kind: "unsupported" },
  },
  {
    name: "OpenRouter: no such model",
    status: 404,
    wire: {
      error: { message: "No endpoints found for nousresearch/hermes-3-llama-3.1-405b:free.", code: 404 },
    },
    failure: { kind: "model_not_found" },
  },
  {
    name: "xAI: a wrong key, which comes as 400",
    status: 400,
    wire: {
      code: "Client specified an invalid argument",
      error: "Incorrect API key provided: xa***Fk. You can obtain an API key from https://console.x.ai.",
    },
    failure: { kind: "unauthorized" },
  },
  {
    name: "xAI: refused for its content, which comes as 403",
    status: 403,
    wire: {
      code: "The caller does not have permission to execute the specified operation",
      error: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
    },
    failure: { kind: "content_policy" },
  },
  {
    name: "Google's own OpenAI interface: a minute's limit, in a list and in OpenAI's words for an empty account",
    status: 429,
    wire: [
      {
        error: {
          code: 429,
          message: "You exceeded your current quota, please check your plan and billing details.",
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ],
    failure: { kind: "rate_limited" },
  },
  {
    name: "vLLM: no such model",
    status: 404,
    wire: {
      error: { message: "The model `x` does not exist.", type: "NotFoundError", param: "model", code: 404 },
    },
    failure: { kind: "model_not_found" },
  },
  {
    name: "vLLM: the answer would be too long",
    status: 400,
    wire: {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
        type: "BadRequestError",
        param: "max_tokens",
        code: 400,
      },
    },
    failure: { kind: "context_length" },
  },
  {
    name: "Mistral: a parameter that it does not have, in its newer form",
    status: 422,
    wire: {
      object: "error",
      message: {
        detail: [
          {
            type: "extra_forbidden",
            loc: ["body", "user"],
            msg: "Extra inputs are not permitted",
            input: "x",
          },
        ],
      },
      type: "invalid_request_error",
      param: null,
      code: null,
    },
    failure: { kind: "invalid_request", error: { message: "Extra inputs are not permitted", param: "user" } },
  },
  {
    name: "Mistral: not valid",
    status: 422,
    wire: { detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required", input: {} }] },
    failure: { kind: "invalid_request", error: { message: "Field required" } },
  },
  {
    name: "Mistral: a wrong key",
    status: 401,
    wire: { detail: "Unauthorized" },
    failure: { kind: "unauthorized", error: { code: "provider_denied" } },
  },
  {
    name: "Ollama: no such model",
    status: 404,
    wire: error('model "llama9" not found, try pulling it first', "api_error"),
    failure: { kind: "model_not_found" },
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
    failure: { kind: "context_length", error: { code: "400" } },
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
    failure: { kind: "context_length" },
  },
  {
    name: "llama.cpp: still loading",
    status: 503,
    wire: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    failure: { kind: "upstream_error" },
  },
  {
    name: "a proxy's page",
    status: 502,
    wire: "<html><head><title>502 Bad Gateway</title></head></html>",
    failure: { kind: "upstream_error", error: { type: "server_error" } },
  },
];
