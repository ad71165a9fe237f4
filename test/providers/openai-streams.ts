// Streams of OpenAI's form as its vendors send them, each with its own habits: what stands in the first chunk and
// in the last, comments, line ends, reasoning, where the usage is told. platform.openai.com/docs/api-reference/chat-streaming,
// openrouter.ai/docs (streaming), console.groq.com/docs, docs.mistral.ai/api, api-docs.deepseek.com, and what Ollama, vLLM and llama.cpp write.

import type { StreamCase } from "./conformance-cases.ts";

interface Habits {
  id: string;
  model: string;
  /** In every chunk. */
  more?: object;
  end?: string;
  /** Between `data:` and the JSON. */
  space?: string;
}

const created = 1_763_640_000;

/** One vendor's hand: chunks of it, and streams from them. */
function vendor({ id, model, more = {}, end = "\n", space = " " }: Habits) {
  const chunk = (choices: object[], own: object = {}) => ({
    id,
    object: "chat.completion.chunk",
    created,
    model,
    ...more,
    choices,
    ...own,
  });
  const delta = (own: object, reason: string | null = null, index = 0, choice: object = {}) =>
    chunk([{ index, delta: own, ...choice, finish_reason: reason }]);
  const line = (data: string) => `data:${space}${data}${end}${end}`;
  const wire = (chunks: readonly object[]) => chunks.map((one) => line(JSON.stringify(one))).join("");
  const stream = (name: string, chunks: object[], last = line("[DONE]")): StreamCase => ({
    name,
    wire: wire(chunks) + last,
    chunks,
    end: last.includes("[DONE]") ? "done" : "open",
  });
  return { chunk, delta, line, wire, stream };
}

const tokens = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});
const call = (index: number, own: object, id?: string) => ({
  tool_calls: [{ index, ...(id ? { id, type: "function" } : {}), function: own }],
});

const openai = vendor({
  id: "chatcmpl-CdT0b8Vq0mJ3rZ5xY7wK1nP4sL6uH",
  model: "gpt-4.1-2025-04-14",
  more: { service_tier: "default", system_fingerprint: "fp_3502f4eb73", usage: null, obfuscation: "a8Kq" },
});
const plainOpenai = vendor({ id: "chatcmpl-1", model: "gpt-4o-mini-2024-07-18" });
const role = { role: "assistant", content: "", refusal: null };
const counted = (prompt: number, completion: number) =>
  openai.chunk([], {
    usage: tokens(prompt, completion, {
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
    }),
  });

const ofOpenai: StreamCase[] = [
  openai.stream("OpenAI: text with usage", [
    openai.delta(role),
    openai.delta({ content: "Grüße" }),
    openai.delta({ content: " 👋🏽 " }),
    openai.delta({ content: "𝕏\u2028" }),
    openai.delta({}, "stop"),
    counted(9, 6),
  ]),
  openai.stream("OpenAI: two calls in parallel", [
    openai.delta({ ...role, content: null, ...call(0, { name: "get_weather", arguments: "" }, "call_a1") }),
    openai.delta(call(0, { arguments: '{"ci' })),
    openai.delta(call(0, { arguments: 'ty":"Köln"}' })),
    openai.delta(call(1, { name: "get_weather", arguments: "" }, "call_b2")),
    openai.delta(call(1, { arguments: '{"city":"Bonn"}' })),
    openai.delta({}, "tool_calls"),
    counted(60, 33),
  ]),
  openai.stream("OpenAI: two choices, interleaved", [
    openai.delta(role, null, 0),
    openai.delta({ content: "Heads" }, null, 0),
    openai.delta(role, null, 1),
    openai.delta({ content: "Tails" }, null, 1),
    openai.delta({}, "stop", 1),
    openai.delta({ content: "!" }, null, 0),
    openai.delta({}, "stop", 0),
    counted(9, 4),
  ]),
  openai.stream("OpenAI: a refusal", [
    openai.delta(role),
    openai.delta({ refusal: "I'm sorry" }),
    openai.delta({ refusal: ", no." }),
    openai.delta({}, "stop"),
  ]),
  openai.stream("OpenAI: cut for its content", [openai.delta(role), openai.delta({}, "content_filter")]),
  openai.stream("OpenAI: log probabilities", [
    openai.delta(role, null, 0, { logprobs: null }),
    openai.delta({ content: "Hi" }, null, 0, {
      logprobs: { content: [{ token: "Hi", logprob: -0.0001, bytes: [72, 105], top_logprobs: [] }] },
    }),
    openai.delta({}, "length", 0, { logprobs: null }),
  ]),
  plainOpenai.stream(
    "OpenAI: the stream breaks off",
    [plainOpenai.delta(role), plainOpenai.delta({ content: "Hel" })],
    "",
  ),
  {
    ...plainOpenai.stream(
      "OpenAI: an error in the middle",
      [plainOpenai.delta(role), plainOpenai.delta({ content: "Hel" })],
      `event: error\ndata: {"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}\n\n`,
    ),
    end: { kind: "upstream_error", error: { type: "server_error" } },
  },
];

