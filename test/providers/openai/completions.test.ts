// Answers and streams of completions of a text, as vendors write them.

import assert from "node:assert/strict";
import test from "node:test";
import {
  completionsAnswer,
  completionsStream,
  foldedCompletion,
  unfoldedCompletion,
} from "#providers/openai/completions.ts";
import type { Chunk, StreamPiece } from "#providers/provider.ts";

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const choice = (text: string, more: object = {}) => ({
  text,
  index: 0,
  logprobs: null,
  finish_reason: null,
  ...more,
});
const event = (choices: readonly object[], more: object = {}) => ({
  event: null,
  data: JSON.stringify({ id: "cmpl-1", object: "text_completion", model: "m", choices, ...more }),
});

const piecesOf = (events: readonly ReturnType<typeof event>[]): StreamPiece[] => {
  const stream = completionsStream();
  return events.flatMap((one) => stream.push(one));
};

test("a text is output, and an empty one where tokens were counted", () => {
  for (const [choices, counted, output] of [
    [[choice("Hi", { finish_reason: "stop" })], null, true],
    [[choice("", { finish_reason: "stop" })], null, false],
    [[choice("", { finish_reason: "stop" })], usage, true],
    [[choice("", { finish_reason: "length" })], null, true],
    [[{ message: { content: "Hi" } }], null, false],
    [[], usage, false],
  ] as const) {
    const read = completionsAnswer(JSON.stringify({ choices, usage: counted }));
    assert.equal(read.kind === "answer" && read.output, output, JSON.stringify(choices));
  }
  assert.equal(completionsAnswer('{"error":{"message":"no"}}').kind, "failure");
  assert.equal(completionsAnswer("<html>").kind, "failure");
});

test("a stream: output with its first text, units of text, its end", () => {
  const pieces = piecesOf([
    event([choice("")]),
    event([choice(" there")]),
    event([choice("", { finish_reason: "stop" })]),
    event([], { usage }),
    { event: null, data: "[DONE]" },
  ]);
  assert.deepEqual(
    pieces.map((one) =>
      one.kind === "chunk" ? [one.output, one.units, one.finish, one.usageOnly] : one.kind,
    ),
    [
      [false, 0, false, false],
      [true, 6, false, false],
      [false, 0, true, false],
      [false, 0, false, true],
      "done",
    ],
  );
});

test("folded: texts and log probabilities of each choice are joined; and what is unfolded folds to itself", () => {
  const chunks = piecesOf([
    event([choice(" a", { logprobs: { tokens: [" a"], token_logprobs: [-1] } })]),
    event([choice(" x", { index: 1 })]),
    event([choice(" b", { logprobs: { tokens: [" b"], token_logprobs: [-2] }, finish_reason: "stop" })]),
    event([choice(" y", { index: 1, finish_reason: "length" })], { usage }),
  ]).filter((one): one is Chunk => one.kind === "chunk");
  const folded = foldedCompletion(chunks);
  const answer = {
    id: "cmpl-1",
    object: "text_completion",
    model: "m",
    usage,
    choices: [
      choice(" a b", { logprobs: { tokens: [" a", " b"], token_logprobs: [-1, -2] }, finish_reason: "stop" }),
      choice(" x y", { index: 1, finish_reason: "length" }),
    ],
  };
  assert.deepEqual(JSON.parse(folded.text), answer);
  assert.equal(folded.usage?.totalTokens, 5);
  const events = unfoldedCompletion(JSON.stringify(answer, null, 2))
    .split("\n\n")
    .filter((frame) => frame !== "");
  const again = piecesOf(events.map((frame) => ({ event: null, data: frame.slice("data: ".length) })));
  assert.deepEqual(again.at(-1), { kind: "done" });
  assert.deepEqual(JSON.parse(foldedCompletion(again.slice(0, -1) as Chunk[]).text), answer);
});
