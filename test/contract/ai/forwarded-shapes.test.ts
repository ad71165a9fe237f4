// What is needed of requests that are forwarded, and that the fault is named.

import assert from "node:assert/strict";
import test from "node:test";
import { readForwarded, readTranscription } from "#contract/ai/forwarded-shapes.ts";
import type { FormPart } from "#contract/ai/operations.ts";

function faultOf(result: ReturnType<typeof readTranscription>): string {
  assert.ok("problem" in result, JSON.stringify(result));
  const { error } = result.body as { error: { param: string; message: string } };
  return `${error.param}: ${error.message}`;
}

const fault = (operation: Parameters<typeof readForwarded>[0], body: object) =>
  faultOf(readForwarded(operation, JSON.stringify(body)));

test("required fields, by operation", () => {
  assert.equal(fault("image", {}), "prompt: 'prompt' is required.");
  assert.equal(fault("image", { prompt: 7 }), "prompt: 'prompt' must be a string.");
  assert.equal(fault("speech", { input: null }), "input: 'input' is required.");
  assert.equal(fault("moderation", {}), "input: 'input' is required.");
  assert.equal(fault("rerank", { query: "q" }), "documents: 'documents' is required.");
  assert.equal(
    fault("rerank", { query: "q", documents: [] }),
    "documents: 'documents' must be a list that is not empty.",
  );
  assert.equal(fault("image", { prompt: "a", model: 5 }), "model: 'model' must be a string.");
});

test("answers in pieces are refused before a member is asked", () => {
  const why = "answers of this operation are passed on as a whole.";
  assert.equal(fault("image", { prompt: "a", stream: true }), `stream: 'stream': ${why}`);
  assert.equal(
    fault("speech", { input: "a", stream_format: "sse" }),
    `stream_format: 'stream_format': ${why}`,
  );
});

test("the text is kept as it came", () => {
  const text = '{"input": ["a", "\\u00e9"], "x": -0, "model": "omni"}';
  const request = readForwarded("moderation", text);
  assert.ok(!("problem" in request));
  assert.deepEqual([request.text, request.model], [text, "omni"]);
});

const field = (name: string, value: string): FormPart => ({
  name,
  filename: null,
  bytes: Buffer.from(value),
});
const file: FormPart = { name: "file", filename: "a.mp3", bytes: Buffer.from("ID3") };
const readForm = (...parts: FormPart[]) => readTranscription({ boundary: "b", parts });

test("a recording is a file; the model is read from its field", () => {
  assert.equal(faultOf(readForm()), "file: 'file' is required, as a file.");
  assert.equal(faultOf(readForm(field("file", "text"))), "file: 'file' is required, as a file.");
  assert.equal(
    faultOf(readForm(file, field("model", "a"), field("model", "b"))),
    "model: 'model' is given twice.",
  );
  assert.match(faultOf(readForm(file, field("stream", "true"))), /^stream: /);
  const request = readForm(file, field("model", "whisper-1"), field("prompt", "Names: Ada"));
  assert.ok(!("problem" in request));
  assert.deepEqual([request.model, request.body.prompt, request.stream], ["whisper-1", "Names: Ada", false]);
  const unnamed = readForm(file);
  assert.ok(!("problem" in unnamed));
  assert.equal(unnamed.model, null);
});
