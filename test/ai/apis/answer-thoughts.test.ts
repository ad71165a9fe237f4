// What of an answer's thoughts its client sends back.

import assert from "node:assert/strict";
import test from "node:test";
import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import { readChat } from "#ai/apis/chat-answer.ts";

const taken = (maker: string | undefined, ...deltas: readonly object[]) => {
  const thoughts = new AnswerThoughts(maker);
  for (const delta of deltas) thoughts.add(readChat(JSON.stringify({ choices: [{ delta }] })));
  return thoughts.take();
};
const sealed = { type: "reasoning.encrypted", data: "c2VhbA", format: "openai-responses-v1", index: 0 };
const plain = { type: "reasoning.text", text: "hm", index: 0 };
const signedCall = {
  index: 1,
  function: { name: "f", arguments: "{}" },
  extra_content: { google: { thought_signature: "c2ln" } },
};
const unsealed = (text: string, field: string) => ({
  type: "reasoning.text",
  text,
  format: "trunkline-unsealed-v1",
  maker: "m",
  field,
});

const cases: Record<string, [deltas: object[], taken: object[]]> = {
  "pieces of one field are one thought": [
    [{ reasoning_content: "a" }, { reasoning_content: "b" }],
    [unsealed("ab", "reasoning_content")],
  ],
  "the other field keeps its name": [[{ reasoning: "a" }], [unsealed("a", "reasoning")]],
  "of both fields one counts": [
    [{ reasoning: "a", reasoning_content: "a" }],
    [unsealed("a", "reasoning_content")],
  ],
  "sealed details say it all": [[{ reasoning: "a", reasoning_details: [sealed] }], [sealed]],
  "details without a seal leave the text": [
    [{ reasoning: "hm", reasoning_details: [plain] }],
    [unsealed("hm", "reasoning")],
  ],
  "signatures of calls name their call": [
    [{ tool_calls: [signedCall] }],
    [
      {
        type: "reasoning.encrypted",
        data: "c2ln",
        format: "google-gemini-v1",
        index: 0,
        id: "tool_calls.1",
        maker: "m",
      },
    ],
  ],
  "an answer without thoughts has none": [[{ content: "hi" }], []],
};
for (const [name, [deltas, expected]] of Object.entries(cases))
  test(name, () => assert.deepEqual(taken("m", ...deltas), expected));

test("without a maker, what was not sealed is left out", () => {
  assert.deepEqual(taken(undefined, { reasoning: "a", tool_calls: [signedCall] }), []);
  assert.deepEqual(taken(undefined, { reasoning_details: [sealed] }), [sealed]);
});

test("what was taken is not taken again", () => {
  const thoughts = new AnswerThoughts("m");
  thoughts.add(readChat('{"choices":[{"delta":{"reasoning":"a"}}]}'));
  thoughts.take();
  assert.deepEqual(thoughts.take(), []);
});
