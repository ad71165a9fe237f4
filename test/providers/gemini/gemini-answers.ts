// Whole answers and errors of Gemini as its documentation shows them, and what has to come of each.
// ai.google.dev/api/generate-content, gemini-api/docs/troubleshooting; texts of errors as users report them

import type { AnswerCase, FailureCase } from "../conformance-cases.ts";

const model = "gemini-2.5-flash";
const answer = {
  candidates: [
    { content: { parts: [{ text: "Hi there." }], role: "model" }, finishReason: "STOP", index: 0 },
  ],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 3, totalTokenCount: 7 },
  modelVersion: model,
  responseId: "mAitaLmkHPPlz7IPvtfUqQ4",
};
const candidate = (own: object) => ({ ...answer, candidates: [{ finishReason: "STOP", ...own }] });
const parts = (...own: object[]) => ({ content: { role: "model", parts: own } });
const counted = { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 };
const completed = (own: object, finish: string, usage: object = counted, logprobs: object | null = null) => ({
  id: answer.responseId,
  object: "chat.completion",
  created: 0,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...own },
      logprobs,
      finish_reason: finish,
    },
  ],
  usage,
});
const error = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, details },
});

export const geminiAnswers: readonly AnswerCase[] = [
  { name: "text", wire: answer, completion: completed({ content: "Hi there." }, "stop") },
  {
    name: "thoughts, and two calls with a number of 64 bits and a signature",
    wire: JSON.stringify(
      candidate(
        parts(
          { text: "Two cities.", thought: true },
          {
            functionCall: { name: "get_weather", args: { city: "Bonn", at: "BIG" } },
            thoughtSignature: "c2ln",
          },
          { functionCall: { name: "now" } },
        ),
      ),
    ).replace('"BIG"', "12345678901234567890"),
    completion: completed(
      {
        reasoning_content: "Two cities.",
        tool_calls: [
          {
            id: "call_mAitaLmkHPPlz7IPvtfUqQ4_0",
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Bonn","at":12345678901234567890}' },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
          {
            id: "call_mAitaLmkHPPlz7IPvtfUqQ4_1",
            type: "function",
            function: { name: "now", arguments: "{}" },
          },
        ],
      },
      "tool_calls",
    ),
  },
  {
    name: "ids that the vendor gives are kept, but never twice",
    wire: candidate(
      parts({ functionCall: { id: "f1", name: "now" } }, { functionCall: { id: "f1", name: "now" } }),
    ),
    completion: completed(
      {
        tool_calls: [
          { id: "f1", type: "function", function: { name: "now", arguments: "{}" } },
          {
            id: "call_mAitaLmkHPPlz7IPvtfUqQ4_0",
            type: "function",
            function: { name: "now", arguments: "{}" },
          },
        ],
      },
      "tool_calls",
    ),
  },
  {
    name: "everything that is counted, and log probabilities",
    wire: {
      ...candidate({
        ...parts({ text: "Hé" }),
        logprobsResult: {
          chosenCandidates: [{ token: "Hé", tokenId: 1, logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: "H", logProbability: -1 }] }],
        },
      }),
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 20,
        toolUsePromptTokenCount: 7,
        totalTokenCount: 132,
      },
    },
    completion: completed(
      { content: "Hé" },
      "stop",
      {
        prompt_tokens: 107,
        completion_tokens: 25,
        total_tokens: 132,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      {
        content: [
          {
            token: "Hé",
            logprob: -0.5,
            bytes: [72, 195, 169],
            top_logprobs: [{ token: "H", logprob: -1, bytes: [72] }],
          },
        ],
      },
    ),
  },
  {
    name: "withheld",
    wire: candidate({ finishReason: "SAFETY" }),
    completion: completed({ refusal: "The answer was withheld: SAFETY." }, "content_filter"),
  },
  {
    name: "cut for its content",
    wire: candidate({ ...parts({ text: "Roses are" }), finishReason: "RECITATION" }),
    completion: completed({ content: "Roses are" }, "content_filter"),
  },
  {
    name: "all tokens spent on thoughts",
    wire: candidate({ content: { role: "model" }, finishReason: "MAX_TOKENS" }),
    completion: completed({ content: "" }, "length"),
  },
  {
    name: "nothing at all",
    wire: candidate({ content: {} }),
    completion: completed({ content: "" }, "stop"),
    output: false,
  },
  {
    name: "the prompt was blocked",
    wire: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } },
    failure: {
      kind: "content_policy",
      error: {
        message: "The prompt was blocked: PROHIBITED_CONTENT.",
        code: "content_filter",
        param: "messages",
      },
    },
  },
  {
    name: "a call that the model could not write",
    wire: candidate({ finishReason: "MALFORMED_FUNCTION_CALL" }),
    failure: { kind: "upstream_error" },
  },
  {
    name: "no finish reason",
    wire: candidate({ ...parts({ text: "Hi" }), finishReason: undefined }),
    failure: { kind: "upstream_error" },
  },
  {
    name: "an error with 200",
    wire: error(503, "UNAVAILABLE", "The model is overloaded."),
    failure: { kind: "upstream_error", error: { message: "The model is overloaded." } },
  },
];

