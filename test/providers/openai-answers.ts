// Whole answers of OpenAI's form, as its vendors send them. platform.openai.com/docs/api-reference/chat,
// openrouter.ai/docs, api-docs.deepseek.com, and what vLLM, llama.cpp and Ollama write.

import type { AnswerCase } from "./conformance-cases.ts";

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
    failure: { kind: "upstream_error", error: { message: "Provider returned error", code: "502" } },
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
    failure: { kind: "rate_limited", error: { message: "slow" } },
  },
];
