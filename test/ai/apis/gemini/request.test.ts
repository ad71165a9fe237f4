// Requests of Google's API as chat completions.

import assert from "node:assert/strict";
import test from "node:test";
import { chatOfContents, wantsThoughts } from "#ai/apis/gemini/request.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

const written = (body: object, stream = false) => {
  const leftOut: string[] = [];
  const chat = chatOfContents(JSON.stringify(body), stream, new ToolNames(), leftOut);
  return { chat: chat.kind === "chat" ? chat.body : chat, leftOut };
};
const contents = [{ role: "user", parts: [{ text: "Hello!" }] }];
const messages = [{ role: "user", content: "Hello!" }];

test("names with underscores are the same, and so is one content or a text", () => {
  for (const asked of [contents, contents[0], ["Hello!"]])
    assert.deepEqual(written({ contents: asked }).chat, { messages });
  const { chat } = written({
    contents,
    system_instruction: { parts: [{ text: "Be brief." }] },
    generation_config: { max_output_tokens: 9, stop_sequences: ["x"] },
    tools: [
      {
        function_declarations: [
          { name: "f", parameters: { type: "OBJECT", properties: { type: { type: "STRING" } } } },
        ],
      },
    ],
    tool_config: { function_calling_config: { mode: "NONE" } },
  });
  const parameters = { type: "object", properties: { type: { type: "string" } } };
  assert.deepEqual(chat, {
    messages: [{ role: "system", content: "Be brief." }, ...messages],
    max_tokens: 9,
    stop: ["x"],
    tools: [{ type: "function", function: { name: "f", parameters } }],
    tool_choice: "none",
  });
});

test("calls without ids and their results belong together, in their order; signatures go along", () => {
  const call = (name: string, more: object = {}) => ({ functionCall: { name, args: { n: 1 } }, ...more });
  const result = (name: string, response: object) => ({ functionResponse: { name, response } });
  const { chat } = written(
    {
      contents: [
        {
          role: "model",
          parts: [{ text: "hm", thought: true }, call("f", { thoughtSignature: "s" }), call("g"), call("f")],
        },
        {
          role: "user",
          parts: [result("g", { a: 1 }), result("f", { b: 2 }), result("f", { c: 3 }), { text: "Go on." }],
        },
      ],
    },
    true,
  );
  const made = (id: string, name: string) => ({
    id,
    type: "function",
    function: { name, arguments: '{"n":1}' },
  });
  assert.deepEqual(chat, {
    messages: [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { ...made("call_0", "f"), extra_content: { google: { thought_signature: "s" } } },
          made("call_1", "g"),
          made("call_2", "f"),
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: '{"a":1}' },
      { role: "tool", tool_call_id: "call_0", content: '{"b":2}' },
      { role: "tool", tool_call_id: "call_2", content: '{"c":3}' },
      { role: "user", content: "Go on." },
    ],
    stream: true,
  });
});

test("media by their kind; numbers of arguments keep their digits", () => {
  const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "AAAA" } });
  const link = { fileData: { mimeType: "image/png", fileUri: "https://a.test/b" } };
  const parts = [inline("image/png"), inline("audio/mpeg"), inline("application/pdf"), link];
  const { chat } = written({ contents: [{ parts }] });
  assert.deepEqual((chat as { messages: { content: unknown }[] }).messages[0]?.content, [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    { type: "file", file: { filename: "file", file_data: "data:application/pdf;base64,AAAA" } },
    { type: "image_url", image_url: { url: "https://a.test/b" } },
  ]);
  const text =
    '{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890}}}]}]}';
  const exact = chatOfContents(text, false, new ToolNames(), []);
  assert.match(exact.kind === "chat" ? exact.text : "", /12345678901234567890/);
});

