// The body of an answer to an unknown outcome.

import assert from "node:assert/strict";
import test from "node:test";
import { readResolve, resolutions } from "#contract/messages/resolve.ts";

test("each answer is taken, trimmed", () => {
  for (const answer of resolutions) {
    assert.deepEqual(readResolve({ answer }), { answer, issues: null });
    assert.deepEqual(readResolve({ answer: ` ${answer} `, more: 1 }), { answer, issues: null });
  }
});

test("no answer is missing, any other is invalid, in Laravel's words", () => {
  const parse = (body: unknown) =>
    readResolve(body).issues?.map(({ path, message }) => [path.join("."), message]);
  const missing = [["answer", "The answer field is required."]];
  for (const body of [
    null,
    undefined,
    "send_again",
    [],
    ["send_again"],
    {},
    { answer: null },
    { answer: " " },
  ])
    assert.deepEqual(parse(body), missing, JSON.stringify(body));
  const invalid = [["answer", "The selected answer is invalid."]];
  for (const answer of ["SEND_AGAIN", "sent", 1, true, {}, ["mark_sent"]])
    assert.deepEqual(parse({ answer }), invalid, JSON.stringify(answer));
});
