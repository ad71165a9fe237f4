// Streams of the Responses API as chunks of a chat completion.

import assert from "node:assert/strict";
import test from "node:test";
import { completionOfResponse, streamOverResponses } from "#providers/openai/over-responses/stream.ts";
import { unfoldedResponse } from "#providers/openai/unfold-response.ts";
import type { StreamPiece } from "#providers/provider.ts";
import { requestOf } from "../../conformance-cases.ts";
import { folded } from "../../folded.ts";
import { responseEvents, wholeResponse } from "./wire.ts";

const request = requestOf({ messages: [] }, "gpt-6", true);

function read(events: readonly object[]): StreamPiece[] {
  const reader = streamOverResponses(request);
  return events.flatMap((event) => reader.push({ event: null, data: JSON.stringify(event) }));
}

const chunksOf = (pieces: readonly StreamPiece[]) =>
  pieces.flatMap((piece) => (piece.kind === "chunk" ? [JSON.parse(piece.text)] : []));
const deltasOf = (pieces: readonly StreamPiece[]) =>
  chunksOf(pieces).flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));

test("thoughts, texts and interleaved calls come in order, then the end and the counts", () => {
  const pieces = read(responseEvents);
  const call = (index: number, name: string) => ({
    tool_calls: [{ index, id: `call_${name}`, type: "function", function: { name, arguments: "" } }],
  });
  const argued = (index: number, text: string) => ({
    tool_calls: [{ index, function: { arguments: text } }],
  });
  assert.deepEqual(deltasOf(pieces), [
    { role: "assistant", content: "" },
    { reasoning_content: "Two files." },
    { content: "Grüße " },
    { content: "🌍" },
    call(0, "read"),
    call(1, "list"),
    argued(0, '{"n":123456789'),
    argued(1, '{"p":'),
    argued(0, "01234567890}"),
    argued(1, '"é"}'),
    {},
  ]);
  const chunks = chunksOf(pieces);
  assert.deepEqual(
    [chunks[0].id, chunks[0].model, chunks.at(-2).choices[0].finish_reason],
    ["resp_1", "gpt-6-2026", "tool_calls"],
  );
  assert.deepEqual(chunks.at(-1).usage, {
    prompt_tokens: 100,
    completion_tokens: 40,
    total_tokens: 140,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 15 },
  });
  assert.equal(pieces.at(-1)?.kind, "done");
  const output = pieces.findIndex((piece) => piece.kind === "chunk" && piece.output);
  assert.equal(output, 1, "the thoughts are output, and the role is not");
});

test("an open reasoning item is thinking, until it or the answer ends", () => {
  const reader = streamOverResponses(request);
  const thinking = responseEvents.slice(0, 5).map((event) => {
    reader.push({ event: null, data: JSON.stringify(event) });
    return reader.thinking?.();
  });
  assert.deepEqual(thinking, [false, true, true, false, false]);
});

test("a call whose arguments come with its end alone is whole", () => {
  const events = responseEvents.filter(({ type }) => type !== "response.function_call_arguments.delta");
  const texts = ["", ""];
  for (const { tool_calls: calls } of deltasOf(read(events)))
    for (const { index, function: called } of calls ?? []) texts[index] += called.arguments;
  assert.deepEqual(texts, ['{"n":12345678901234567890}', '{"p":"é"}']);
});

const callItem = (n: number, text: unknown) => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: `tool${n}`,
  arguments: text,
});
const added = (place: number | undefined, item: object) => ({
  type: "response.output_item.added",
  output_index: place,
  item,
});
const argsDone = (place: number, n: number, text: unknown) => ({
  type: "response.function_call_arguments.done",
  output_index: place,
  item_id: `fc_${n}`,
  arguments: text,
});
const ended = (output: readonly object[] = []) => ({
  type: "response.completed",
  response: { ...wholeResponse, output },
});

