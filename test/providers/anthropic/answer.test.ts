// Anthropic's streams beside the recorded ones: a stream and a whole message of the same content say the same, at
// any cut of text and arguments.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anthropicAnswer, anthropicStream } from "#providers/anthropic/answer.ts";
import { requestOf } from "../conformance-cases.ts";
import { folded } from "../folded.ts";

const request = requestOf({ messages: [] }, "claude", true);
const pieces = fc.array(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 4 });
const block = fc.oneof(
  pieces.map((parts) => ({ type: "text" as const, parts })),
  pieces.map((parts) => ({ type: "thinking" as const, parts })),
  fc.tuple(fc.dictionary(fc.string(), fc.integer()), fc.nat({ max: 20 })).map(([input, cut]) => {
    const text = JSON.stringify(input);
    return { type: "tool_use" as const, input, parts: [text.slice(0, cut), text.slice(cut)] };
  }),
);

test("a stream says what the whole message says", () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
      const usage = { input_tokens: 3, output_tokens: 5 };
      const reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
      const whole = {
        id: "msg_1",
        type: "message",
        model: "claude",
        stop_reason: reason,
        usage,
        content: blocks.map((one, at) => {
          if (one.type === "tool_use") return { type: one.type, id: `t${at}`, name: "f", input: one.input };
          return { type: one.type, [one.type]: one.parts.join("") };
        }),
      };
      const deltas = { text: "text_delta", thinking: "thinking_delta", tool_use: "input_json_delta" };
      const fields = { text: "text", thinking: "thinking", tool_use: "partial_json" };
      const events = [
        {
          type: "message_start",
          message: { ...whole, content: [], usage: { input_tokens: 3, output_tokens: 1 } },
        },
        ...blocks.flatMap(({ type, parts }, index) => [
          {
            type: "content_block_start",
            index,
            content_block: { type, id: `t${index}`, name: "f", input: {} },
          },
          ...parts.map((part) => ({
            type: "content_block_delta",
            index,
            delta: { type: deltas[type], [fields[type]]: part },
          })),
          { type: "content_block_stop", index },
        ]),
        { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
        { type: "message_stop" },
      ];
      const reader = anthropicStream(request);
      const read = events.flatMap((event) => reader.push({ event: event.type, data: JSON.stringify(event) }));
      const answer = anthropicAnswer(JSON.stringify(whole), request);
      assert.equal(answer.kind, "answer");
      assert.deepEqual(folded(read), JSON.parse(answer.text));
    }),
  );
});

test("the name of an event may be missing, and nothing is read behind the end", () => {
  const reader = anthropicStream(request);
  const push = (event: object) =>
    reader.push({ event: null, data: JSON.stringify(event) }).map(({ kind }) => kind);
  assert.deepEqual(push({ type: "message_start", message: { id: "m", model: "claude", usage: {} } }), [
    "chunk",
  ]);
  assert.deepEqual(push({ type: "message_start", message: { id: "n" } }), []);
  assert.deepEqual(push({ type: "message_delta", delta: { stop_reason: "end_turn" } }), ["chunk"]);
  assert.deepEqual(push({ type: "message_stop" }), ["done"]);
  assert.deepEqual(push({ type: "message_stop" }), []);
  assert.deepEqual(push({ type: "error", error: { type: "api_error" } }), []);
});

test("a turn that ends without a word is an answer where tokens were counted at its end", () => {
  const ends = (output_tokens: number) => {
    const reader = anthropicStream(request);
    const events = [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } },
      { type: "message_stop" },
    ];
    const pieces = events.flatMap((event) => reader.push({ event: null, data: JSON.stringify(event) }));
    assert.ok(pieces.every((piece) => piece.kind !== "chunk" || !piece.output));
    return reader.mayBeEmpty?.();
  };
  assert.deepEqual([ends(2), ends(0)], [true, false]);
});

