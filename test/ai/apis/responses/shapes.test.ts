// Requests to the Responses API: what has to be there, and what needs something stored.

import assert from "node:assert/strict";
import test from "node:test";
import { readResponses } from "#ai/apis/responses/shapes.ts";

test("a text or a list", () => {
  for (const input of ["Hi", [{ role: "user", content: "Hi" }]]) {
    const read = readResponses(JSON.stringify({ input, stream: true, model: "m" }));
    assert.ok(!("problem" in read));
    assert.deepEqual([read.model, read.stream], ["m", true]);
  }
});

for (const [body, param] of [
  [{}, "input"],
  [{ input: "" }, "input"],
  [{ input: [] }, "input"],
  [{ input: "Hi", previous_response_id: "resp_1" }, "previous_response_id"],
  [{ input: "Hi", conversation: "conv_1" }, "conversation"],
  [{ input: "Hi", prompt: { id: "p" } }, "prompt"],
  [{ input: "Hi", background: "yes" }, "background"],
  [{ input: "Hi", background: true, stream: true }, "stream"],
] as const)
  test(`refused: ${JSON.stringify(body)}`, () => {
    const refused = readResponses(JSON.stringify(body));
    assert.ok("problem" in refused);
    assert.equal((refused.body as { error: { param: string } }).error.param, param);
  });

test("a background request is marked, and no member sees the word", () => {
  for (const [background, expected] of [
    [true, true],
    [false, undefined],
    [null, undefined],
  ] as const) {
    const read = readResponses(JSON.stringify({ background, input: "Hi" }));
    assert.ok(!("problem" in read));
    assert.deepEqual([read.background, read.text, read.body], [expected, '{"input":"Hi"}', { input: "Hi" }]);
  }
});
