// A stream folded into a whole answer has every field that its chunks carry.

import assert from "node:assert/strict";
import test from "node:test";
import type { Chunk, Usage } from "#providers/provider.ts";
import { fold } from "#providers/translate/fold.ts";

const chunkOf = (value: unknown, usage: Usage | null = null): Chunk => ({
  kind: "chunk",
  text: JSON.stringify(value),
  output: true,
  finish: false,
  usage,
  usageOnly: false,
  units: 0,
});
const head = { id: "c1", object: "chat.completion.chunk", created: 7, model: "m" };
const delta = (fields: object, more: object = {}) =>
  chunkOf({ ...head, choices: [{ index: 0, delta: fields, finish_reason: null, ...more }] });
const folded = (...chunks: Chunk[]) => JSON.parse(fold(chunks).text);

test("pictures are whole, also where the vendor numbers all of them 0", () => {
  const picture = (url: string) => ({ type: "image_url", image_url: { url }, index: 0 });
  const { choices } = folded(delta({ images: [picture("data:a")] }), delta({ images: [picture("data:b")] }));
  assert.deepEqual(choices[0].message.images, [picture("data:a"), picture("data:b")]);
});

test("texts are joined, the role is said once, and the end and the usage are those of the stream", () => {
  const usage = { promptTokens: 3, completionTokens: 2, totalTokens: 5 };
  const counted = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const chunks = [
    delta({ role: "assistant", content: "" }),
    delta({ content: "Hel", reasoning_content: "think" }),
    delta({ content: "lo", reasoning_content: "ing" }),
    delta({}, { finish_reason: "stop" }),
    chunkOf({ ...head, choices: [], usage: counted, system_fingerprint: "fp" }, usage),
  ];
  const result = fold(chunks);
  assert.deepEqual(result.usage, usage);
  assert.deepEqual(JSON.parse(result.text), {
    ...head,
    object: "chat.completion",
    system_fingerprint: "fp",
    usage: counted,
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: "Hello", reasoning_content: "thinking" },
      },
    ],
  });
});

test("calls are joined by their index, which whole answers do not have", () => {
  const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
  const { choices } = folded(
    call(0, { id: "a", type: "function", function: { name: "look", arguments: "" } }),
    call(0, { id: "", function: { name: "look", arguments: '{"q":' } }),
    call(1, { id: "b", type: "function", function: { name: "sum", arguments: "{}" } }),
    call(0, { function: { arguments: "1}" } }),
    delta({}, { finish_reason: "tool_calls" }),
  );
  assert.deepEqual(choices[0].message, {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: { name: "look", arguments: '{"q":1}' } },
      { id: "b", type: "function", function: { name: "sum", arguments: "{}" } },
    ],
  });
});

test("choices, log probabilities, refusals, sound and fields that are unknown are kept", () => {
  const other = { ...head, choices: [{ index: 1, delta: { refusal: "No" }, finish_reason: "stop" }] };
  const { choices } = folded(
    delta(
      { audio: { id: "s", data: "AA" }, annotations: [{ url: 1 }] },
      { logprobs: { content: [{ token: "a" }] } },
    ),
    chunkOf(other),
    delta(
      { audio: { data: "BB", expires_at: 9 }, annotations: [{ url: 2 }], odd: 5 },
      {
        logprobs: { content: [{ token: "b" }] },
        finish_reason: "stop",
        stop_reason: 128_009,
      },
    ),
  );
  assert.deepEqual(choices, [
    {
      index: 0,
      finish_reason: "stop",
      stop_reason: 128_009,
      logprobs: { content: [{ token: "a" }, { token: "b" }] },
      message: {
        role: "assistant",
        content: null,
        audio: { id: "s", data: "AABB", expires_at: 9 },
        annotations: [{ url: 1 }, { url: 2 }],
        odd: 5,
      },
    },
    { index: 1, finish_reason: "stop", message: { role: "assistant", content: null, refusal: "No" } },
  ]);
});

test("no key reaches the prototype, and what is no choice is left out", () => {
  const raw = (text: string) => ({ ...chunkOf({}), text });
  const { text } = fold([
    raw(`{"id":"c","choices":[{"index":0,"delta":{"content":"x","__proto__":{"evil":1}}}]}`),
    raw(`{"choices":[{"index":1e9,"delta":{"content":"y"}},{"index":-1,"delta":{}}]}`),
    raw(`[]`),
  ]);
  assert.equal(JSON.parse(text).choices.length, 1);
  assert.equal(({} as Record<string, unknown>).evil, undefined);
});
