// Whole answers of OpenAI's form: what says something, what is beyond the bounds, and what is rightly large and
// passed on unread.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openaiAnswer, openaiEmbeddings } from "#providers/openai/answer.ts";
import { isWithinBounds } from "#providers/translate/json.ts";

const message = { role: "assistant", content: "hi" };
const choice = { index: 0, message, finish_reason: "stop" };
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const outputOf = (value: unknown) => {
  const answer = openaiAnswer(JSON.stringify(value));
  return answer.kind === "answer" ? answer.output : answer.kind;
};

test("without any choice nothing was answered, with any count", () => {
  assert.equal(outputOf({ choices: [choice], usage }), true);
  assert.equal(outputOf({ choices: [{ ...choice, message: { content: "" } }], usage }), true);
  assert.equal(outputOf({ choices: [], usage }), false);
  assert.equal(outputOf({ choices: [null], usage }), false);
  assert.equal(outputOf({ choices: [] }), false);
  assert.equal(outputOf({ usage }), "failure");
});

/** Tokens with twenty others each, as OpenAI tells them. */
function logprobs(tokens: number): object {
  const one = { token: " x", logprob: -0.00121589694172144, bytes: [32, 120] };
  const content = { ...one, top_logprobs: Array.from({ length: 20 }, () => one) };
  return { content: Array.from({ length: tokens }, () => content), refusal: null };
}

describe("an answer beyond the bounds", () => {
  test("is no answer, with any content", () => {
    for (const filling of [
      `[${"{},".repeat(50_000)}{}]`,
      `[${"1,".repeat(200_000)}1]`,
      `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
      `{${Array.from({ length: 150_000 }, (_, at) => `"k${at}":1`).join(",")}}`,
    ]) {
      const { content } = message;
      for (const text of [
        `{"choices":[{"message":{"content":"${content}"},"x":${filling}}]}`,
        `{"x":${filling},"choices":[{"message":{"content":"${content}"}}]}`,
        `{"choices":${filling}}`,
      ]) {
        const answer = openaiAnswer(text);
        assert.equal(answer.kind === "failure" && answer.failure.error.code, "bad_upstream_answer");
        assert.equal(answer.kind === "failure" && answer.failure.status, 200);
      }
    }
  });

  test("is an answer all the same where only its log probabilities are large", () => {
    const large = {
      choices: [{ index: 0, logprobs: logprobs(1_500), message, finish_reason: "stop" }],
      usage,
    };
    for (const text of [JSON.stringify(large), `\n ${JSON.stringify(large, null, 1)}`]) {
      assert.ok(!isWithinBounds(text));
      const answer = openaiAnswer(text);
      assert.ok(answer.kind === "answer" && answer.output);
      assert.equal(answer.text, text);
      assert.deepEqual(answer.usage, { promptTokens: 3, completionTokens: 4, totalTokens: 7 });
    }
    const failed = JSON.stringify({
      ...large,
      choices: [{ ...large.choices[0], error: { code: 429, message: "x" } }],
    });
    const answer = openaiAnswer(failed);
    assert.equal(answer.kind === "failure" && answer.failure.kind, "rate_limited");
  });

  test("that was cut off inside of them is no answer", () => {
    const text = JSON.stringify({ choices: [{ logprobs: logprobs(1_500), message }] });
    assert.equal(openaiAnswer(text.slice(0, -10)).kind, "failure");
    assert.equal(openaiAnswer(text.slice(0, text.length >> 1)).kind, "failure");
  });
});

describe("vectors", () => {
  const vector = `[${Array.from({ length: 3_072 }, (_, at) => (at - 1_500) / 7).join(", ")}]`;
  const of = (vectors: readonly string[], more = "") => {
    const data = vectors.map((one, index) => `{"object":"embedding","index":${index},"embedding":${one}}`);
    return `{"object":"list","data":[${data.join(",")}],"usage":{"prompt_tokens":3,"total_tokens":3}${more}}`;
  };

  test("are passed on, however many, and their usage is read", () => {
    const packed = JSON.stringify(Buffer.alloc(3_072 * 4, 7).toString("base64"));
    for (const [one, times] of [
      [vector, 1],
      [vector, 100],
      [packed, 100],
    ] as const) {
      const text = of(Array<string>(times).fill(one));
      const answer = openaiEmbeddings(text);
      assert.ok(answer.kind === "answer" && answer.output);
      assert.equal(answer.text, text);
      assert.deepEqual(answer.usage, { promptTokens: 3, completionTokens: 0, totalTokens: 3 });
    }
  });

  test("that are none, or beyond what vectors need, are no answer", () => {
    const many = `{${'"a":1,'.repeat(200_000)}"data":[1]}`;
    const objects = `{"data":[${"{},".repeat(400_000)}{}]}`;
    const cut = of(Array<string>(50).fill(vector)).slice(0, -200);
    for (const text of [many, objects, cut, "{}", '{"data":{}}', "<html>"])
      assert.equal(openaiEmbeddings(text).kind, "failure", text.slice(0, 20));
    const empty = openaiEmbeddings('{"data":[]}');
    assert.equal(empty.kind === "answer" && empty.output, false);
    const failed = openaiEmbeddings('{"error":{"message":"x","code":429}}');
    assert.equal(failed.kind === "failure" && failed.failure.kind, "rate_limited");
  });
});
