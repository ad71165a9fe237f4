// Thoughts that Anthropic did not sign do not reach it.

import assert from "node:assert/strict";
import test from "node:test";
import {
  foreignSignature,
  sealedThinking,
  withoutForeignThinking,
} from "#providers/anthropic/sealed-thinking.ts";

const thought = { type: "thinking", thinking: "x", signature: foreignSignature };

test("a text without them is returned as it is", () => {
  const text =
    '{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"c2ln"}]}],"x":1e400}';
  assert.equal(withoutForeignThinking(text), text);
});

test("they are taken out, with messages that had nothing else, and other fields stay as they were", () => {
  const textBlock = { type: "text", text: `about ${foreignSignature}` };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [thought] },
    { role: "assistant", content: [thought, textBlock] },
  ];
  const text = `{"x":1e400,"messages":${JSON.stringify(messages)}}`;
  assert.equal(
    withoutForeignThinking(text),
    `{"x":1e400,"messages":${JSON.stringify([messages[0], { role: "assistant", content: [textBlock] }])}}`,
  );
});

test("what is signed or encrypted is read of whole answers and of streams", () => {
  const { made } = sealedThinking("https://api.anthropic.com", "m");
  const signed = { type: "thinking", thinking: "x", signature: "c2ln" };
  const redacted = { type: "redacted_thinking", data: "ZGF0YQ==" };
  const read = (value: object) => made(JSON.stringify(value));
  assert.deepEqual(read({ content: [signed, redacted, { type: "text", text: '"signature"' }] }), [
    "c2ln",
    "ZGF0YQ==",
  ]);
  const delta = { type: "signature_delta", signature: "c2ln" };
  assert.deepEqual(read({ type: "content_block_delta", index: 0, delta }), ["c2ln"]);
  assert.deepEqual(read({ type: "content_block_start", index: 0, content_block: redacted }), ["ZGF0YQ=="]);
  const begun = { type: "thinking", thinking: "", signature: "" };
  assert.deepEqual(read({ type: "content_block_start", index: 0, content_block: begun }), []);
  assert.deepEqual(made('{"signature'), []);
});

test("foreign thoughts go and own ones stay, in order", () => {
  const own = { type: "thinking", thinking: "x", signature: "own" };
  const redacted = { type: "redacted_thinking", data: "other" };
  const textBlock = { type: "text", text: "Hi" };
  const spoken = { role: "assistant", content: [own, redacted, textBlock] };
  const text = JSON.stringify({ thinking: { type: "enabled", budget_tokens: 2_000 }, messages: [spoken] });
  const kept = { role: "assistant", content: [own, textBlock] };
  assert.equal(
    withoutForeignThinking(text, new Set(["other"])),
    JSON.stringify({ thinking: { type: "enabled", budget_tokens: 2_000 }, messages: [kept] }),
  );
  assert.deepEqual(sealedThinking("u", "m").in({ messages: [spoken] }), ["own", "other"]);
});

test("a budget of thoughts stays where the turn that lost its own is over, and other edits of the context stay", () => {
  const lost = [
    { type: "thinking", thinking: "x", signature: "other" },
    { type: "tool_use", id: "t", name: "f", input: {} },
  ];
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] };
  const edits = [{ type: "clear_thinking_20251015" }, { type: "clear_tool_uses_20250919" }];
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const sent = (...after: object[]) => {
    const messages = [{ role: "assistant", content: lost }, result, ...after];
    const text = JSON.stringify({ thinking, context_management: { edits }, messages });
    const body = JSON.parse(withoutForeignThinking(text, new Set(["other"])));
    return [body.thinking, body.context_management.edits];
  };
  assert.deepEqual(sent(), [{ type: "disabled" }, [edits[1]]]);
  assert.deepEqual(sent({ role: "assistant", content: "ok" }, { role: "user", content: "More" }), [
    thinking,
    edits,
  ]);
});

test("thoughts without a signature differ from signed ones, whole and in pieces, and are never Claude's", () => {
  const thinking = (text: string, more: object = {}) => ({ type: "thinking", thinking: text, ...more });
  const { made, madeInPieces, in: sealsIn, signsAll } = sealedThinking("https://other.test", "glm-5");
  assert.equal(signsAll, undefined);
  const plain = ["plain Hm."];
  assert.deepEqual(made(JSON.stringify({ content: [thinking("Hm."), { type: "text", text: "Hi" }] })), plain);
  for (const more of [{}, { signature: "" }]) {
    const read = madeInPieces!();
    const events: object[] = [
      { type: "content_block_start", index: 0, content_block: thinking("", more) },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "H" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "m." } },
      { type: "content_block_stop", index: 0 },
    ];
    assert.deepEqual(
      events.flatMap((event) => read(JSON.stringify(event))),
      plain,
    );
    const signed = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "s" },
    };
    assert.deepEqual(
      events.toSpliced(3, 0, signed).flatMap((event) => read(JSON.stringify(event))),
      ["s"],
    );
  }
  const messages = [
    { role: "assistant", content: [thinking("Hm."), thinking("A", { signature: "s" }), thinking("")] },
  ];
  assert.deepEqual(sealsIn({ messages }), [...plain, "s", "plain  "]);
  const left = withoutForeignThinking(JSON.stringify({ messages }), new Set([...plain, "plain  "]));
  assert.deepEqual(JSON.parse(left).messages[0].content, [thinking("A", { signature: "s" })]);
  for (const [url, model] of [
    ["https://api.anthropic.com", "m"],
    ["https://proxy.test", "claude-sonnet-4-5"],
    ["https://proxy.test", "anthropic/claude-opus-5"],
  ] as const)
    assert.equal(sealedThinking(url, model).signsAll, true, model);
});
