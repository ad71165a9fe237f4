// Answers of forwarded operations: what counts as one, and what as a failure of the member.

import assert from "node:assert/strict";
import test from "node:test";
import type { ForwardedOperation } from "#contract/ai/operations.ts";
import { forwardedAnswer } from "#providers/openai/forwarded.ts";

const read = (operation: ForwardedOperation, body: string | object, contentType = "application/json") =>
  forwardedAnswer(operation, {
    bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    contentType,
  });

function answered(...args: Parameters<typeof read>) {
  const result = read(...args);
  assert.ok(result.kind === "answer", JSON.stringify(result));
  return result;
}

function failed(...args: Parameters<typeof read>) {
  const result = read(...args);
  assert.ok(result.kind === "failure", JSON.stringify(result));
  return result.failure;
}

test("lists: an answer with items is output, an empty list is not, another shape is a failure", () => {
  const image = answered("image", {
    created: 1,
    data: [{ b64_json: "aGk=" }],
    usage: { input_tokens: 12, output_tokens: 4160, total_tokens: 4172 },
  });
  assert.deepEqual(
    [image.output, image.usage],
    [true, { promptTokens: 12, completionTokens: 4160, totalTokens: 4172 }],
  );
  assert.equal(answered("image", { data: [] }).output, false);
  assert.equal(answered("moderation", { results: [{ flagged: false }] }).usage, null);
  const ranking = answered("rerank", {
    results: [{ index: 1, relevance_score: 0.9 }],
    usage: { total_tokens: 40 },
  });
  assert.deepEqual(ranking.usage, { promptTokens: 40, completionTokens: 0, totalTokens: 40 });
  const cohere = answered("rerank", {
    results: [{}],
    meta: { tokens: { input_tokens: 7, output_tokens: 0 } },
  });
  assert.equal(cohere.usage?.promptTokens, 7);
  for (const operation of ["image", "moderation", "rerank"] as const) {
    assert.equal(failed(operation, { other: 1 }).error.code, "bad_upstream_answer");
    assert.equal(failed(operation, "sound", "audio/mpeg").error.code, "bad_upstream_answer");
  }
});

test("an error inside a 200 is the vendor's error", () => {
  const failure = failed("moderation", { error: { message: "Too many.", type: "x", code: "busy" } });
  assert.match(failure.error.message, /Too many/);
});

test("speech is bytes with their type; JSON, a page and nothing are none", () => {
  const speech = answered("speech", "ID3...", "audio/mpeg");
  assert.deepEqual([speech.output, speech.media?.contentType], [true, "audio/mpeg"]);
  assert.equal(speech.media?.bytes.toString(), "ID3...");
  assert.equal(answered("speech", "", "audio/mpeg").output, false);
  assert.equal(failed("speech", { audio: "x" }).error.code, "bad_upstream_answer");
  assert.equal(failed("speech", "<html>", "text/html").error.code, "bad_upstream_answer");
});

test("transcripts: JSON with a text, subtitles as they are, silence as an empty text", () => {
  assert.equal(answered("transcription", { text: "" }).output, true);
  assert.equal(
    answered("transcription", { text: "Hi", usage: { type: "duration", seconds: 3 } }).usage,
    null,
  );
  const subtitles = answered(
    "transcription",
    "1\n00:00:00,000 --> 00:00:01,000\nHi\n",
    "text/plain; charset=utf-8",
  );
  assert.match(subtitles.media?.bytes.toString() ?? "", /-->/);
  assert.equal(failed("transcription", { segments: [] }).error.code, "bad_upstream_answer");
  const words = Array.from({ length: 60_000 }, (_, at) => ({ word: `w${at}`, start: at, end: at + 1 }));
  assert.equal(answered("transcription", { task: "transcribe", words, text: "long" }).output, true);
});
