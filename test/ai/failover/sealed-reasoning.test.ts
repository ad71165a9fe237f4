// Reasoning that another account sealed: the member that refuses it is asked once more without it.

import assert from "node:assert/strict";
import test from "node:test";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { upstreamResponse } from "../../http/responses-peer.ts";
import { json, type Reply, type Script, script } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

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
