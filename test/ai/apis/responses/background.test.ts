// A response without an answer, as OpenAI's clients read it.

import assert from "node:assert/strict";
import test from "node:test";
import { unansweredResponse } from "#ai/apis/responses/background.ts";

const state = {
  stem: "01abc",
  status: "queued",
  createdAt: 1_767_225_600_900,
  model: "default",
  error: null,
};

test("while it waits it repeats what the request set, and has no output", () => {
  const body = { model: "m", input: "Hi", metadata: { a: "b" }, temperature: 0 };
  const response = unansweredResponse({ ...state, body });
  const { id, status, created_at, model, background, output, metadata, temperature, error } = response;
  assert.deepEqual(
    { id, status, created_at, model, background, output, metadata, temperature, error },
    {
      id: "resp_01abc",
      status: "queued",
      created_at: 1_767_225_600,
      model: "m",
      background: true,
      output: [],
      metadata: { a: "b" },
      temperature: 0,
      error: null,
    },
  );
  assert.equal(unansweredResponse({ ...state, body: { model: "" } }).model, "default");
});

test("one that failed says why with OpenAI's two fields, and has the pool's name", () => {
  const error = { message: "Away.", type: "server_error", param: null, code: null };
  const response = unansweredResponse({ ...state, status: "failed", body: null, error });
  assert.deepEqual(
    [response.status, response.model, response.error],
    ["failed", "default", { code: "server_error", message: "Away." }],
  );
});
