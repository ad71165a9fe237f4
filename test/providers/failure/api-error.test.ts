// OpenAI's error object: four fields, and no key in the message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiError } from "#providers/failure/api-error.ts";

test("all four fields are there, and the message is scrubbed", () => {
  assert.deepEqual(apiError("No.\nGot sk-proj-abc123DEF456", "server_error"), {
    message: "No. Got ***",
    type: "server_error",
    param: null,
    code: null,
  });
  assert.deepEqual(apiError("No.", "requests", "rate_limit_exceeded", "n"), {
    message: "No.",
    type: "requests",
    param: "n",
    code: "rate_limit_exceeded",
  });
});
