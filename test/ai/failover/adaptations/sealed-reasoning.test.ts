// Reasoning that another account sealed: the member that refuses it is asked once more without it, in each format.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { upstreamResponse } from "../../../http/responses-peer.ts";
import { answered, json, type Reply, type Script, script } from "../../scripted-members.ts";
import { call, failureOf, run } from "../chain-calls.ts";

const error = {
  message:
    "The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted.",
  type: "invalid_request_error",
  param: null,
  code: "invalid_encrypted_content",
};
const refusal = json({ error }, 400);
const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const message = { role: "user", content: "Hi" };

function asked(input: readonly unknown[]) {
  const body = { model: "m", input };
  const text = JSON.stringify(body);
  return {
    text,
    body,
    api: createResponsesRequest({ text, body, headers: {} }, "stem", 1),
    pool: { params: "adapt" } as const,
  };
}
function member(it: Script, name: string, replies: readonly Reply[]) {
  const settings = openaiCompatible.settings.parse({ base_url: `http://${name}.test/v1`, responses: true });
  return it.member(name, replies, { settings });
}
const inputs = (it: Script) => it.asked.map(({ request }) => JSON.parse(String(request.body)).input);

test("the same member answers without it, healthy as before", async () => {
  const it = script();
  const first = member(it, "first", [refusal, json(upstreamResponse("m"))]);
  const second = member(it, "second", [json(upstreamResponse("m"))]);
  const result = await run(it, call([first, second], "chat", asked([message, sealed])));
  assert.ok(result.kind === "answer");
  assert.deepEqual([result.won.choice.member.name, result.won.adapted], ["first", ["input"]]);
  assert.deepEqual(inputs(it), [[message, sealed], [message]]);
  assert.equal(first.health.availability(it.clock.monotonic()).kind, "up");
  assert.deepEqual([it.down, it.logged], [[], []]);
});

test("it is asked once more and no oftener, and not where there is nothing to leave out", async () => {
  for (const [input, times] of [
    [[message, sealed], 2],
    [[message, { type: "compaction", encrypted_content: "gAAA" }], 1],
  ] as const) {
    const it = script();
    const failure = failureOf(await run(it, call([member(it, "first", [refusal])], "chat", asked(input))));
    assert.equal(it.asked.length, times);
    assert.deepEqual([failure.status, failure.error], [400, error]);
  }
});

const thought = { type: "thinking", thinking: "x", signature: "c2lnbmVk" };
const called = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const turns = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: [thought, called] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "1" }] },
];
const claudeAnswer = json({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ ...thought, signature: "bmV3" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});
const claudeRefusal = json(
  {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    },
  },
  400,
);

function askedOfClaude(messages: readonly unknown[], more: object = {}) {
  const body = { model: "m", max_tokens: 9, messages, ...more };
  const text = JSON.stringify(body);
  return { text, body, api: createMessagesRequest({ text, body, headers: {} }, "stem") };
}
const claude = (it: Script, name: string, replies: readonly Reply[], base_url = `http://${name}.test`) =>
  it.member(name, replies, {
    provider: anthropic,
    settings: anthropic.settings.parse({ api_key: "key", base_url }),
  });
const bodies = (it: Script) => it.asked.map(({ request }) => JSON.parse(String(request.body)));

test("Messages: a refused signature is left out, and the turn that lost its thoughts goes without a budget of them", async () => {
  const it = script();
  const first = claude(it, "first", [claudeRefusal, claudeAnswer]);
  const more = {
    thinking: { type: "enabled", budget_tokens: 2_000 },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  };
  const result = await run(it, call([first], "chat", askedOfClaude(turns, more)));
  assert.ok(result.kind === "answer");
  assert.deepEqual(result.won.adapted, ["messages"]);
  const [before, after] = bodies(it);
  assert.deepEqual(before.messages, turns);
  assert.deepEqual(after.messages, [turns[0], { role: "assistant", content: [called] }, turns[2]]);
  assert.deepEqual([after.thinking, after.context_management], [{ type: "disabled" }, undefined]);
  assert.deepEqual([it.down, first.health.availability(it.clock.monotonic()).kind], [[], "up"]);
});