const azure = vendor({
  id: "chatcmpl-Azure1",
  model: "gpt-4o-2024-11-20",
  more: { system_fingerprint: "fp_b705f0c291" },
});
const harmless = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };
const mistral = vendor({ id: "3c1d0f6a9b7e4c2d8f5a", model: "mistral-small-latest" });
const groq = vendor({
  id: "chatcmpl-f51b2cd2",
  model: "llama-3.3-70b-versatile",
  more: { system_fingerprint: "fp_6507bcfb6f" },
});
const xGroq = { id: "req_01jbd6g2qdfw2adyrt2az8hz4w" };
const deepseek = vendor({ id: "1f633d8bfc032625086f14113c411638", model: "deepseek-reasoner" });
const openrouter = vendor({
  id: "gen-1763640000-Xyz",
  model: "anthropic/claude-sonnet-4.5",
  more: { provider: "Amazon Bedrock" },
});
const ollama = vendor({ id: "chatcmpl-691", model: "llama3.2", more: { system_fingerprint: "fp_ollama" } });
const vllm = vendor({ id: "chatcmpl-9a7f", model: "Qwen/Qwen3-8B" });
const llama = vendor({
  id: "chatcmpl-Tq9",
  model: "gemma-3",
  more: { system_fingerprint: "b6942-deadbeef" },
});
const together = vendor({ id: "o95WVDB-2kFHot-9b1f", model: "meta-llama/Llama-3.3-70B-Instruct-Turbo" });
const xai = vendor({ id: "a3d1008e-4544-40d4", model: "grok-4", end: "\r\n" });
const studio = vendor({ id: "chatcmpl-rx1", model: "qwen2.5-7b", space: "" });

