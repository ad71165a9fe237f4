// Streams of Google's API, as events and as an array.

import assert from "node:assert/strict";
import test from "node:test";
import { ContentWriter, contentError, framingOf } from "#ai/apis/gemini/stream.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import type { Chunk } from "#providers/provider.ts";

const served = { provider: "primary", model: "m", latency_ms: 1, attempts: 1, cost: 0.5 };
const rules = { model: "m", stem: "stem", names: new ToolNames(), thoughts: false };
const chunk = (delta: object, finish: string | null = null): Chunk => ({
  kind: "chunk",
  text: JSON.stringify({ choices: [{ delta, finish_reason: finish }] }),
  output: true,
  finish: finish !== null,
  usage: null,
  usageOnly: false,
  units: 1,
});
const call = (index: number, more: object, text: string) => ({
  tool_calls: [{ index, ...more, function: { ...more, arguments: text } }],
});

test("an array is JSON as a whole; calls are whole, in the last piece, with the finish", () => {
  const writer = new ContentWriter(rules, framingOf(false), served);
  const text = [
    writer.chunk(chunk({ role: "assistant", content: "" })),
    writer.chunk(chunk({ content: "a" })),
    writer.chunk(chunk(call(0, { id: "call_1", name: "f" }, '{"x"'))),
    writer.chunk(chunk(call(1, { id: "call_2", name: "g" }, ""))),
    writer.chunk(chunk(call(0, {}, ":1}"))),
    writer.chunk(chunk({}, "tool_calls")),
    writer.done(),
  ].join("");
  const pieces = JSON.parse(text).map(
    ({
      candidates: [candidate],
    }: {
      candidates: { content: { parts: object[] }; finishReason?: string }[];
    }) => [candidate?.content.parts, candidate?.finishReason],
  );
  assert.deepEqual(pieces, [
    [[{ text: "a" }], undefined],
    [
      [
        { functionCall: { id: "call_1", name: "f", args: { x: 1 } } },
        { functionCall: { id: "call_2", name: "g", args: {} } },
      ],
      "STOP",
    ],
  ]);
  assert.deepEqual(
    JSON.parse(text).map((piece: { service_pool?: object }) => piece.service_pool),
    [undefined, served],
  );
});

test("events are single; a stream that breaks off has an error and no finish, in either form", () => {
  const error = { message: "cut", type: "server_error", param: null, code: null };
  const events = new ContentWriter(rules, framingOf(true), served);
  assert.match(events.chunk(chunk({ content: "a" })), /^data: \{.*\}\r\n\r\n$/);
  assert.match(
    events.failed(error),
    /^data: \{"error":\{"code":503,"message":"cut","status":"UNAVAILABLE"\}\}\r\n\r\n$/,
  );
  const array = new ContentWriter(rules, framingOf(false), served);
  const broken = JSON.parse(array.chunk(chunk({ content: "a" })) + array.failed(error));
  assert.deepEqual([broken.length, broken[1].error.status], [2, "UNAVAILABLE"]);
  assert.equal(JSON.parse(contentError(error, framingOf(false))).length, 1);
});
