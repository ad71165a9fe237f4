// A request that allows a longer answer than a member's model gives: the member is asked once more for one that it gives, and
// where its refusal names no number, another member is.

import assert from "node:assert/strict";
import test from "node:test";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import type { Pool } from "#ai/pools/member.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { answered, json, type Reply, type Script, script } from "../scripted-members.ts";
import { body, call, failureOf, run } from "./chain-calls.ts";

const asking = (more: Record<string, unknown>, params: Pool["params"] = "adapt") => ({
  body: { ...body, ...more },
  text: JSON.stringify({ ...body, ...more }),
  pool: { params },
});
const refuses = (message: string): Reply =>
  json(
    { error: { message, type: "invalid_request_error", param: "max_tokens", code: "invalid_value" } },
    400,
  );
const atMost = (max: number) =>
  refuses(`max_tokens is too large: 32000. This model supports at most ${max} completion tokens.`);
const sent = (it: Script, at: number) =>
  JSON.parse(String(it.asked[at]?.request.body ?? "")) as Record<string, unknown>;

test("the member is asked once more with its limit, and from then on at once", async () => {
  const it = script();
  const members = [it.member("first", [atMost(16_384), answered()]), it.member("second", [answered()])];
  for (let turn = 0; turn < 2; turn++) {
    const result = await run(it, call(members, "chat", asking({ max_tokens: 32_000 })));
    assert.ok(result.kind === "answer");
    assert.deepEqual([result.won.adapted, result.won.memberCount], [["max_tokens"], 1]);
  }
  assert.deepEqual(it.names(), ["first", "first", "first"]);
  assert.deepEqual(
    [0, 1, 2].map((at) => sent(it, at).max_tokens),
    [32_000, 16_384, 16_384],
  );
  await run(it, call(members, "chat", asking({ max_tokens: 100 })));
  assert.equal(sent(it, 3).max_tokens, 100);
});

test("it is asked no third time, and its health does not suffer", async () => {
  const it = script();
  const first = it.member("first", [atMost(16_384), atMost(8192), atMost(4096)]);
  const result = await run(
    it,
    call([first, it.member("second", [answered()])], "chat", asking({ max_tokens: 32_000 })),
  );
  assert.equal(result.kind, "answer");
  assert.deepEqual(it.names(), ["first", "first", "second"]);
  assert.equal(first.health.availability(it.clock.monotonic()).kind, "up");
  assert.deepEqual(it.down, []);
});

test("without a number, and in a strict pool, another member is asked; the last one's refusal is the answer", async () => {
  for (const [refusal, params] of [
    [refuses("max_tokens is too large: 32000."), "adapt"],
    [atMost(16_384), "strict"],
  ] as const) {
    const it = script();
    const asked = asking({ max_tokens: 32_000 }, params);
    const members = [it.member("first", [refusal]), it.member("second", [answered()])];
    assert.equal((await run(it, call(members, "chat", asked))).kind, "answer");
    assert.deepEqual(it.names(), ["first", "second"]);
    const alone = failureOf(await run(it, call([it.member("third", [refusal])], "chat", asked)));
    assert.deepEqual(
      [alone.status, alone.error.param, alone.error.code],
      [400, "max_tokens", "invalid_value"],
    );
  }
});

test("a request that is forwarded in its own format is lowered too, and translated under its caller's name", async () => {
  const it = script();
  const settings = anthropic.settings.parse({ api_key: "k", base_url: "https://claude.test" });
  const message = "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for this";
  const refusal = json({ type: "error", error: { type: "invalid_request_error", message } }, 400);
  const answer = json({
    id: "msg",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const claude = it.member("claude", [refusal, answer], { provider: anthropic, settings });
  const whole = { model: "m", max_tokens: 64_000, messages: body.messages };
  const text = JSON.stringify(whole);
  const api = createMessagesRequest({ text, body: whole, headers: {} }, "stem");
  const asked = { text, body: whole, api, pool: { params: "adapt" } as const };
  const forwarded = await run(it, call([claude], "chat", asked));
  assert.deepEqual(forwarded.kind === "answer" && forwarded.won.adapted, ["max_tokens"]);
  assert.deepEqual([sent(it, 0).max_tokens, sent(it, 1).max_tokens], [64_000, 8192]);
  const other = it.member("other", [atMost(4096), answered()]);
  const translated = await run(it, call([other], "chat", asked));
  assert.deepEqual(translated.kind === "answer" && translated.won.adapted, ["max_tokens"]);
  assert.equal(sent(it, 3).max_tokens, 4096);
});