const jsonRequest = requestOf(
  { messages: [], response_format: { type: "json_object" } },
  "claude-opus-5-5",
  true,
);
const written = (text: string, stop_reason: string, call?: Record<string, unknown>) => ({
  id: "msg_1",
  type: "message",
  model: "claude-opus-5-5",
  stop_reason,
  usage: { input_tokens: 3, output_tokens: 5 },
  content: [{ type: "text", text }, ...(call === undefined ? [] : [call])],
});

function streamOf({ content, stop_reason, ...message }: ReturnType<typeof written>) {
  const reader = anthropicStream(jsonRequest);
  const events = [
    { type: "message_start", message: { ...message, content: [] } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: { ...block, text: "" } },
      ...[...("text" in block ? String(block.text) : "")].map((text) => ({
        type: "content_block_delta",
        index,
        delta: { type: "text_delta", text },
      })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return events.flatMap((event) => reader.push({ event: event.type, data: JSON.stringify(event) }));
}

test("an instructed model: its JSON is passed on when it is an object, without the text around it", () => {
  const texts = {
    '{"a":1e400}': '{"a":1e400}',
    '```json\n{"a": {}}\n```': '{"a": {}}',
    'Here: {"b":2}.': '{"b":2}',
  };
  for (const [text, expected] of Object.entries(texts)) {
    const answer = anthropicAnswer(JSON.stringify(written(text, "end_turn")), jsonRequest);
    assert.ok(answer.kind === "answer");
    assert.equal(JSON.parse(answer.text).choices[0].message.content, expected);
    const pieces = streamOf(written(text, "end_turn"));
    assert.equal(folded(pieces).choices[0]?.message.content, expected);
  }
});

test("a model that does not write an object is no fault of the member's; a cut object and calls are passed on", () => {
  for (const text of ["I cannot.", "[1]", '{"a":', ""]) {
    const answer = anthropicAnswer(JSON.stringify(written(text, "end_turn")), jsonRequest);
    assert.ok(answer.kind === "failure" && answer.failure.ignoredByHealth, text);
    const last = streamOf(written(text, "end_turn")).at(-1);
    assert.ok(last?.kind === "failure" && last.failure.ignoredByHealth, text);
  }
  const cut = anthropicAnswer(JSON.stringify(written('{"a":', "max_tokens")), jsonRequest);
  assert.equal(cut.kind === "answer" && JSON.parse(cut.text).choices[0].message.content, '{"a":');
  const call = { type: "tool_use", id: "t1", name: "f", input: {} };
  const called = folded(streamOf(written("Wait.", "tool_use", call))).choices[0];
  assert.deepEqual([called?.finish_reason, called?.message.content], ["tool_calls", "Wait."]);
});

/** Pieces of text that look like the ends of events, or that JSON spells in several ways. */
const awkward = fc.oneof(
  fc.constantFrom(
    '"}}',
    '"',
    "\\",
    "\n",
    "\u0001",
    "\u2028",
    "\ud83d",
    "é",
    "",
    '"},"index":1,"delta":{"text":"',
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);

test("text that is not parsed is read as when it is (2,000 streams)", () => {
  const start = { type: "message_start", message: { id: "m", model: "claude", usage: { input_tokens: 1 } } };
  const property = fc.property(
    fc.array(fc.tuple(awkward, fc.constantFrom("", " ", "     "), fc.boolean()), { maxLength: 6 }),
    (parts) => {
      const wires = parts.map(([text, padding, isThinking]) => {
        const delta = isThinking ? { type: "thinking_delta", thinking: text } : { type: "text_delta", text };
        const json = JSON.stringify({ type: "content_block_delta", index: 0, delta });
        return { own: json + padding, parsed: ` ${json}` };
      });
      const read = (pick: (wire: (typeof wires)[number]) => string) => {
        const reader = anthropicStream(request);
        return [JSON.stringify(start), ...wires.map(pick)].flatMap((data) =>
          reader.push({ event: null, data }),
        );
      };
      assert.deepEqual(
        read(({ own }) => own),
        read(({ parsed }) => parsed),
      );
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});
