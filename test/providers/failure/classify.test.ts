// What a caller can make a vendor quote changes nothing about the member: for every vendor's reader, the words that
// mean something count only where the vendor itself wrote them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Failure, Provider } from "#providers/provider.ts";
import { providers } from "#providers/registry.ts";

/** Codes, types and sentences that mean something somewhere, and the words that sentences are found by. */
const triggers = [
  "insufficient_quota",
  "invalid_api_key",
  "rate_limit_exceeded",
  "content_filter",
  "content_policy_violation",
  "context_length",
  "context_length_exceeded",
  "model_not_found",
  "DeploymentNotFound",
  "billing_hard_limit_reached",
  "billing_error",
  "authentication_error",
  "not_found_error",
  "overloaded_error",
  "RESOURCE_EXHAUSTED",
  "PERMISSION_DENIED",
  "API_KEY_INVALID",
  "Incorrect API key provided: x",
  "API key not valid. Please pass a valid API key.",
  "You exceeded your current quota, please check your plan and billing details.",
  "Billing hard limit has been reached",
  "Insufficient Balance",
  "insufficient credits",
  "payment required",
  "Your credit balance is too low to access the Anthropic API.",
  "You have reached your specified API usage limits.",
  "This organization has been disabled.",
  "Your prepayment credits are depleted.",
  "User location is not supported for the API use.",
  "This model's maximum context length is 4096 tokens.",
  "prompt is too long: 208310 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
  "The input token count (12) exceeds the maximum number of tokens allowed (10).",
  "too many input tokens",
  "exceeds the context window",
  "Output blocked by content filtering policy",
  "Your request was rejected as a result of our safety system.",
  "moderation",
  "responsible ai",
  "violates our policies",
  "The model `x` does not exist or you do not have access to it.",
  'model "x" not found, try pulling it first',
  "models/x is not found for API version v1beta",
  "model: claude-9",
  "No endpoints found for x/y.",
  "No endpoints found that support image input",
  "Request too large for gpt-4.1 on tokens per min (TPM): Limit 1, Requested 2",
  "Rate limit reached for gpt-4.1",
];

/** How vendors begin what they say of a request, before they quote from it. */
const beginnings = [
  "Unrecognized request argument supplied: ",
  "Invalid value: '",
  "Unknown parameter: '",
  "Invalid 'messages[0].name': string '",
  "Unsupported value: '",
  "Additional properties are not allowed ('",
  "tools.0.custom.name: String should match pattern: '",
  'Invalid JSON payload received. Unknown name "',
  "* GenerateContentRequest.tools[0].function_declarations[0].name: ",
  "The model `m` does not support the value '",
  "1 validation error for ChatRequest\n",
];

const quoted = fc
  .tuple(
    fc.constantFrom(...beginnings),
    fc.string({ maxLength: 20 }),
    fc.array(fc.constantFrom(...triggers), { minLength: 1, maxLength: 4 }),
    fc.constantFrom("", " ", "\n", ". ", "'. "),
    fc.string({ maxLength: 20 }),
  )
  .map(([begins, before, words, between, after]) => begins + before + words.join(between) + after);

/** Each vendor's 400 for a wrong parameter. */
const bodies: Readonly<Record<string, (message: string, status: number) => unknown>> = {
  openai: (message) => ({
    error: { message, type: "invalid_request_error", param: "x", code: "invalid_value" },
  }),
  anthropic: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  gemini: (message, status) => ({ error: { code: status, message, status: "INVALID_ARGUMENT" } }),
};
const bodyOf = (kind: string) => bodies[kind === "vertex" ? "gemini" : kind] ?? bodies.openai!;

/** Kinds that say nothing about the member. */
const aboutRequest: readonly string[] = ["invalid_request", "unsupported"];

const failureOf = (provider: Provider, status: number, body: unknown): Failure =>
  provider.failure(status, {}, JSON.stringify(body), 0);

describe("anything a vendor quotes behind its own words", () => {
  for (const provider of providers) {
    test(`${provider.kind}: a wrong parameter stays the caller's fault`, () => {
      const property = fc.property(fc.constantFrom(400, 404, 422), quoted, (status, message) => {
        const failure = failureOf(provider, status, bodyOf(provider.kind)(message, status));
        assert.ok(aboutRequest.includes(failure.kind), message);
        assert.equal(failure.retryAfterMs, null);
      });
      fc.assert(property, { numRuns: 1_000 });
    });
  }

  const forms: readonly ((message: string) => unknown)[] = [
    (message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } }),
    (message) => ({ error: message }),
    (message) => ({ message }),
    (message) => ({ detail: message }),
    (message) => ({ detail: [{ type: "missing", loc: ["body", message], msg: message }] }),
    (message) => ({ error: { code: 400, message, type: "BadRequestError" } }),
  ];
  for (const provider of providers.filter(({ kind }) => kind === "openai-compatible" || kind === "sandbox")) {
    test(`${provider.kind}: in forms without a code as well; a 404 rests no model`, () => {
      const property = fc.property(
        fc.constantFrom(400, 422),
        fc.constantFrom(...forms),
        quoted,
        (status, form, saying) =>
          assert.ok(aboutRequest.includes(failureOf(provider, status, form(saying)).kind), saying),
      );
      fc.assert(property, { numRuns: 1_000 });
      const missing = fc.property(fc.constantFrom(...forms.slice(0, 4)), quoted, (form, saying) =>
        assert.equal(failureOf(provider, 404, form(saying)).kind, "unsupported", saying),
      );
      fc.assert(missing, { numRuns: 500 });
    });
  }

  for (const provider of providers) {
    test(`${provider.kind}: a key in front of a validator's words says nothing about the member`, () => {
      for (const trigger of triggers) {
        const message = `${trigger}: Extra inputs are not permitted`;
        assert.ok(
          aboutRequest.includes(failureOf(provider, 400, bodyOf(provider.kind)(message, 400)).kind),
          message,
        );
      }
    });
  }
});

