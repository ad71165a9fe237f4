// Streams put together to the answers that they made, in each API, whole and broken off.

import assert from "node:assert/strict";
import test from "node:test";
import { wholeAnswer } from "#ai/content-log/whole-answer.ts";

const events = (list: readonly Record<string, unknown>[]) =>
  list
    .map(
      (value) =>
        `${value.type === undefined ? "" : `event: ${value.type}\n`}data: ${JSON.stringify(value)}\n\n`,
    )
    .join("");

const chat = [
  {
    id: "c",
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: 0, delta: { role: "assistant", content: "Hel" } }],
  },
  {
    id: "c",
    model: "m",
    choices: [{ index: 0, delta: { content: "lo" }, finish_reason: "stop" }],
    service_pool: { attempts: 1 },
  },
];

test("a chat completion, with comments between, and one that broke off with an error", () => {
  const text = `: wait\n\n${events(chat)}data: [DONE]\n\n`;
  assert.deepEqual(wholeAnswer("chat_completions", text), {
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
    service_pool: { attempts: 1 },
  });
  const error = { message: "gone", type: "server_error", param: null, code: null };
  const broken = wholeAnswer("chat_completions", events([chat[0]!, { error }])) as Record<string, unknown>;
  assert.deepEqual(broken.error, error);
  assert.match(JSON.stringify(broken), /"content":"Hel"/);
});

test("a message with text and a call, and one that was cut inside a frame", () => {
  const list = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "t", name: "f", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  assert.deepEqual(wholeAnswer("messages", events(list)), {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text: "Hello" },
      { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
    ],
    usage: { input_tokens: 3, output_tokens: 9 },
    stop_reason: "tool_use",
  });
  const cut = events(list.slice(0, 5)).slice(0, -6);
  assert.match(JSON.stringify(wholeAnswer("messages", cut)), /"text":"Hel"/);
  const error = { type: "overloaded_error", message: "busy" };
  const failed = wholeAnswer("messages", events([...list.slice(0, 4), { type: "error", error }]));
  assert.deepEqual((failed as { error: unknown }).error, error);
});

test("a response is what its last event repeats, and without that one its items and the text so far", () => {
  const item = { type: "message", content: [{ type: "output_text", text: "One" }] };
  const response = { id: "resp_1", status: "in_progress", output: [] };
  const begun = [
    { type: "response.created", response },
    { type: "response.output_text.delta", delta: "One" },
    { type: "response.output_item.done", item },
    { type: "response.output_text.delta", delta: "Tw" },
    { type: "response.output_text.delta", delta: "o" },
  ];
  const done = { ...response, status: "completed", output: [item] };
  assert.deepEqual(
    wholeAnswer("responses", events([...begun, { type: "response.completed", response: done }])),
    done,
  );
  const cut = wholeAnswer("responses", events(begun)) as { id: string; output: object[] };
  assert.equal(cut.id, "resp_1");
  assert.deepEqual(cut.output, [
    item,
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Two" }],
      status: "in_progress",
    },
  ]);
});

test("Gemini's pieces, as events and as a list that may be cut off", () => {
  const call = { functionCall: { name: "f", args: {} } };
  const list = [
    {
      candidates: [{ content: { parts: [{ text: "hm", thought: true }], role: "model" } }],
      modelVersion: "m",
    },
    { candidates: [{ content: { parts: [{ text: "Hel" }], role: "model" } }], modelVersion: "m" },
    {
      candidates: [{ content: { parts: [{ text: "lo" }, call], role: "model" }, finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: 4 },
    },
  ];
  const whole = {
    candidates: [
      {
        content: { parts: [{ text: "hm", thought: true }, { text: "Hello" }, call], role: "model" },
        finishReason: "STOP",
      },
    ],
    modelVersion: "m",
    usageMetadata: { totalTokenCount: 4 },
  };
  assert.deepEqual(
    wholeAnswer("gemini", list.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join("")),
    whole,
  );
  const array = `[${list.map((piece) => JSON.stringify(piece)).join(",\r\n")}]`;
  assert.deepEqual(wholeAnswer("gemini", array), whole);
  const cut = JSON.stringify(wholeAnswer("gemini", array.slice(0, -30)));
  assert.ok(cut.includes('"Hel"') && !cut.includes("Hello"), cut);
});

test("a text that is no stream of the API makes an answer without content", () => {
  for (const format of ["chat_completions", "messages", "responses", "gemini"] as const)
    for (const text of ["", "data: {", "no stream", "data: [1]\n\n", "["])
      assert.doesNotThrow(() => JSON.stringify(wholeAnswer(format, text)), `${format} ${text}`);
});

test("many pieces with fields of many names are joined in one walk", { timeout: 20_000 }, () => {
  // Copying what is joined for each piece takes minutes.
  const pieces = Array.from({ length: 60_000 }, (_, at) => ({ [`field${at}`]: at }));
  const whole = wholeAnswer("gemini", pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(""));
  assert.equal(Object.keys(whole as object).length, 60_001);
});
