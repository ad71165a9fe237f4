// A whole response as its stream: what grows by deltas is the text of its end, and the end is the response as it was spelled.

import assert from "node:assert/strict";
import test from "node:test";
import { foldedResponse, responsesStream } from "#providers/openai/responses.ts";
import { unfoldedResponse } from "#providers/openai/unfold-response.ts";
import type { Chunk } from "#providers/provider.ts";
import { upstreamResponse } from "../../http/responses-peer.ts";
import { eventsOf } from "../sse.ts";

type Fields = Record<string, unknown>;

const output = [
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "s" },
  { type: "reasoning", id: "rs_2", summary: [], content: [{ type: "reasoning_text", text: "Aha." }] },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [
      { type: "output_text", text: "Here.", annotations: [{ type: "url_citation" }] },
      { type: "refusal", refusal: "No." },
      { type: "odd", odd: 1 },
    ],
  },
  { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: '{"n":1}', status: "completed" },
  { type: "custom_tool_call", id: "ct_1", call_id: "c2", name: "g", input: "ls" },
  { type: "web_search_call", id: "ws_1", status: "completed" },
];
const whole = upstreamResponse("m", { output });

const dataOf = (value: object) =>
  eventsOf(unfoldedResponse(JSON.stringify(value))).map(({ data }) => JSON.parse(data) as Fields);

function chunksOf(text: string): Chunk[] {
  const reader = responsesStream();
  const pieces = eventsOf(unfoldedResponse(text)).flatMap((event) => reader.push(event));
  assert.equal(pieces.at(-1)?.kind, "done");
  return pieces.filter((piece): piece is Chunk => piece.kind === "chunk");
}

test("what is unfolded and folded again is the response, with its digits and its tokens", () => {
  const text = JSON.stringify(whole).replace('"odd":1', '"odd":12345678901234567890');
  const chunks = chunksOf(text);
  const folded = foldedResponse(chunks);
  assert.equal(folded.text, text);
  assert.deepEqual([folded.usage?.promptTokens, folded.usage?.completionTokens], [9, 5]);
  assert.ok(chunks.some(({ output }) => output));
});

test("events are numbered, items begin empty, and their deltas are their texts", () => {
  const events = dataOf(whole);
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_event, at) => at),
  );
  const begun = events.filter(({ type }) => type === "response.output_item.added").map(({ item }) => item);
  assert.deepEqual(begun, [
    { ...output[0], summary: [] },
    { ...output[1], content: [] },
    { ...output[2], status: "in_progress", content: [] },
    { ...output[3], status: "in_progress", arguments: "" },
    { ...output[4], input: "" },
    output[5],
  ]);
  const grown = events.flatMap(({ type, delta }) => (typeof delta === "string" ? [[type, delta]] : []));
  assert.deepEqual(grown, [
    ["response.reasoning_summary_text.delta", "Hm."],
    ["response.reasoning_text.delta", "Aha."],
    ["response.output_text.delta", "Here."],
    ["response.refusal.delta", "No."],
    ["response.function_call_arguments.delta", '{"n":1}'],
    ["response.custom_tool_call_input.delta", "ls"],
  ]);
});

test("a response that was cut short ends as one", () => {
  const types = dataOf(upstreamResponse("m", { status: "incomplete" })).map(({ type }) => type);
  assert.deepEqual([types[0], types.at(-1)], ["response.created", "response.incomplete"]);
});
