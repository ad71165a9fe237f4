// Gemini's streams beside the recorded ones: a stream and a whole answer of the same parts say the same, however
// the parts are spread over events.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { geminiAnswer, geminiStream } from "#providers/gemini/answer.ts";
import { requestOf } from "../conformance-cases.ts";
import { folded } from "../folded.ts";

const request = requestOf({ messages: [] }, "gemini-2.5-flash", true);
const part = fc.oneof(
  fc.record({ text: fc.string({ maxLength: 6 }) }),
  fc.record({ text: fc.string({ maxLength: 6 }), thought: fc.constant(true) }),
  fc.record({ inlineData: fc.constant({ mimeType: "image/png", data: "AAAA" }) }),
  fc.record({
    functionCall: fc.record({ name: fc.constant("f"), args: fc.dictionary(fc.string(), fc.integer()) }),
  }),
);

test("a stream says what the whole answer says", () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 4 }), (spread) => {
      const more = { modelVersion: "gemini-2.5-flash-001", responseId: "r1" };
      const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 5, thoughtsTokenCount: 2 };
      const reader = geminiStream(request);
      const read = spread.flatMap((parts, at) => {
        const last = at === spread.length - 1;
        const candidate = { content: { parts }, index: 0, ...(last ? { finishReason: "STOP" } : {}) };
        const event = { candidates: [candidate], usageMetadata, ...more };
        return reader.push({ event: null, data: JSON.stringify(event) });
      });
      const whole = {
        candidates: [{ content: { parts: spread.flat() }, finishReason: "STOP" }],
        usageMetadata,
        ...more,
      };
      const answer = geminiAnswer(JSON.stringify(whole), request);
      assert.equal(answer.kind, "answer");
      assert.deepEqual(folded(read), JSON.parse(answer.text));
    }),
  );
});

test("ids of calls: a sane length, distinct, from the answer's own id", () => {
  const calls = Array.from({ length: 12 }, () => ({ functionCall: { name: "f" } }));
  const answer = geminiAnswer(
    JSON.stringify({
      candidates: [{ content: { parts: calls }, finishReason: "STOP" }],
      responseId: `ab-_${"c".repeat(90)}`,
    }),
    request,
  );
  assert.equal(answer.kind, "answer");
  const ids = JSON.parse(answer.text).choices[0].message.tool_calls.map(({ id }: { id: string }) => id);
  assert.equal(new Set(ids).size, 12);
  // OpenAI takes no id over 40 characters, should the conversation go on there.
  for (const id of ids) assert.match(id, /^call_abc{22}_\d+$/);
});

test("created is reported where Google reports it, else left to the gateway; the model likewise", () => {
  const made = (more: object) => {
    const candidates = [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP" }];
    const answer = geminiAnswer(JSON.stringify({ candidates, ...more }), request);
    assert.equal(answer.kind, "answer");
    const { created, model, id, usage } = JSON.parse(answer.text);
    return { created, model, id, usage };
  };
  const minimal = { created: 0, model: "gemini-2.5-flash", id: "", usage: undefined };
  assert.deepEqual(made({}), minimal);
  assert.deepEqual(made({ createTime: "2026-11-20T12:00:00.5Z" }), { ...minimal, created: 1_795_176_000 });
});

test("nothing is read behind the end; a reason that is new stays the vendor's", () => {
  const reader = geminiStream(request);
  const event = {
    candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "BRAND_NEW" }],
    usageMetadata: { promptTokenCount: 1 },
  };
  const read = reader.push({ event: null, data: JSON.stringify(event) });
  assert.equal(read.at(-1)?.kind, "done");
  assert.equal(folded(read).choices[0]?.finish_reason, "brand_new");
  assert.deepEqual(reader.push({ event: null, data: JSON.stringify(event) }), []);
});

test("log probabilities are kept where no text came with them, and candidates that are numbered alike are told apart", () => {
  const logprobsResult = { chosenCandidates: [{ token: "a", logProbability: -0.5 }] };
  const called = (name: string) => ({
    content: { parts: [{ functionCall: { name } }] },
    finishReason: "STOP",
    logprobsResult,
  });
  const value = { candidates: [called("f"), called("g")], usageMetadata: { promptTokenCount: 1 } };
  const answer = geminiAnswer(JSON.stringify(value), request);
  assert.equal(answer.kind, "answer");
  const { choices, usage } = JSON.parse(answer.text);
  assert.deepEqual(
    choices.map((choice: { index: number; message: { tool_calls: { function: { name: string } }[] } }) => [
      choice.index,
      choice.message.tool_calls[0]?.function.name,
    ]),
    [
      [0, "f"],
      [1, "g"],
    ],
  );
  assert.equal(usage.prompt_tokens, 1);
  assert.deepEqual(
    choices.map(
      (choice: { logprobs: { content: { token: string }[] } }) => choice.logprobs.content[0]?.token,
    ),
    ["a", "a"],
  );
});
