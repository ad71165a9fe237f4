// Log probabilities in OpenAI's form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { geminiLogprobs } from "#providers/gemini/logprobs.ts";

test("place by place, with bytes; places without others have none", () => {
  const result = {
    chosenCandidates: [{ token: "é", logProbability: -1 }, { token: "b" }],
    topCandidates: [{ candidates: [{ token: "a", logProbability: -2 }] }],
  };
  assert.deepEqual(geminiLogprobs(result), {
    content: [
      {
        token: "é",
        logprob: -1,
        bytes: [195, 169],
        top_logprobs: [{ token: "a", logprob: -2, bytes: [97] }],
      },
      { token: "b", logprob: -9999, bytes: [98], top_logprobs: [] },
    ],
  });
});

test("none told, none made up", () => {
  for (const nothing of [undefined, null, {}, { chosenCandidates: 1 }])
    assert.equal(geminiLogprobs(nothing), null);
});
