// What answers and events of each format say of themselves.

import assert from "node:assert/strict";
import test from "node:test";
import { answerFacts } from "#ai/tracing/answer-facts.ts";

const facts = (value: unknown) => {
  const { id, model, finishReasons } = answerFacts(typeof value === "string" ? value : JSON.stringify(value));
  return [id, model, ...finishReasons];
};

test("id, model and reasons of each format, whole and in events", () => {
  const choices = [{ finish_reason: "stop" }, { finish_reason: "length" }];
  assert.deepEqual(facts({ id: "c1", model: "m", choices }), ["c1", "m", "stop", "length"]);
  assert.deepEqual(facts({ id: "c1", model: "m", choices: [{ finish_reason: null }] }), ["c1", "m"]);
  assert.deepEqual(facts({ id: "msg", model: "m", stop_reason: "end_turn" }), ["msg", "m", "end_turn"]);
  const start = { type: "message_start", message: { id: "msg", model: "m", stop_reason: null } };
  assert.deepEqual(facts(start), ["msg", "m"]);
  assert.deepEqual(facts({ type: "message_delta", delta: { stop_reason: "tool_use" } }), [
    null,
    null,
    "tool_use",
  ]);
  const response = { object: "response", id: "resp", model: "m" };
  assert.deepEqual(facts({ ...response, status: "completed" }), ["resp", "m", "completed"]);
  const created = { type: "response.created", response: { ...response, status: "in_progress" } };
  assert.deepEqual(facts(created), ["resp", "m"]);
  const details = { reason: "max_output_tokens" };
  const cut = { ...response, status: "incomplete", incomplete_details: details };
  assert.deepEqual(facts({ type: "response.incomplete", response: cut }), ["resp", "m", "max_output_tokens"]);
  const gemini = { responseId: "g", modelVersion: "m", candidates: [{ finishReason: "STOP" }] };
  assert.deepEqual(facts(gemini), ["g", "m", "STOP"]);
});

test("anything else says nothing, and a text of a megabyte is not parsed", () => {
  for (const value of ["", "[1]", "[DONE]", "{", { id: 7, model: {}, choices: ["x", null] }])
    assert.deepEqual(facts(value), [null, null]);
  assert.deepEqual(facts({ id: "c1", text: "x".repeat(1024 * 1024) }), [null, null]);
});
