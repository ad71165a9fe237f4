// A prompt that is too long, in the words of many servers; and sentences that are about something else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPrefixes } from "#providers/failure/prefixes.ts";
import { isTooLong } from "#providers/failure/too-long.ts";

const tooLong: readonly (readonly [server: string, message: string])[] = [
  [
    "OpenAI",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  ],
  ["OpenAI", "Your input exceeds the context window of this model. Please adjust your input and try again."],
  ["OpenRouter", "This endpoint's maximum context length is 8192 tokens. However, you requested about 9001."],
  [
    "vLLM",
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens",
  ],
  ["vLLM", "The decoder prompt (length 9000) is longer than the maximum model length of 4096."],
  ["vLLM", "Input length (265330) exceeds model's maximum context length (262144)."],
  ["vLLM", "The prompt (total length 5000) is too long to fit into the model (context length 4096)."],
  [
    "vLLM",
    "You passed 40000 input tokens and requested 100 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 32668 tokens.",
  ],
  ["SGLang", "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
  [
    "SGLang",
    "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9001 tokens",
  ],
  ["TGI", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 6000 `inputs`"],
  ["TGI", "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000"],
  ["llama.cpp", "the request exceeds the available context size, try increasing it"],
  ["llama.cpp", "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it"],
  ["llama.cpp", "input (12002 tokens) is too large to process. increase the physical batch size"],
  ["LM Studio", "Context size has been exceeded."],
  ["LM Studio", "Trying to keep the first 9001 tokens when context the overflows."],
  [
    "LM Studio",
    "The number of tokens to keep from the initial prompt is greater than the context length. Try to load",
  ],
  ["LM Studio", "Reached context length of 4096 tokens with model (arch: qwen2) that does not currently"],
  ["Ollama", "the input length exceeds the context length"],
  ["Ollama", "prompt too long; exceeded max context length by 5 tokens"],
  ["Anthropic", "prompt is too long: 209303 tokens > 200000 maximum"],
  ["Anthropic", "input length and `max_tokens` exceed context limit: 199500 + 8192 > 200000"],
  ["Anthropic", "This request would exceed the model's maximum context window."],
  ["Gemini", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [
    "Vertex",
    "Unable to submit request because the input token count is 1048577 but the model supports 1048576",
  ],
  ["Bedrock", "Input is too long for requested model."],
  ["Bedrock", "Too many input tokens. Max input tokens: 8192, request input token count: 9001"],
  [
    "Mistral",
    "Prompt contains 9001 tokens and 0 draft tokens, too large for model with 8192 maximum context",
  ],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 131072 (requested: 200000)"],
  ["Qwen", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]"],
  ["Z.AI", "Prompt exceeds max length"],
  ["Z.AI", "Prompt 超长"],
  ["MiniMax", "invalid params, context window exceeds limit (2013)"],
  ["Copilot", "prompt token count of 130000 exceeds the limit of 128000"],
  ["Poolside", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."],
  ["ds4", "Prompt has 256468 tokens, but the configured context size is 256000 tokens"],
  ["ds4", "Prompt tokens (256468) exceeds context size (256000)"],
  ["DeepInfra", "Requested input length 5000 exceeds maximum input length 4096"],
  ["Fireworks", "The prompt is too long: 200000, model maximum context length: 131071"],
  ["Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 6000."],
  ["watsonx", "The number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model"],
  [
    "SambaNova",
    "Requested generation length 1 is not possible! The provided prompt is 8500 tokens long, so generating",
  ],
  ["a proxy", "Request size exceeds model context window"],
  ["a proxy", "400 request (481909 tokens) exceeds the available context size (32768 tokens)"],
  [
    "LiteLLM",
    "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum",
  ],
  [
    "LiteLLM",
    'litellm.BadRequestError: VertexAIException BadRequestError - {"error":{"code":400,"message":"The input token count (12) exceeds the maximum number of tokens allowed (10)."',
  ],
  [
    "LiteLLM",
    'litellm.APIConnectionError: OllamaException - {"error":"the input length exceeds the context length"}',
  ],
  [
    "OpenAI's SDK in a proxy",
    "Error code: 400 - {'error': {'message': \"This model's maximum context length is 4097 tokens.\"",
  ],
  [
    "OpenRouter",
    "Upstream error from DeepInfra: Requested input length 5000 exceeds maximum input length 4096",
  ],
  [
    "OpenRouter",
    '{"object":"error","message":"Input length (265330) exceeds model\'s maximum context length (262144)."',
  ],
];

const otherwise: readonly string[] = [
  "Request exceeds the maximum size",
  "Request too large for gpt-4.1 on tokens per min (TPM): Limit 1, Requested 2",
  "Too many tokens per day, please wait before trying again.",
  "Too many tokens per minute",
  "Token rate limit exceeded for this model",
  "Input image exceeds the maximum size of 20 MB",
  "The maximum tokens you requested exceeds the model limit of 8192",
  "max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens",
  "Number of tools exceeds the maximum of 128",
  "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10",
  "Invalid value: 'prompt is too long: 208310 tokens > 200000 maximum'",
  "'prompt is too long: 208310 tokens > 200000 maximum' is not a valid value",
  "Text exceeds the maximum length of 4096 characters",
  "The prompt was flagged by our policy, which limits the context.",
  "Unknown parameter: 'prompt'. The input token count exceeds the maximum context",
  "Message exceeds the maximum size",
  "You exceeded your current quota, please check your plan",
  "messages: at least one message is required",
  "The request timed out while the model was reading the context",
  "",
];

const isRead = (message: string) => {
  const { text, kind } = withoutPrefixes(message);
  return kind === "context_length" || isTooLong(text);
};

for (const [server, message] of tooLong)
  test(`${server}: ${message}`, () => assert.equal(isRead(message), true));

test("sentences about a rate, a size, a field or a quotation do not say it", () => {
  for (const message of otherwise) assert.equal(isRead(message), false, message);
});
