// Requests to Gemini as its documentation has them, each beside the OpenAI request that it comes from, and what cannot
// be said to it at all. ai.google.dev/api/generate-content, gemini-api/docs/function-calling, /structured-output,
// /thinking, /thought-signatures

import type { RefusedCase, RequestCase } from "../conformance-cases.ts";

const host = "https://generativelanguage.googleapis.com";
const model = "gemini-2.5-flash";
const url = `${host}/v1beta/models/${model}:generateContent`;
const key = "AIzaSyExample-0123-not-a-key-4567890abc";
const hello = [{ role: "user", content: "Hello" }];
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = {
  type: "function",
  function: { name: "get_weather", description: "The weather of a place.", parameters, strict: true },
};
const call = (id: string, city: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: JSON.stringify({ city }) },
  ...more,
});
const used = (city: string, id?: object) => ({
  functionCall: { ...id, name: "get_weather", args: { city } },
});
const response = (text: object, id?: object) => ({
  functionResponse: { ...id, name: "get_weather", response: text },
});

export const geminiRequests: readonly RequestCase[] = [
  {
    name: "the least there is",
    body: { messages: hello },
    request: {
      url,
      headers: { "x-goog-api-key": key, "content-type": "application/json" },
      body: { contents },
    },
  },
  {
    name: "streamed, from another host",
    body: { messages: hello, stream_options: { include_usage: true } },
    stream: true,
    settings: { base_url: "http://127.0.0.1:9100/", headers: { "x-extra": "1" } },
    request: {
      url: `http://127.0.0.1:9100/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      headers: { accept: "text/event-stream", "x-extra": "1" },
      body: { contents },
    },
  },
  {
    name: "a model's name cannot leave its path",
    body: { messages: hello },
    model: "../../v1/x?key=1#",
    request: {
      url: `${host}/v1beta/models/..%2F..%2Fv1%2Fx%3Fkey%3D1%23:generateContent`,
      body: { contents },
    },
  },
  {
    name: "a tuned model",
    body: { messages: hello },
    model: "tunedModels/mine-1",
    request: { url: `${host}/v1beta/tunedModels/mine-1:generateContent`, body: { contents } },
  },
  {
    name: "every plain parameter",
    body: {
      messages: hello,
      max_tokens: 50,
      temperature: 2,
      top_p: 0.5,
      top_k: 40,
      n: 2,
      stop: ["A", "B"],
      seed: -1,
      presence_penalty: 1,
      frequency_penalty: -1,
      logprobs: true,
      top_logprobs: 3,
      user: "u",
      store: false,
    },
    request: {
      url,
      body: {
        contents,
        generationConfig: {
          temperature: 2,
          topP: 0.5,
          topK: 40,
          candidateCount: 2,
          maxOutputTokens: 50,
          stopSequences: ["A", "B"],
          presencePenalty: 1,
          frequencyPenalty: -1,
          seed: -1,
          responseLogprobs: true,
          logprobs: 3,
        },
      },
    },
  },
  {
    name: "two rounds of tools, the first in parallel and answered out of order",
    body: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Compare." },
        { role: "assistant", content: "Looking.", tool_calls: [call("a", "Bonn"), call("b", "Rom")] },
        { role: "tool", tool_call_id: "b", content: '{"sky":"blue","n":12345678901234567890}' },
        { role: "tool", tool_call_id: "a", content: "cold" },
        { role: "developer", content: "Use Celsius." },
        { role: "assistant", content: "", tool_calls: [call("a", "Oslo")] },
        { role: "tool", tool_call_id: "a", content: "[1]" },
        { role: "user", content: "Well?", name: "Ann" },
      ],
      tools: [weather],
      tool_choice: { type: "function", function: { name: "get_weather" } },
    },
    request: {
      url,
      body: {
        systemInstruction: { parts: [{ text: "Be brief." }, { text: "Use Celsius." }] },
        contents: [
          { role: "user", parts: [{ text: "Compare." }] },
          { role: "model", parts: [{ text: "Looking." }, used("Bonn"), used("Rom")] },
          {
            role: "user",
            parts: [
              response({ output: "cold" }),
              response(JSON.parse('{"sky":"blue","n":12345678901234567890}')),
            ],
          },
          { role: "model", parts: [used("Oslo")] },
          { role: "user", parts: [response({ output: "[1]" })] },
          { role: "user", parts: [{ text: "Ann: Well?" }] },
        ],
        tools: [
          {
            functionDeclarations: [
              {
                name: "get_weather",
                description: "The weather of a place.",
                parametersJsonSchema: parameters,
              },
            ],
          },
        ],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
      },
    },
  },
  {
    name: "signed calls go back signed, and unsigned ones are said to be",
    model: "gemini-3-pro-preview",
    body: {
      messages: [
        ...hello,
        {
          role: "assistant",
          tool_calls: [
            call("a", "Bonn", { extra_content: { google: { thought_signature: "c2lnbg==" } } }),
            call("b", "Rom"),
          ],
        },
        { role: "tool", tool_call_id: "a", content: "cold" },
        { role: "tool", tool_call_id: "b", content: "hot" },
        { role: "assistant", tool_calls: [call("c", "Oslo")] },
        { role: "tool", tool_call_id: "c", content: "wet" },
      ],
    },
    request: {
      url: `${host}/v1beta/models/gemini-3-pro-preview:generateContent`,
      body: {
        contents: [
          ...contents,
          {
            role: "model",
            parts: [{ ...used("Bonn", { id: "a" }), thoughtSignature: "c2lnbg==" }, used("Rom", { id: "b" })],
          },
          {
            role: "user",
            parts: [response({ output: "cold" }, { id: "a" }), response({ output: "hot" }, { id: "b" })],
          },
          {
            role: "model",
            parts: [{ ...used("Oslo", { id: "c" }), thoughtSignature: "skip_thought_signature_validator" }],
          },
          { role: "user", parts: [response({ output: "wet" }, { id: "c" })] },
        ],
      },
    },
  },
  {
    name: "pictures, sound and a file",
    body: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "image_url", image_url: { url: "https://x.test/a.jpg" } },
            { type: "image_url", image_url: { url: "https://x.test/a" } },
            { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=" } },
          ],
        },
      ],
    },
    request: {
      url,
      body: {
        contents: [
          {
            role: "user",
            parts: [
              { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
              { fileData: { mimeType: "image/jpeg", fileUri: "https://x.test/a.jpg" } },
              { fileData: { fileUri: "https://x.test/a" } },
              { inlineData: { mimeType: "audio/wav", data: "AA==" } },
              { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
            ],
          },
        ],
      },
    },
  },
  {
    name: "a JSON schema",
    body: {
      messages: hello,
      response_format: { type: "json_schema", json_schema: { name: "x", schema: parameters } },
    },
    request: {
      url,
      body: {
        contents,
        generationConfig: { responseMimeType: "application/json", responseJsonSchema: parameters },
      },
    },
  },
  {
    name: "any JSON, thinking with a budget",
    body: { messages: hello, response_format: { type: "json_object" }, reasoning_effort: "high" },
    request: {
      url,
      body: {
        contents,
        generationConfig: {
          responseMimeType: "application/json",
          thinkingConfig: { includeThoughts: true, thinkingBudget: 24_576 },
        },
      },
    },
  },
  {
    name: "thinking by level, beside tools and JSON",
    model: "gemini-3-pro-preview",
    body: {
      messages: hello,
      reasoning_effort: "minimal",
      tools: [{ type: "function", function: { name: "now" } }],
      tool_choice: "none",
      parallel_tool_calls: false,
      response_format: { type: "json_object" },
    },
    request: {
      url: `${host}/v1beta/models/gemini-3-pro-preview:generateContent`,
      body: {
        contents,
        tools: [{ functionDeclarations: [{ name: "now" }] }],
        toolConfig: { functionCallingConfig: { mode: "NONE" } },
        generationConfig: {
          responseMimeType: "application/json",
          thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" },
        },
      },
    },
  },
  {
    name: "without thinking",
    body: { messages: hello, reasoning_effort: "none" },
    request: { url, body: { contents, generationConfig: { thinkingConfig: { thinkingBudget: 0 } } } },
  },
];

export const geminiUntranslatable: readonly RefusedCase[] = [
  { name: "temperature over 2", body: { messages: hello, temperature: 3 }, param: "temperature" },
  { name: "a seed of 64 bits", body: { messages: hello, seed: 9_007_199_254_740_991 }, param: "seed" },
  { name: "too many answers", body: { messages: hello, n: 9 }, param: "n" },
  { name: "biased tokens", body: { messages: hello, logit_bias: { "1": 5 } }, param: "logit_bias" },
  {
    name: "one call at a time",
    body: { messages: hello, tools: [weather], parallel_tool_calls: false },
    param: "parallel_tool_calls",
  },
  {
    name: "JSON beside tools before version 3",
    body: { messages: hello, tools: [weather], response_format: { type: "json_object" } },
    param: "response_format",
  },
  {
    name: "a model that always thinks",
    body: { messages: hello, reasoning_effort: "none" },
    model: "gemini-2.5-pro",
    param: "reasoning_effort",
  },
  {
    name: "a model that never thinks",
    body: { messages: hello, reasoning_effort: "low" },
    model: "gemini-2.0-flash",
    param: "reasoning_effort",
  },
  { name: "spoken answers", body: { messages: hello, modalities: ["text", "audio"] }, param: "modalities" },
  {
    name: "a picture as a tool's result",
    body: {
      messages: [
        ...hello,
        { role: "assistant", tool_calls: [call("a", "Bonn")] },
        {
          role: "tool",
          tool_call_id: "a",
          content: [{ type: "image_url", image_url: { url: "https://x.test/a.png" } }],
        },
      ],
    },
    param: "messages",
  },
];