const ofOthers: StreamCase[] = [
  azure.stream("Azure OpenAI: filters beside the text", [
    azure.delta({ role: "assistant", content: "" }, null, 0, { content_filter_results: {}, logprobs: null }),
    azure.delta({ content: "Hello" }, null, 0, harmless),
    azure.delta({}, "stop", 0, { content_filter_results: {} }),
    azure.chunk([], { usage: tokens(8, 2) }),
  ]),
  mistral.stream("Mistral: the usage stands in the last chunk, unasked", [
    mistral.delta({ role: "assistant", content: "" }),
    mistral.delta({ content: "Bonjour" }),
    mistral.chunk([{ index: 0, delta: { content: "" }, finish_reason: "stop" }], { usage: tokens(4, 3) }),
  ]),
  mistral.stream("Mistral: a call whole in one chunk", [
    mistral.chunk(
      [
        {
          index: 0,
          delta: {
            role: "assistant",
            content: "",
            tool_calls: [
              {
                id: "D681PevKs",
                type: "function",
                function: { name: "get_weather", arguments: '{"city": "Paris"}' },
                index: 0,
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      { usage: tokens(90, 20) },
    ),
  ]),
  groq.stream("Groq: its own object at both ends", [
    groq.chunk(
      [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
      { x_groq: xGroq },
    ),
    groq.delta({ content: "Fast" }),
    groq.chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }], {
      x_groq: { ...xGroq, usage: { queue_time: 0.037, ...tokens(18, 4), total_time: 0.0021 } },
    }),
  ]),
  {
    ...groq.stream(
      "Groq: a failed call is an error event",
      [groq.delta({ role: "assistant", content: "" })],
      `event: error\ndata: {"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<x>","status_code":400}}\n\n`,
    ),
    end: { kind: "invalid_request", error: { code: "tool_use_failed" } },
  },
  deepseek.stream("DeepSeek: reasoning before the answer", [
    deepseek.delta({ role: "assistant", content: null, reasoning_content: "" }),
    deepseek.delta({ content: null, reasoning_content: "9.11" }),
    deepseek.delta({ content: null, reasoning_content: " < 9.8" }),
    deepseek.delta({ content: "9.8", reasoning_content: null }),
    deepseek.chunk(
      [{ index: 0, delta: { content: "", reasoning_content: null }, logprobs: null, finish_reason: "stop" }],
      {
        usage: tokens(18, 40, { prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 18 }),
      },
    ),
  ]),
  {
    ...deepseek.stream("DeepSeek: comments while it waits", [
      deepseek.delta({ role: "assistant", content: "" }),
      deepseek.delta({ content: "ok" }),
      deepseek.delta({ content: "" }, "insufficient_system_resource"),
    ]),
    wire: `: keep-alive\n\n: keep-alive\n\n${deepseek.wire([
      deepseek.delta({ role: "assistant", content: "" }),
      deepseek.delta({ content: "ok" }),
    ])}: keep-alive\n\n${deepseek.wire([deepseek.delta({ content: "" }, "insufficient_system_resource")])}data: [DONE]\n\n`,
  },
  {
    ...openrouter.stream("OpenRouter: comments first, a native reason", [
      openrouter.delta({ role: "assistant", content: "Hi" }, null, 0, { native_finish_reason: null }),
      openrouter.delta({ role: "assistant", content: "" }, "stop", 0, { native_finish_reason: "end_turn" }),
      openrouter.chunk([], { usage: tokens(14, 4, { cost: 0.000123, is_byok: false }) }),
    ]),
    wire: `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${openrouter.wire([
      openrouter.delta({ role: "assistant", content: "Hi" }, null, 0, { native_finish_reason: null }),
      openrouter.delta({ role: "assistant", content: "" }, "stop", 0, { native_finish_reason: "end_turn" }),
      openrouter.chunk([], { usage: tokens(14, 4, { cost: 0.000123, is_byok: false }) }),
    ])}data: [DONE]\n\n`,
  },
  {
    ...openrouter.stream(
      "OpenRouter: its provider went away",
      [openrouter.delta({ role: "assistant", content: "Hi" })],
      openrouter.line(
        JSON.stringify(
          openrouter.chunk([{ index: 0, delta: { content: "" }, finish_reason: "error" }], {
            error: { code: "server_error", message: "Provider disconnected unexpectedly" },
          }),
        ),
      ),
    ),
    end: {
      kind: "upstream_error",
      error: { message: "Provider disconnected unexpectedly", code: "server_error" },
    },
  },
  {
    ...openrouter.stream(
      "OpenRouter: at its limit, as the first event",
      [],
      'data: {"error":{"code":429,"message":"Rate limited upstream"}}\n\n',
    ),
    end: { kind: "rate_limited", error: { code: "429" } },
  },
  ollama.stream("Ollama: the role in every chunk", [
    ollama.delta({ role: "assistant", content: "The" }),
    ollama.delta({ role: "assistant", content: " sky" }),
    ollama.delta({ role: "assistant", content: "" }, "stop"),
    ollama.chunk([], { usage: tokens(26, 3) }),
  ]),
  vllm.stream("vLLM: the usage of so far in every chunk", [
    vllm.chunk(
      [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
      { usage: tokens(11, 0) },
    ),
    vllm.chunk([{ index: 0, delta: { content: "Sure" }, logprobs: null, finish_reason: null }], {
      usage: tokens(11, 1),
    }),
    vllm.chunk(
      [{ index: 0, delta: { content: "" }, logprobs: null, finish_reason: "stop", stop_reason: null }],
      { usage: tokens(11, 2) },
    ),
    vllm.chunk([], { usage: tokens(11, 2) }),
  ]),
  vllm.stream("vLLM: reasoning", [
    vllm.delta({ role: "assistant", content: "" }),
    vllm.delta({ reasoning_content: "Hm" }),
    vllm.delta({ content: "Yes" }),
    vllm.delta({ content: "" }, "stop"),
  ]),
  llama.stream("llama.cpp: timings in the last chunk", [
    llama.delta({ role: "assistant", content: null }),
    llama.delta({ content: "A" }),
    llama.delta({}, "stop"),
    llama.chunk([], { usage: tokens(13, 2), timings: { prompt_n: 13, predicted_ms: 121.337 } }),
  ]),
  together.stream(
    "Together: no [DONE] before the wire ends",
    [
      together.delta({ role: "assistant", content: "Yo" }),
      together.chunk(
        [{ index: 0, delta: { content: "" }, finish_reason: "eos", seed: 14_805_187_340_138_742_000 }],
        { usage: tokens(3, 2) },
      ),
    ],
    "",
  ),
  xai.stream("xAI: lines that end in CRLF", [
    xai.delta({ role: "assistant", content: "4", reasoning_content: "2+2" }),
    xai.delta({}, "stop"),
    xai.chunk([], { usage: tokens(5, 1, { num_sources_used: 0 }) }),
  ]),
  studio.stream("LM Studio: no blank behind the colon", [
    studio.delta({ role: "assistant", content: "Hey" }),
    studio.delta({}, "stop"),
  ]),
];

export const openaiStreams: readonly StreamCase[] = [...ofOpenai, ...ofOthers];

/** Azure begins with the verdict on the prompt: no choices, no name, no date. */
export const azureVerdict = `data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}\n\n${azure.wire(
  [azure.delta({ role: "assistant", content: "Hi" }), azure.delta({}, "stop")],
)}data: [DONE]\n\n`;
