// Anthropic's streams as its documentation shows them (platform.claude.com/docs/en/build-with-claude/streaming),
// thinking and tools included, and what goes wrong in them.

import type { StreamCase } from "../conformance-cases.ts";
import { recordingOf } from "../sse.ts";

const id = "msg_01XFDUDYJgAACzvnptvVoYEL";
const model = "claude-sonnet-4-5-20250929";

const start = (usage: object = { input_tokens: 25, output_tokens: 1 }) => ({
  type: "message_start",
  message: {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
});
const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, own: object) => ({ type: "content_block_delta", index, delta: own });
const text = (index: number, said: string) => delta(index, { type: "text_delta", text: said });
const json = (index: number, part: string) => delta(index, { type: "input_json_delta", partial_json: part });
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = (reason: string, usage: object = { output_tokens: 15 }, more: object = {}) => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  usage,
});
const last = { type: "message_stop" };
const ping = { type: "ping" };

const chunk = (choices: object[], more: object = {}) => ({
  id,
  object: "chat.completion.chunk",
  created: 0,
  model,
  choices,
  ...more,
});
const said = (own: object, reason: string | null = null) =>
  chunk([{ index: 0, delta: own, logprobs: null, finish_reason: reason }]);
const role = said({ role: "assistant", content: "" });
const called = (index: number, own: object, args: string) =>
  said({
    tool_calls: [
      { index, ...own, function: { ...("id" in own ? { name: "get_weather" } : {}), arguments: args } },
    ],
  });
const usage = (prompt: number, completion: number, more: object = {}) =>
  chunk([], {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...more,
    },
  });

export const anthropicStreams: readonly StreamCase[] = [
  {
    name: "text",
    wire: `event: message_start
data: {"type": "message_start", "message": {"id": "${id}", "type": "message", "role": "assistant", "content": [], "model": "${model}", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence":null}, "usage": {"output_tokens": 15}}

event: message_stop
data: {"type": "message_stop"}

`,
    chunks: [role, said({ content: "Hello" }), said({ content: "!" }), said({}, "stop"), usage(25, 15)],
    end: "done",
  },
  {
    name: "thoughts, then two calls, the second without arguments",
    wire: recordingOf([
      start({
        input_tokens: 5,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 100,
        output_tokens: 2,
      }),
      block(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "Both" }),
      delta(0, { type: "thinking_delta", thinking: " cities." }),
      delta(0, { type: "signature_delta", signature: "EqQBCgIYAhIM" }),
      stop(0),
      block(1, { type: "tool_use", id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", name: "get_weather", input: {} }),
      json(1, ""),
      json(1, '{"city":'),
      json(1, ' "San'),
      ping,
      json(1, ' Francisco"}'),
      stop(1),
      block(2, { type: "tool_use", id: "toolu_02", name: "get_weather", input: {} }),
      stop(2),
      end("tool_use", {
        input_tokens: 5,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 100,
        output_tokens: 89,
        output_tokens_details: { thinking_tokens: 30 },
      }),
      last,
    ]),
    chunks: [
      role,
      said({ reasoning_content: "Both" }),
      said({ reasoning_content: " cities." }),
      called(0, { id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", type: "function" }, ""),
      called(0, {}, '{"city":'),
      called(0, {}, ' "San'),
      called(0, {}, ' Francisco"}'),
      called(1, { id: "toolu_02", type: "function" }, ""),
      called(1, {}, "{}"),
      said({}, "tool_calls"),
      usage(112, 89, {
        prompt_tokens_details: { cached_tokens: 100 },
        completion_tokens_details: { reasoning_tokens: 30 },
      }),
    ],
    end: "done",
  },
  {
    name: "usage that comes twice is not summed",
    wire: recordingOf([
      start({ input_tokens: 10, output_tokens: 1 }),
      block(0, { type: "text", text: "" }),
      text(0, "Hi"),
      { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 4 } },
      end("max_tokens", { input_tokens: 10, output_tokens: 9 }),
      last,
    ]),
    chunks: [role, said({ content: "Hi" }), said({}, "length"), usage(10, 9)],
    end: "done",
  },
  {
    name: "any JSON, by its tool",
    body: { messages: [], response_format: { type: "json_object" } },
    wire: recordingOf([
      start(),
      block(0, { type: "tool_use", id: "toolu_1", name: "json_object_answer", input: {} }),
      json(0, '{"a"'),
      json(0, ":1}"),
      stop(0),
      end("tool_use"),
      last,
    ]),
    chunks: [role, said({ content: '{"a"' }), said({ content: ":1}" }), said({}, "stop"), usage(25, 15)],
    end: "done",
  },
  {
    name: "events and blocks that are new, and tools that the vendor runs",
    wire: recordingOf([
      start(),
      { type: "brand_new", x: 1 },
      block(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      json(0, '{"query":"x"}'),
      stop(0),
      block(1, { type: "text", text: "" }),
      delta(1, { type: "citations_delta", citation: {} }),
      text(1, "Found."),
      stop(1),
      end("end_turn"),
      last,
    ]),
    chunks: [role, said({ content: "Found." }), said({}, "stop"), usage(25, 15)],
    end: "done",
  },
  {
    name: "a refusal before a word was said",
    wire: recordingOf([
      start(),
      end("refusal", { output_tokens: 1 }, { stop_details: { type: "refusal", explanation: null } }),
      last,
    ]),
    chunks: [
      role,
      said({ refusal: "The provider declined to answer." }),
      said({}, "content_filter"),
      usage(25, 1),
    ],
    end: "done",
  },
  {
    name: "a refusal in the middle",
    wire: recordingOf([
      start(),
      block(0, { type: "text", text: "" }),
      text(0, "First,"),
      end("refusal"),
      last,
    ]),
    chunks: [role, said({ content: "First," }), said({}, "content_filter"), usage(25, 15)],
    end: "done",
  },
  {
    name: "cut before the last event",
    wire: recordingOf([
      start(),
      block(0, { type: "text", text: "" }),
      text(0, "Hi"),
      stop(0),
      end("end_turn"),
    ]),
    chunks: [role, said({ content: "Hi" }), said({}, "stop")],
    end: "open",
  },
  {
    name: "an end without a reason",
    wire: recordingOf([start(), block(0, { type: "text", text: "" }), text(0, "Hi"), last]),
    chunks: [role, said({ content: "Hi" })],
    end: { kind: "upstream_error", error: { code: "malformed_frame" } },
  },
  {
    name: "overloaded as the first event",
    wire: `event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n`,
    chunks: [],
    end: { kind: "upstream_error", error: { message: "Overloaded", type: "server_error" } },
  },
  {
    name: "limited in the middle, and nothing is read behind it",
    wire: recordingOf([
      start(),
      block(0, { type: "text", text: "" }),
      text(0, "Hi"),
      { type: "error", error: { type: "rate_limit_error", message: "Slow down." } },
      text(0, " there"),
      end("end_turn"),
      last,
    ]),
    chunks: [role, said({ content: "Hi" })],
    end: { kind: "rate_limited", error: { code: "rate_limit_exceeded" } },
  },
  {
    name: "no beginning",
    wire: recordingOf([text(0, "Hi")]),
    chunks: [],
    end: { kind: "upstream_error" },
  },
];
