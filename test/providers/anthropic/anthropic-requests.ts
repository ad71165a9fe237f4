// Requests to Anthropic as its documentation has them, each beside the OpenAI request that it comes from, and what cannot
// be said to it at all. platform.claude.com/docs/en/api/messages, build-with-claude/structured-outputs,
// build-with-claude/thinking, agents-and-tools/tool-use/implement-tool-use

import type { RefusedCase, RequestCase } from "../conformance-cases.ts";

const host = "https://api.anthropic.com";
const url = `${host}/v1/messages`;
const key = "sk-ant-api03-example-0123-not-a-key-4567890abc";
const hello = [{ role: "user", content: "Hello" }];
const model = "claude-sonnet-4-5-20250929";
const basic = { model, max_tokens: 21_333, messages: hello };
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a place.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const weatherTool = {
  name: "get_weather",
  description: "The weather of a place.",
  input_schema: weather.function.parameters,
};
const call = (id: string, city: string) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: JSON.stringify({ city }) },
});
const use = (id: string, city: string) => ({ type: "tool_use", id, name: "get_weather", input: { city } });

export const anthropicRequests: readonly RequestCase[] = [
  {
    name: "the least there is",
    body: { messages: hello },
    request: {
      url,
      headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
      body: basic,
    },
  },
  {
    name: "another host, version, limit and header; a model without a version in its name",
    body: { messages: hello },
    model: "claude",
    settings: {
      base_url: "http://127.0.0.1:9100/",
      version: "2026-01-01",
      max_tokens: 77,
      headers: { "anthropic-beta": "context-1m-2025-08-07" },
    },
    request: {
      url: "http://127.0.0.1:9100/v1/messages",
      headers: { "anthropic-version": "2026-01-01", "anthropic-beta": "context-1m-2025-08-07" },
      body: { model: "claude", max_tokens: 77, messages: hello },
    },
  },
  {
    name: "streamed, with every plain parameter",
    body: {
      messages: hello,
      max_completion_tokens: 100,
      max_tokens: 50,
      temperature: 0.5,
      stop: "END",
      user: "u-1",
      seed: 7,
      n: 1,
      logprobs: false,
      presence_penalty: 0,
      store: true,
      metadata: { a: "b" },
      stream_options: { include_usage: true },
      parallel_tool_calls: true,
      frequency_penalty: null,
    },
    stream: true,
    request: {
      url,
      headers: { accept: "text/event-stream" },
      body: {
        ...basic,
        max_tokens: 100,
        temperature: 0.5,
        stop_sequences: ["END"],
        metadata: { user_id: "u-1" },
        stream: true,
      },
    },
  },
  {
    name: "two rounds of tools, the first in parallel and answered out of order",
    body: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Compare." }] },
        {
          role: "assistant",
          content: "Looking.",
          tool_calls: [call("call_1", "Bonn"), call("call.2", "Rom")],
        },
        { role: "tool", tool_call_id: "call.2", content: "hot" },
        { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "cold" }] },
        { role: "developer", content: "Use Celsius." },
        { role: "assistant", content: null, tool_calls: [call("call_1", "Oslo")] },
        { role: "tool", tool_call_id: "call_1", content: "" },
        { role: "user", content: "Well?" },
      ],
      tools: [weather],
      tool_choice: "required",
      parallel_tool_calls: false,
    },
    request: {
      url,
      body: {
        ...basic,
        system: "Be brief.\nUse Celsius.",
        messages: [
          { role: "user", content: "Compare." },
          {
            role: "assistant",
            content: [{ type: "text", text: "Looking." }, use("call_1", "Bonn"), use("call_2", "Rom")],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1", content: "cold" },
              { type: "tool_result", tool_use_id: "call_2", content: "hot" },
            ],
          },
          { role: "assistant", content: [use("call_1_2", "Oslo")] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1_2" },
              { type: "text", text: "Well?" },
            ],
          },
        ],
        tools: [weatherTool],
        tool_choice: { type: "any", disable_parallel_tool_use: true },
      },
    },
  },
  {
    name: "pictures and files",
    body: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "high" } },
            { type: "image_url", image_url: { url: "https://x.test/a.png?b=1" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
            },
            { type: "text", text: "What is this?", cache_control: { type: "ephemeral" } },
          ],
        },
      ],
    },
    request: {
      url,
      body: {
        ...basic,
        messages: [
          {
            role: "user",
            content: [
              {
                type: "image",
                source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
              },
              { type: "image", source: { type: "url", url: "https://x.test/a.png?b=1" } },
              {
                type: "document",
                source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
                title: "a.pdf",
              },
              { type: "text", text: "What is this?", cache_control: { type: "ephemeral" } },
            ],
          },
        ],
      },
    },
  },
  {
    name: "a JSON schema, whose bounds become words",
    body: {
      messages: hello,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "age",
          strict: true,
          schema: {
            type: "object",
            properties: { age: { type: "integer", minimum: 0 } },
            required: ["age"],
            additionalProperties: false,
          },
        },
      },
    },
    request: {
      url,
      body: {
        ...basic,
        output_config: {
          format: {
            type: "json_schema",
            schema: {
              type: "object",
              properties: { age: { type: "integer", description: "{minimum: 0}" } },
              required: ["age"],
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
  {
    name: "any JSON, by a tool that has to be called",
    body: { messages: hello, response_format: { type: "json_object" } },
    request: {
      url,
      body: {
        ...basic,
        tools: [
          {
            name: "json_object_answer",
            description: "Gives the answer, a JSON object with whatever keys were asked for.",
            input_schema: { type: "object", additionalProperties: true },
          },
        ],
        tool_choice: { type: "tool", name: "json_object_answer", disable_parallel_tool_use: true },
      },
    },
  },
  {
    name: "thinking with a budget, on top of the answer's tokens",
    body: { messages: hello, reasoning_effort: "medium", temperature: 1 },
    request: {
      url,
      body: { ...basic, max_tokens: 29_525, thinking: { type: "enabled", budget_tokens: 8192 } },
    },
  },
  {
    name: "thinking by effort",
    body: { messages: hello, reasoning_effort: "minimal", max_tokens: 2000 },
    model: "claude-opus-4-6",
    request: {
      url,
      body: {
        model: "claude-opus-4-6",
        max_tokens: 2000,
        messages: hello,
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "low" },
      },
    },
  },
];

export const anthropicUntranslatable: readonly RefusedCase[] = [
  { name: "several answers", body: { messages: hello, n: 2 }, param: "n" },
  { name: "log probabilities", body: { messages: hello, logprobs: true }, param: "logprobs" },
  {
    name: "temperature over 1",
    body: { messages: hello, temperature: 1.2 },
    param: "temperature",
    says: /0 to 1/,
  },
  {
    name: "a temperature that is none",
    body: { messages: hello, temperature: "hot" },
    param: "temperature",
  },
  {
    name: "sampling for a model that is past it",
    body: { messages: hello, temperature: 0 },
    model: "claude-opus-4-7",
    param: "temperature",
  },
  { name: "two samplers", body: { messages: hello, temperature: 0, top_p: 0.5 }, param: "top_p" },
  { name: "biased tokens", body: { messages: hello, logit_bias: { "1": 5 } }, param: "logit_bias" },
  { name: "a parameter that nobody knows", body: { messages: hello, no_such: 1 }, param: "no_such" },
  { name: "a stop of whitespace", body: { messages: hello, stop: ["\n"] }, param: "stop" },
  { name: "custom tools", body: { messages: hello, tools: [{ type: "custom" }] }, param: "tools" },
  {
    name: "a choice without tools",
    body: { messages: hello, tool_choice: "required" },
    param: "tool_choice",
  },
  {
    name: "any JSON beside tools",
    body: { messages: hello, tools: [weather], response_format: { type: "json_object" } },
    param: "response_format",
  },
  {
    name: "a schema with open keys",
    body: {
      messages: hello,
      response_format: {
        type: "json_schema",
        json_schema: { name: "map", schema: { type: "object", additionalProperties: { type: "number" } } },
      },
    },
    param: "response_format",
  },
  {
    name: "sound",
    body: {
      messages: [
        {
          role: "user",
          content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }],
        },
      ],
    },
    param: "messages",
    says: /audio\/wav/,
  },
  {
    name: "a picture from elsewhere",
    body: {
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] },
      ],
    },
    param: "messages",
  },
  {
    name: "a call that nobody answers",
    body: { messages: [...hello, { role: "assistant", tool_calls: [call("call_1", "Bonn")] }] },
    param: "messages",
    says: /call_1/,
  },
  {
    name: "an answer to no call",
    body: { messages: [...hello, { role: "tool", tool_call_id: "x", content: "y" }] },
    param: "messages",
  },
  {
    name: "thinking without room for it",
    body: { messages: hello, reasoning_effort: "low", max_tokens: 1000 },
    param: "reasoning_effort",
  },
  {
    name: "thinking and a forced tool",
    body: { messages: hello, reasoning_effort: "low", tools: [weather], tool_choice: "required" },
    param: "tool_choice",
  },
];