test("Messages: what one member signed is not sent to another address, and to another account of its own it is", async () => {
  const at = (base_url: string) => async (other: string) => {
    const it = script();
    const members = [
      claude(it, "first", [claudeAnswer, refusal503, claudeAnswer], base_url),
      claude(it, "second", [claudeAnswer], other),
    ];
    await run(it, call(members, "chat", askedOfClaude([turns[0]])));
    const spoken = [turns[0], { role: "assistant", content: [{ ...thought, signature: "bmV3" }] }, turns[0]];
    const result = await run(it, call(members, "chat", askedOfClaude(spoken)));
    assert.ok(result.kind === "answer");
    return [it.names(), bodies(it).at(-1).messages.length];
  };
  const refusal503 = json({ type: "error", error: { type: "api_error", message: "down" } }, 503);
  const own = "http://first.test";
  assert.deepEqual(await at(own)("http://second.test"), [["first", "first", "second"], 2]);
  // The script knows members by their hosts.
  assert.deepEqual(await at(own)(own), [["first", "first", "first"], 3]);
});

const signed = (signature: string) => ({
  id: "call_1",
  type: "function",
  function: { name: "f", arguments: "{}" },
  extra_content: { google: { thought_signature: signature } },
});
const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }];
const chatTurns = (signature: string) => ({
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: [signed(signature)] },
    { role: "tool", tool_call_id: "call_1", content: "1" },
  ],
  tools,
});
const geminiAnswer = json({
  responseId: "r",
  candidates: [
    {
      content: {
        role: "model",
        parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "b3du" }],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
const google = (it: Script, name: string, replies: readonly Reply[]) =>
  it.member(name, replies, {
    provider: gemini,
    models: ["gemini-3-pro"],
    settings: gemini.settings.parse({ api_key: "key", base_url: `http://${name}.test` }),
  });
const askedOfGoogle = (body: Record<string, unknown>) => ({ text: JSON.stringify(body), body });
const signatures = (it: Script) => bodies(it).map(({ contents }) => contents?.[1]?.parts[0].thoughtSignature);

test("Gemini: a refused signature is replaced by Google's own mark", async () => {
  for (const message of [
    "Corrupted thought signature.",
    "Unable to submit request because Thought signature is not valid.. Learn more: https://x.test",
  ]) {
    const it = script();
    const refused = json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, 400);
    const first = google(it, "first", [refused, geminiAnswer]);
    const result = await run(it, call([first], "chat", askedOfGoogle(chatTurns("b3RoZXI="))));
    assert.ok(result.kind === "answer", message);
    assert.deepEqual(signatures(it), ["b3RoZXI=", "skip_thought_signature_validator"]);
    assert.deepEqual(result.won.adapted, ["messages"]);
  }
});

test("Gemini: a signature goes back to its maker, and to no member of another kind", async () => {
  const it = script();
  const first = google(it, "first", [geminiAnswer, geminiAnswer, json({}, 503)]);
  const members = [first, it.member("chat", [answered("ok")])];
  await run(it, call(members, "chat", askedOfGoogle({ messages: [{ role: "user", content: "Hi" }], tools })));
  for (const name of ["first", "chat"]) {
    const result = await run(it, call(members, "chat", askedOfGoogle(chatTurns("b3du"))));
    assert.ok(result.kind === "answer" && result.won.choice.member.name === name);
  }
  assert.deepEqual(signatures(it).slice(1, 3), ["b3du", "b3du"]);
  const { extra_content: _extra, ...bare } = signed("b3du");
  assert.deepEqual(bodies(it).at(-1).messages[1].tool_calls, [bare]);
});
