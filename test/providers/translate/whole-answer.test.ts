// Whole answers that are written in pieces, held against OpenAI's shapes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChunkWriter, TokenCounts } from "#providers/translate/completion.ts";
import { wholeAnswer } from "#providers/translate/whole-answer.ts";
import { checkedCompletion } from "../openai-shapes.ts";

const heading = { id: "x", created: 7, model: "m" };
const counted: TokenCounts = {
  promptTokens: 3,
  completionTokens: 4,
  cachedTokens: null,
  reasoningTokens: null,
};
const call = { index: 0, id: "c", name: "f", arguments: "{}" };
type Delta = Parameters<ChunkWriter["delta"]>[1];

/** A whole answer of one choice. */
function answered(pieces: readonly Delta[], reason = "stop", usage = counted) {
  const answer = wholeAnswer([null], (openWriter) => ({
    read: () => {
      const write = openWriter(heading);
      return [
        write.role(0),
        ...pieces.map((piece) => write.delta(0, piece)),
        write.finish(0, reason),
        write.usage(usage),
      ];
    },
  }));
  assert.equal(answer.kind, "answer");
  return answer;
}

function written(pieces: readonly Delta[], reason?: string) {
  const answer = answered(pieces, reason);
  const value = checkedCompletion(answer);
  return { output: answer.output, message: value.choices[0]?.message, created: value.created };
}

test("an answer says something by text, thoughts, a refusal, a call, or a rightful silence", () => {
  assert.equal(written([]).output, false);
  for (const own of [
    { content: "x" },
    { reasoning_content: "x" },
    { refusal: "x" },
    { call },
    { image: { mediaType: "image/png", base64: "AAAA", index: 0 } },
  ])
    assert.equal(written([own]).output, true, JSON.stringify(own));
  for (const reason of ["length", "content_filter"]) assert.equal(written([], reason).output, true, reason);
});

test("content is null where something else stands for it, empty where nothing does", () => {
  assert.equal(written([]).message?.content, "");
  assert.equal(written([{ call }]).message?.content, null);
  assert.equal(written([{ refusal: "No." }]).message?.content, null);
  assert.equal(written([{ content: "x" }, { call }]).message?.content, "x");
  assert.equal(written([]).created, 7);
});

test("details of usage stand where the vendor counts them", () => {
  const answer = answered([], "stop", { ...counted, cachedTokens: 2, reasoningTokens: 0 });
  assert.deepEqual(JSON.parse(answer.text).usage, {
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
  assert.deepEqual(answer.usage, { promptTokens: 3, completionTokens: 4, totalTokens: 7, cachedTokens: 2 });
});