describe("the vendor's own words", () => {
  const known: readonly [string, string][] = [
    ["Incorrect API key provided: x", "unauthorized"],
    ["API key not valid. Please pass a valid API key.", "unauthorized"],
    ["You exceeded your current quota, please check your plan and billing details.", "unauthorized"],
    ["Insufficient Balance", "unauthorized"],
    [
      "This endpoint's maximum context length is 200000 tokens. However, you requested about 1",
      "context_length",
    ],
    ["Your input exceeds the context window of this model. Please adjust your input.", "context_length"],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      "context_length",
    ],
    [
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum",
      "context_length",
    ],
    ["The input (9000 tokens) is longer than the model's context length (8192 tokens).", "context_length"],
    ["The prompt (total length 5000) is too long to fit into the model", "context_length"],
    ["The decoder prompt (length 9000) is longer than the maximum model length of 4096.", "context_length"],
    ["The prompt is too long: 200000, model maximum context length: 131071", "context_length"],
    ["Input is too long for requested model.", "context_length"],
    ["prompt too long; exceeded max context length by 5 tokens", "context_length"],
    ["the input length exceeds the context length", "context_length"],
    ["Please reduce the length of the messages or completion.", "context_length"],
    ["Invalid request: Your request exceeded model token limit: 8192", "context_length"],
    ["Your request was rejected as a result of our safety system.", "content_policy"],
    ["Content Exists Risk", "content_policy"],
    ["Model Not Exist", "model_not_found"],
    ["openai/gpt-9 is not a valid model ID", "model_not_found"],
    ["No endpoints found matching your data policy", "unsupported"],
    ["Unsupported parameter: 'max_tokens' is not supported with this model.", "unsupported"],
    ["Unrecognized request argument supplied: thinking", "unsupported"],
    ["Argument not supported on this model: presencePenalty", "unsupported"],
    ["property 'top_k' is unsupported", "unsupported"],
    ["registry.ollama.ai/library/gemma:2b does not support tools", "unsupported"],
    ["This model does not support assistant message prefill.", "unsupported"],
    ["`tool calling` is not supported with this model", "unsupported"],
    [
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      "unsupported",
    ],
  ];
  const openai = providers.find(({ kind }) => kind === "openai-compatible")!;
  for (const [message, kind] of known)
    test(`400 ${message}`, () => assert.equal(failureOf(openai, 400, { error: { message } }).kind, kind));

  test("words in the middle count where the status is not about the request", () => {
    const kindOf = (status: number, message: string) =>
      failureOf(openai, status, { error: { message } }).kind;
    assert.equal(kindOf(403, "Blocked by our content policy."), "content_policy");
    assert.equal(kindOf(403, "Sorry. insufficient_quota"), "unauthorized");
    assert.equal(kindOf(429, "Sorry: insufficient funds."), "unauthorized");
    assert.equal(kindOf(429, "Slow down. content_filter"), "rate_limited");
    assert.equal(kindOf(503, "Sorry: insufficient funds."), "upstream_error");
  });

  test("a 4xx that no vendor documents says nothing about the member", () => {
    for (const { failure } of providers)
      for (const status of [405, 406, 410, 415, 418, 451])
        assert.equal(failure(status, {}, "", 0).kind, "unsupported");
  });
});

test("the pool's own access is no caller's business: one code and one sentence for all kinds of providers", () => {
  const message = "Incorrect API key provided: sk-x";
  const sentences = {
    // Where Bedrock has it.
    message,
    error: {
      message,
      type: "insufficient_quota",
      code: "invalid_api_key",
    },
  };
  for (const provider of providers) {
    for (const status of [401, 402, 403]) {
      const { kind, error, detail } = failureOf(provider, status, sentences);
      assert.equal(kind, "unauthorized");
      assert.deepEqual([error.type, error.code, error.param], ["server_error", "provider_denied", null]);
      assert.doesNotMatch(error.message, /incorrect|sk-x|quota/i);
      assert.match(detail ?? "", /^Incorrect API key provided/);
    }
  }
});