/** Two calls, the arguments of each as text. */
const argued: Record<string, object[]> = {
  "in the event of their end": [
    added(0, callItem(0, "")),
    argsDone(0, 0, '{"n":0}'),
    added(1, callItem(1, "")),
    argsDone(1, 1, '{"n":1}'),
    ended(),
  ],
  "in the event of their end, as objects": [
    added(0, callItem(0, "")),
    argsDone(0, 0, { n: 0 }),
    added(1, callItem(1, "")),
    argsDone(1, 1, { n: 1 }),
    ended(),
  ],
  "in the whole answer alone": [
    added(0, callItem(0, "")),
    added(1, callItem(1, "")),
    ended([callItem(0, '{"n":0}'), callItem(1, '{"n":1}')]),
  ],
  "of items that come with the whole answer alone": [ended([callItem(0, '{"n":0}'), callItem(1, '{"n":1}')])],
  "of items that are all numbered 0": [
    added(0, callItem(0, "")),
    argsDone(0, 0, '{"n":0}'),
    added(0, callItem(1, "")),
    argsDone(0, 1, '{"n":1}'),
    ended([callItem(0, '{"n":0}'), callItem(1, '{"n":1}')]),
  ],
  "of items that are not numbered": [
    added(undefined, callItem(0, '{"n":0}')),
    added(undefined, callItem(1, '{"n":1}')),
    ended([callItem(0, '{"n":0}'), callItem(1, '{"n":1}')]),
  ],
};
for (const [name, events] of Object.entries(argued))
  test(`arguments of calls ${name}`, () => {
    const calls: string[][] = [];
    for (const { tool_calls: pieces } of deltasOf(read(events)))
      for (const { index, function: called } of pieces ?? []) {
        const call = calls[index] ?? ["", ""];
        calls[index] = call;
        call[0] += called.name ?? "";
        call[1] += called.arguments;
      }
    assert.deepEqual(calls, [
      ["tool0", '{"n":0}'],
      ["tool1", '{"n":1}'],
    ]);
  });

const textDelta = (place: number, text: string) => ({
  type: "response.output_text.delta",
  output_index: place,
  delta: text,
});
const spoken = (text: string, phase?: string) => ({
  type: "message",
  ...(phase === undefined ? {} : { phase }),
  content: [{ type: "output_text", text }],
});

/** The items of an answer, and its thoughts and text as a chat completion. */
const phases: Record<string, [items: object[], thoughts: string, text: string]> = {
  "a preamble and the answer": [
    [spoken("I look.", "commentary"), spoken('{"a":1}', "final_answer")],
    "I look.",
    '{"a":1}',
  ],
  "a preamble and a call": [[spoken("I look.", "commentary"), callItem(0, "{}")], "", "I look."],
  "a preamble alone": [[spoken("I look.", "commentary")], "", "I look."],
  "a message, a preamble and a call": [
    [spoken("One."), spoken("I look.", "commentary"), callItem(0, "{}")],
    "",
    "One.\n\nI look.",
  ],
  "a preamble, a call and a message": [
    [spoken("I look.", "commentary"), callItem(0, "{}"), spoken("Two.")],
    "",
    "I look.\n\nTwo.",
  ],
  "two preambles": [
    [spoken("I look.", "commentary"), spoken("I read.", "commentary")],
    "",
    "I look.\n\nI read.",
  ],
  "two messages": [[spoken("One."), spoken("Two.")], "", "One.\n\nTwo."],
};
for (const [name, [items, thoughts, text]] of Object.entries(phases))
  test(`${name}, in pieces, at the end of each item, at the end of all, and whole`, () => {
    const inPieces = items.flatMap((item, at) => {
      if (!("content" in item)) return [added(at, item)];
      const [{ text: whole }] = item.content as [{ text: string }];
      return [
        added(at, { ...item, content: [] }),
        textDelta(at, whole.slice(0, 3)),
        textDelta(at, whole.slice(3)),
      ];
    });
    const atEnds = items.map((item, at) => ({ type: "response.output_item.done", output_index: at, item }));
    for (const events of [
      [...inPieces, ...atEnds, ended(items)],
      [...atEnds, ended(items)],
      [ended(items)],
    ]) {
      const deltas = deltasOf(read(events));
      const all = (field: string) => deltas.map((delta) => delta[field] ?? "").join("");
      assert.deepEqual([all("reasoning_content"), all("content")], [thoughts, text]);
    }
    const answer = completionOfResponse(JSON.stringify({ ...wholeResponse, output: items }), request);
    assert.ok(answer.kind === "answer");
    const { message } = JSON.parse(answer.text).choices[0];
    assert.deepEqual([message.reasoning_content ?? "", message.content], [thoughts, text]);
  });

