// Whole answers and errors of Anthropic as its documentation shows them, and what has to come of each.
// platform.claude.com/docs/en/api/messages, api/errors, build-with-claude/handling-stop-reasons; texts of errors as users report them

import type { AnswerCase, FailureCase } from "../conformance-cases.ts";

const hello = [{ role: "user", content: "Hello" }];
const model = "claude-sonnet-4-5-20250929";
const use = (id: string, city: string) => ({ type: "tool_use", id, name: "get_weather", input: { city } });
const message = {
  id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text: "Hi! My name is Claude." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 2095, output_tokens: 503 },
};
const completion = {
  id: message.id,
  object: "chat.completion",
  created: 0,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hi! My name is Claude.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 2095, completion_tokens: 503, total_tokens: 2598 },
};
const completed = (own: object, finish: string, usage: object = completion.usage) => ({
  ...completion,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...own },
      logprobs: null,
      finish_reason: finish,
    },
  ],
  usage,
});
const error = (type: string, text: string, more: object = {}) => ({
  type: "error",
  error: { type, message: text, ...more },
  request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
});

export const anthropicAnswers: readonly AnswerCase[] = [
  { name: "text", wire: message, completion },
  {
    name: "thoughts, text and two calls, with everything that is counted",
    wire: {
      ...message,
      content: [
        { type: "thinking", thinking: "Two cities.", signature: "EqQBCgIYAhIM" },
        { type: "redacted_thinking", data: "EmwKAhgB" },
        { type: "text", text: "One ", citations: null },
        { type: "text", text: "moment." },
        use("toolu_01A09q90qw90lq917835lq9", "Bonn"),
        { type: "tool_use", id: "toolu_02", name: "now", input: {} },
      ],
      stop_reason: "tool_use",
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 3000,
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 20 },
        service_tier: "standard",
      },
    },
    completion: completed(
      {
        content: "One moment.",
        reasoning_content: "Two cities.",
        tool_calls: [
          {
            id: "toolu_01A09q90qw90lq917835lq9",
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Bonn"}' },
          },
          { id: "toolu_02", type: "function", function: { name: "now", arguments: "{}" } },
        ],
      },
      "tool_calls",
      {
        prompt_tokens: 3210,
        completion_tokens: 50,
        total_tokens: 3260,
        prompt_tokens_details: { cached_tokens: 3000 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
    ),
  },
  {
    name: "any JSON, by its tool",
    body: { messages: hello, response_format: { type: "json_object" } },
    wire: {
      ...message,
      content: [{ type: "tool_use", id: "toolu_1", name: "json_object_answer", input: { a: [1] } }],
      stop_reason: "tool_use",
    },
    completion: completed({ content: '{"a":[1]}' }, "stop"),
  },
  {
    name: "a refusal with nothing said",
    wire: {
      ...message,
      content: [],
      stop_reason: "refusal",
      stop_details: { type: "refusal", category: "cyber", explanation: "This could harm." },
    },
    completion: completed({ refusal: "This could harm." }, "content_filter"),
  },
  {
    name: "all tokens spent on thoughts",
    wire: { ...message, content: [], stop_reason: "max_tokens" },
    completion: completed({ content: "" }, "length"),
  },
  {
    name: "nothing at all",
    wire: { ...message, content: [] },
    completion: completed({ content: "" }, "stop"),
    output: false,
  },
  {
    name: "a reason that is new stays the vendor's",
    wire: { ...message, stop_reason: "compaction" },
    completion: completed({ content: "Hi! My name is Claude." }, "compaction"),
  },
  {
    name: "an error with 200",
    wire: error("overloaded_error", "Overloaded"),
    failure: { kind: "upstream_error", error: { message: "Overloaded", type: "server_error" } },
  },
  { name: "no stop reason", wire: { ...message, stop_reason: null }, failure: { kind: "upstream_error" } },
];

export const anthropicFailures: readonly FailureCase[] = [
  {
    name: "a field that is wrong",
    status: 400,
    wire: error("invalid_request_error", "max_tokens: 999999 > 64000, which is the maximum allowed"),
    failure: {
      kind: "invalid_request",
      error: {
        message: "max_tokens: 999999 > 64000, which is the maximum allowed",
        type: "invalid_request_error",
        param: "max_tokens",
        code: null,
      },
    },
  },
  {
    name: "too long for the model",
    status: 400,
    wire: error("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    failure: { kind: "context_length", error: { code: "context_length_exceeded", param: "messages" } },
  },
  {
    name: "input and answer together too long",
    status: 400,
    wire: error(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    ),
    failure: { kind: "context_length" },
  },
  {
    name: "no credit, which comes as 400",
    status: 400,
    wire: error(
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    failure: { kind: "unauthorized" },
  },
  {
    name: "words of the caller do not deny the member",
    status: 400,
    wire: error("invalid_request_error", "tools.0.name: 'Your credit balance' should match pattern"),
    failure: { kind: "invalid_request", error: { param: "tools" } },
  },
  {
    name: "the answer was filtered",
    status: 400,
    wire: error("invalid_request_error", "Output blocked by content filtering policy"),
    failure: { kind: "content_policy", error: { code: "content_filter" } },
  },
  {
    name: "a wrong key",
    status: 401,
    wire: error("authentication_error", "invalid x-api-key"),
    failure: { kind: "unauthorized" },
  },
  {
    name: "billing",
    status: 402,
    wire: error("billing_error", "There is a problem with billing."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "no permission",
    status: 403,
    wire: error("permission_error", "Not allowed."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "no such model",
    status: 404,
    wire: error("not_found_error", "model: claude-9"),
    failure: { kind: "model_not_found", error: { code: "model_not_found", param: "model" } },
  },
  {
    name: "something else that is not there",
    status: 404,
    wire: error("not_found_error", "File not found: file_011CNha8iCJcU1wXNR6q4V8w"),
    failure: { kind: "unsupported" },
  },
  {
    name: "a key of the caller's in front of the validator's words",
    status: 400,
    wire: error("invalid_request_error", "Your credit balance is too low: Extra inputs are not permitted"),
    failure: { kind: "invalid_request" },
  },
  {
    name: "too many bytes",
    status: 413,
    wire: error("request_too_large", "Request exceeds the maximum size"),
    failure: { kind: "invalid_request" },
  },
  {
    name: "too many requests",
    status: 429,
    headers: { "retry-after": "21" },
    wire: error("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
    failure: {
      kind: "rate_limited",
      retryAfterMs: 21_000,
      error: { type: "requests", code: "rate_limit_exceeded" },
    },
  },
  {
    name: "a spending limit, which comes as 429",
    status: 429,
    wire: error("rate_limit_error", "Limit reached.", {
      details: { error_code: "enforced_spend_limit_reached" },
    }),
    failure: { kind: "unauthorized" },
  },
  {
    name: "its own fault",
    status: 500,
    wire: error("api_error", "Internal server error"),
    failure: { kind: "upstream_error" },
  },
  {
    name: "too slow",
    status: 504,
    wire: error("timeout_error", "Request timed out"),
    failure: { kind: "upstream_error" },
  },
  {
    name: "overloaded",
    status: 529,
    wire: error("overloaded_error", "Overloaded"),
    failure: { kind: "upstream_error", retryAfterMs: null, error: { type: "server_error" } },
  },
  {
    name: "a page of a proxy",
    status: 502,
    wire: "<html>Bad Gateway</html>",
    failure: { kind: "upstream_error" },
  },
];
