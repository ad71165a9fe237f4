// What OpenAI's stream reader tells of its chunks: which say something, which finish, and whether a choice is missing.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hasOutput, openaiStream, readUsage } from "#providers/openai/stream.ts";
import type { StreamPiece } from "#providers/provider.ts";
import { requestOf } from "../conformance-cases.ts";
import { recordedStream } from "../fixtures.ts";
import { eventsOf } from "../sse.ts";

const reader = (n?: number) =>
  openaiStream(requestOf({ messages: [], ...(n === undefined ? {} : { n }) }, "m", true));
const chunk = (...choices: object[]) => JSON.stringify({ choices });
const push = (to: ReturnType<typeof reader>, ...data: string[]): StreamPiece[] =>
  data.flatMap((one) => to.push({ event: null, data: one }));
const choice = (index: number, reason: string | null = null) => ({
  index,
  delta: { content: "x" },
  finish_reason: reason,
});

test("Azure's first chunk says nothing, finishes nothing and is passed on", () => {
  const own = reader();
  const pieces = eventsOf(recordedStream("openai", "azure-prompt-filter-results.sse")).flatMap((event) =>
    own.push(event),
  );
  assert.ok(pieces[0]?.kind === "chunk" && !pieces[0].output && !pieces[0].finish && !pieces[0].usageOnly);
  assert.match(pieces[0].text, /prompt_filter_results/);
  assert.deepEqual([pieces.at(-1)?.kind, own.missing!()], ["done", false]);
});

test("an event of several lines becomes a chunk of one, which means the same", () => {
  const text = JSON.stringify({ choices: [choice(0)], s: "a\nb" }, null, 2);
  assert.ok(text.includes("\n"));
  const [piece] = push(reader(), text);
  assert.ok(piece?.kind === "chunk");
  assert.ok(!/[\r\n]/.test(piece.text));
  assert.deepEqual(JSON.parse(piece.text), JSON.parse(text));
});

test("a frame beyond the bounds is not parsed", () => {
  const many = `{"choices":[${"{},".repeat(40_000)}{}]}`;
  const deep = `{"choices":[],"x":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
  for (const frame of [many, deep]) {
    const [piece] = push(reader(), frame);
    assert.equal(piece?.kind === "failure" && piece.failure.error.code, "malformed_frame");
  }
  const long = JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(1_000_000) } }] });
  assert.equal(push(reader(), long)[0]?.kind, "chunk");
});

describe("missing", () => {
  test("a choice that has begun and not finished, [DONE] or not", () => {
    const own = reader(2);
    push(own, chunk(choice(0)), chunk(choice(1)), chunk(choice(0, "stop")));
    assert.ok(own.missing!());
    push(own, "[DONE]");
    assert.ok(own.missing!());
  });

  test("one that was asked for and has not begun, unless [DONE] says that none will", () => {
    const own = reader(2);
    push(own, chunk(choice(0, "stop")));
    assert.ok(own.missing!());
    push(own, "[DONE]");
    assert.ok(!own.missing!());
  });

  test("nothing, once all have finished, one without an index included", () => {
    for (const [n, ...chunks] of [
      [1, chunk(choice(0, "stop"))],
      [undefined, chunk({ delta: {}, finish_reason: "stop" })],
      [2, chunk(choice(0, "stop"), choice(1, "length"))],
    ] as const) {
      const own = reader(n);
      push(own, ...chunks);
      assert.ok(!own.missing!());
    }
  });

  test("a vendor that makes choices without end is no memory without end", () => {
    const own = reader();
    for (let index = 0; index < 3000; index++) push(own, chunk(choice(index, "stop")));
    assert.ok(!own.missing!());
  });
});

test("events that hold nothing say nothing, and behind [DONE] nothing is read", () => {
  const own = reader();
  assert.deepEqual(push(own, "", " ", "\n"), []);
  assert.deepEqual(push(own, " [DONE]"), [{ kind: "done" }]);
  assert.deepEqual(push(own, chunk(choice(0)), "{", "[DONE]"), []);
});

test("what is no chunk is a broken provider; an error is what it says", () => {
  for (const data of ["{", "[]", "null", "1", "[DONE", "<html>", '"x"']) {
    const [piece] = push(reader(), data);
    assert.ok(piece?.kind === "failure" && piece.failure.error.code === "malformed_frame", data);
  }
  const [named] = reader().push({ event: "error", data: '{"message":"x","code":429}' });
  assert.ok(named?.kind === "failure" && named.failure.kind === "rate_limited");
  const [inside] = push(reader(), chunk({ index: 0, delta: {}, error: { message: "gone", code: 502 } }));
  assert.ok(inside?.kind === "failure" && inside.failure.error.message === "gone");
});

test("output is text, reasoning, a call, a refusal, or an end that may be empty", () => {
  for (const message of [
    { content: "x" },
    { content: [{ type: "text", text: "x" }] },
    { reasoning: "x" },
    { reasoning_content: "x" },
    { refusal: "x" },
    { tool_calls: [{}] },
    { function_call: {} },
    { audio: { id: "x" } },
  ])
    assert.ok(hasOutput(message, null), JSON.stringify(message));
  for (const message of [
    null,
    {},
    { role: "assistant", content: "" },
    { content: null, tool_calls: [] },
    { content: 1 },
  ])
    assert.ok(!hasOutput(message, "stop"), JSON.stringify(message));
  for (const reason of ["length", "content_filter", "tool_calls", "function_call"])
    assert.ok(hasOutput({}, reason));
});

test("usage: whole numbers from 0 to a billion; a total that is not told is the sum", () => {
  assert.deepEqual(readUsage({ prompt_tokens: 2, completion_tokens: 3 }), {
    promptTokens: 2,
    completionTokens: 3,
    totalTokens: 5,
  });
  assert.deepEqual(readUsage({ prompt_tokens: -1, completion_tokens: 1e300, total_tokens: "9" }), {
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
  });
  for (const value of [null, undefined, [], "x", 1]) assert.equal(readUsage(value), null);
  const written = { cache_write_tokens: 9, cache_creation_token_details: { ephemeral_1h_input_tokens: 4 } };
  const usage = readUsage({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: written });
  assert.deepEqual([usage?.cacheWriteTokens, usage?.cacheWriteHourTokens], [9, 4]);
});