const logprobs = [{ token: "Hi", logprob: -0.5, bytes: [72, 105], top_logprobs: [] }];
const everything = {
  ...wholeResponse,
  output: [
    {
      type: "reasoning",
      id: "rs_0",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "s0",
    },
    { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "Oh." }] },
    { type: "message", id: "msg_0", content: [{ type: "output_text", text: "Hi", logprobs }] },
    { type: "web_search_call", id: "ws_0" },
    { type: "message", id: "msg_1", content: [{ type: "refusal", refusal: "No." }] },
    callItem(0, '{"n":12345678901234567890}'),
  ],
};

const streams: Record<string, object[]> = {
  "as its unfolded stream": unfoldedResponse(JSON.stringify(everything))
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6))),
  "at the end of each item": [
    ...everything.output.map((item, at) => ({
      type: "response.output_item.done",
      response: { ...everything, output: [] },
      output_index: at,
      item,
    })),
    ended(everything.output),
  ],
};
for (const [name, events] of Object.entries(streams))
  test(`an answer says the same whole and ${name}`, () => {
    const answer = completionOfResponse(JSON.stringify(everything), request);
    assert.ok(answer.kind === "answer");
    const value = JSON.parse(answer.text);
    assert.deepEqual(value.choices[0].logprobs, { content: logprobs, refusal: null });
    const [choice] = value.choices;
    assert.deepEqual(folded(read(events)), { ...value, choices: [{ ...choice, logprobs: null }] });
  });

test("log probabilities that come with the end of a message alone are those of its text", () => {
  const [, last] = [...Object.values(streams)];
  const probabilities = chunksOf(read(last ?? [])).flatMap(
    ({ choices }) => choices[0]?.logprobs?.content ?? [],
  );
  assert.deepEqual(probabilities, logprobs);
});

test("a preamble that is held counts as thinking", () => {
  const reader = streamOverResponses(request);
  const push = (event: object) => reader.push({ event: null, data: JSON.stringify(event) });
  push(added(0, { ...spoken("", "commentary"), content: [] }));
  assert.equal(reader.thinking?.(), false);
  push(textDelta(0, "I look."));
  assert.equal(reader.thinking?.(), true);
  push(added(1, callItem(0, "{}")));
  assert.equal(reader.thinking?.(), false);
});

test("an answer that is cut short says why, and a refusal is one", () => {
  const end = (reason: string) => ({
    type: "response.incomplete",
    response: { ...wholeResponse, status: "incomplete", incomplete_details: { reason } },
  });
  for (const [reason, finish] of [
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
  ] as const)
    assert.equal(chunksOf(read([end(reason)])).at(-2).choices[0].finish_reason, finish);
  const refused = read([{ type: "response.refusal.delta", output_index: 0, delta: "No." }]);
  assert.deepEqual(deltasOf(refused)[1], { refusal: "No." });
});

test("an error, a frame that is no event and arguments of no call end the stream", () => {
  const error = { code: "rate_limit_exceeded", message: "Slow down." };
  const failed = read([{ type: "response.failed", response: { status: "failed", error } }]);
  assert.deepEqual(
    failed.map((piece) => piece.kind === "failure" && [piece.failure.kind, piece.failure.error.code]),
    [["rate_limited", "rate_limit_exceeded"]],
  );
  const reader = streamOverResponses(request);
  assert.deepEqual(
    [reader.push({ event: null, data: "{" })[0]?.kind, reader.push({ event: null, data: "{}" })],
    ["failure", []],
  );
  const delta = { type: "response.function_call_arguments.delta", output_index: 9, delta: "{" };
  assert.equal(read([delta]).at(-1)?.kind, "failure");
  assert.equal(
    read([{ type: "response.completed", response: { status: "queued" } }]).at(-1)?.kind,
    "failure",
  );
});