export const geminiFailures: readonly FailureCase[] = [
  {
    name: "a wrong key, which comes as 400",
    status: 400,
    wire: error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "API_KEY_INVALID",
        domain: "googleapis.com",
      },
    ]),
    failure: { kind: "unauthorized" },
  },
  {
    name: "an old key, by its words",
    status: 400,
    wire: error(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "words of the caller do not deny the member",
    status: 400,
    wire: error(400, "INVALID_ARGUMENT", "Invalid value at 'contents': \"API key not valid\""),
    failure: { kind: "invalid_request" },
  },
  {
    name: "a field that is wrong",
    status: 400,
    wire: error(400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified"),
    failure: { kind: "invalid_request", error: { type: "invalid_request_error", code: null } },
  },
  {
    name: "too long for the model",
    status: 400,
    wire: error(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    failure: { kind: "context_length", error: { code: "context_length_exceeded" } },
  },
  {
    name: "not served here",
    status: 400,
    wire: error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "no key",
    status: 401,
    wire: error(401, "UNAUTHENTICATED", "Request is missing a key."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "no permission",
    status: 403,
    wire: error(403, "PERMISSION_DENIED", "Denied."),
    failure: { kind: "unauthorized" },
  },
  {
    name: "a file that the caller names and that is not ready",
    status: 400,
    wire: error(
      400,
      "FAILED_PRECONDITION",
      "The File a1b2 is not in an ACTIVE state and usage is not allowed.",
    ),
    failure: { kind: "unsupported" },
  },
  {
    name: "a file that the caller names and that is not this key's",
    status: 403,
    wire: error(
      403,
      "PERMISSION_DENIED",
      "You do not have permission to access the File a1b2 or it may not exist.",
    ),
    failure: { kind: "invalid_request" },
  },
  {
    name: "something else that is not there",
    status: 404,
    wire: error(404, "NOT_FOUND", "Requested entity was not found."),
    failure: { kind: "unsupported" },
  },
  {
    name: "no such model",
    status: 404,
    wire: error(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta"),
    failure: { kind: "model_not_found", error: { code: "model_not_found", param: "model" } },
  },
  {
    name: "too many requests, as a list, with RetryInfo",
    status: 429,
    wire: [
      error(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37.826s" },
        ],
      ),
    ],
    failure: { kind: "rate_limited", retryAfterMs: 37_826, error: { code: "rate_limit_exceeded" } },
  },
  {
    name: "too many requests, with the wait in words",
    status: 429,
    wire: error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.\nPlease retry in 2.5s."),
    failure: { kind: "rate_limited", retryAfterMs: 2500 },
  },
  {
    name: "a header goes before RetryInfo",
    status: 429,
    headers: { "retry-after": "3" },
    wire: error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", [{ retryDelay: "99s" }]),
    failure: { kind: "rate_limited", retryAfterMs: 3000 },
  },
  {
    name: "overloaded",
    status: 503,
    wire: error(503, "UNAVAILABLE", "The model is overloaded."),
    failure: { kind: "upstream_error" },
  },
  {
    name: "its own fault",
    status: 500,
    wire: error(500, "INTERNAL", "An internal error has occurred."),
    failure: { kind: "upstream_error" },
  },
  {
    name: "too slow",
    status: 504,
    wire: error(504, "DEADLINE_EXCEEDED", "Deadline expired."),
    failure: { kind: "upstream_error" },
  },
];
