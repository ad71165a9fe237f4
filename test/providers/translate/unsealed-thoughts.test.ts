// Thoughts with their makers in the messages of a request, and what vendors say of messages that lack them.

import assert from "node:assert/strict";
import test from "node:test";
import {
  callSignature,
  fillerFor,
  messagesFor,
  unsealedThought,
} from "#providers/translate/unsealed-thoughts.ts";

const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const turn = { role: "assistant", content: null, tool_calls: [call] };
const sealed = { type: "reasoning.encrypted", data: "x", format: "openai-responses-v1", index: 0 };
const own = [
  unsealedThought("one ", "reasoning_content", "me"),
  unsealedThought("two", "reasoning_content", "me"),
  callSignature(0, "c2ln", "me"),
  callSignature(7, "of no call", "me"),
];
const foreign = unsealedThought("theirs", "reasoning", "them");
const extra = { extra_content: { google: { thought_signature: "c2ln" } } };

/** The assistant's message as a member gets it. */
function sent(message: object, form: "fields" | "blocks" | null, filler: "text" | "signature" | null = null) {
  const text = JSON.stringify({ messages: [{ role: "user", content: "hi" }, message] });
  const changed = messagesFor(text, { maker: "me", form, filler });
  assert.ok(changed);
  return { message: JSON.parse(changed.messages)[1], isLess: changed.isLess };
}

test("the maker's thoughts are in its own form, and no one else's are there", () => {
  const message = { ...turn, reasoning_details: [sealed, foreign, ...own] };
  const signed = { ...turn, tool_calls: [{ ...call, ...extra }] };
  const kept = { ...signed, reasoning_details: [sealed] };
  assert.deepEqual(sent(message, "fields"), {
    message: { ...kept, reasoning_content: "one two" },
    isLess: true,
  });
  assert.deepEqual(sent(message, "blocks").message.reasoning_details, [sealed, own[0], own[1]]);
  assert.deepEqual(sent(message, null).message, kept);
  assert.deepEqual(sent({ ...turn, reasoning_details: own }, null), { message: signed, isLess: false });
});

test("a message keeps the thoughts that it has, and gets what stands for those that it lacks", () => {
  const whole = { ...turn, reasoning_content: "told" };
  assert.deepEqual(sent(whole, "fields", "text").message, whole);
  assert.deepEqual(sent(turn, "fields", "text").message, { ...turn, reasoning_content: " " });
  assert.deepEqual(sent({ ...turn, reasoning: "told" }, "fields", "text").message, {
    ...turn,
    reasoning: "told",
  });
  assert.deepEqual(sent(turn, "blocks", "text").message.reasoning_details[0].text, " ");
  const signed = { ...turn, tool_calls: [{ ...call, ...extra }] };
  assert.deepEqual(sent(signed, "fields", "signature").message, signed);
  const marker = sent(turn, "fields", "signature").message.tool_calls[0].extra_content;
  assert.deepEqual(marker, { google: { thought_signature: "skip_thought_signature_validator" } });
});

for (const [message, filler] of [
  ["The `reasoning_content` in the thinking mode must be passed back to the API.", "text"],
  ["The reasoning_content in the thinking mode must be provided.", "text"],
  ["thinking is enabled but reasoning_content is missing in assistant tool call message at index 3", "text"],
  ["Missing `reasoning_content` field in the assistant message at message index 2", "text"],
  [
    "Function call is missing a thought_signature in functionCall parts. This is required for tools",
    "signature",
  ],
  [
    "litellm.BadRequestError: Function call is missing a thought_signature in functionCall parts.",
    "signature",
  ],
  ["Unknown parameter: 'messages[1].reasoning_content'.", null],
  ["Invalid signature in thinking block", null],
  [`Something else. ${"x".repeat(100)} reasoning_content is missing`, null],
] as const)
  test(`${filler ?? "nothing"} is missing: ${message.slice(0, 70)}`, () =>
    assert.equal(fillerFor(message), filler));