test("what a member cannot have is refused by name, and what changes nothing is left out by name", () => {
  const refused = (body: object) => (written({ contents, ...body }).chat as { param?: string }).param;
  assert.equal(refused({ cachedContent: "cachedContents/1" }), "cachedContent");
  assert.equal(refused({ generationConfig: { candidateCount: 2 } }), "generationConfig.candidateCount");
  assert.equal(refused({ contents: [{ parts: [{ executableCode: {} }] }] }), "contents");
  assert.equal(
    refused({
      contents: [{ parts: [{ fileData: { mimeType: "video/mp4", fileUri: "https://a.test/b" } }] }],
    }),
    "contents",
  );
  const { leftOut } = written({
    contents,
    safetySettings: [],
    tools: [{ googleSearch: {} }],
    generationConfig: { responseLogprobs: true },
  });
  assert.deepEqual(leftOut, ["safetySettings", "googleSearch", "generationConfig.responseLogprobs"]);
});

test("a schema is strict only where OpenAI's rules take it so", () => {
  const properties = { a: { type: "STRING" } };
  const formatOf = (generationConfig: object) =>
    (written({ contents, generationConfig }).chat as Record<string, unknown>).response_format;
  const formatted = (schema: object, strict: boolean) => ({
    type: "json_schema",
    json_schema: { name: "answer", schema, strict },
  });
  const lower = { type: "object", properties: { a: { type: "string" } } };
  assert.deepEqual(formatOf({ responseSchema: { type: "OBJECT", properties } }), formatted(lower, false));
  const closed = { ...lower, required: ["a"], additionalProperties: false };
  assert.deepEqual(formatOf({ responseJsonSchema: closed }), formatted(closed, true));
});

test("how hard to think: by level or by budget", () => {
  const effort = (thinkingConfig: object) =>
    (written({ contents, generationConfig: { thinkingConfig } }).chat as { reasoning_effort?: string })
      .reasoning_effort;
  assert.deepEqual(
    [
      { thinkingLevel: "HIGH" },
      { thinkingBudget: 0 },
      { thinkingBudget: -1 },
      { thinkingBudget: 8_192 },
      { thinkingBudget: 24_576 },
    ].map(effort),
    ["high", "none", undefined, "medium", "high"],
  );
  assert.equal(wantsThoughts({ generationConfig: { thinkingConfig: { includeThoughts: true } } }), true);
  assert.equal(wantsThoughts({}), false);
});

test("what is beside a text, in a tool and in its choice is named where it is lost", () => {
  const { chat, leftOut } = written({
    contents: [{ role: "user", parts: [{ text: "Hello!", video_metadata: { fps: 1 } }] }],
    systemInstruction: {
      parts: [{ text: "Be brief." }, { inlineData: { mimeType: "image/png", data: "A" } }],
    },
    tools: [{ functionDeclarations: [{ name: "f", response: { type: "STRING" } }, { name: "g" }] }],
    toolConfig: {
      functionCallingConfig: { mode: "VALIDATED", allowedFunctionNames: ["g"] },
      retrievalConfig: { languageCode: "de" },
    },
  });
  const parameters = { type: "object", properties: {} };
  assert.deepEqual(chat, {
    messages: [{ role: "system", content: "Be brief." }, ...messages],
    tools: [{ type: "function", function: { name: "g", parameters } }],
  });
  assert.deepEqual(leftOut.sort(), [
    "contents.videoMetadata",
    "functionDeclarations.response",
    "systemInstruction.inlineData",
    "toolConfig.functionCallingConfig.mode",
    "toolConfig.retrievalConfig",
  ]);
});

test("a picture that the model made stays in the conversation", () => {
  const inlineData = { mimeType: "image/png", data: "AAAA" };
  const { chat } = written({
    contents: [...contents, { role: "model", parts: [{ inlineData }] }, ...contents],
  });
  const image_url = { url: "data:image/png;base64,AAAA" };
  assert.deepEqual(chat, {
    messages: [
      ...messages,
      {
        role: "user",
        content: [
          { type: "text", text: "The assistant made these pictures:" },
          { type: "image_url", image_url },
        ],
      },
      ...messages,
    ],
  });
});
