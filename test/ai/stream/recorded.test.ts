// Streams joined to the answers that they made, whole and broken off.

import assert from "node:assert/strict";
import test from "node:test";
import { clientApiOf } from "#ai/apis/apis.ts";
import { type ClientFormat, clientFormats } from "#contract/ai/operations.ts";
import { events } from "../stream-text.ts";

const joined = (format: ClientFormat, text: string) => clientApiOf(format).joinAnswer(text);

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
  assert.deepEqual(joined("chat_completions", text), {
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
    service_pool: { attempts: 1 },
  });
  const error = { message: "gone", type: "server_error", param: null, code: null };
  const broken = joined("chat_completions", events([chat[0]!, { error }])) as Record<string, unknown>;
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
  assert.deepEqual(joined("messages", events(list)), {
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
  assert.match(JSON.stringify(joined("messages", cut)), /"text":"Hel"/);
  const error = { type: "overloaded_error", message: "busy" };
  const failed = joined("messages", events([...list.slice(0, 4), { type: "error", error }]));
  assert.deepEqual((failed as { error: unknown }).error, error);
});

test("a text that is no stream of the API makes an answer without content", () => {
  for (const format of clientFormats.filter((name) => name !== "compaction"))
    for (const text of ["", "data: {", "no stream", "data: [1]\n\n", "["])
      assert.doesNotThrow(() => JSON.stringify(joined(format, text)), `${format} ${text}`);
});
