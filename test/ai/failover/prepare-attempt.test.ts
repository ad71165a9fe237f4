// The request that a member gets in a pool that adapts parameters: without those of sampling and effort that its model does
// not take, which are named; what changes the answer goes to another member.

import assert from "node:assert/strict";
import test from "node:test";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import {
  answered,
  json,
  pieces,
  type Reply,
  type Script,
  script,
  streamed,
  wholeStream,
} from "../scripted-members.ts";
import { type Asked, body, call, failureOf, run } from "./chain-calls.ts";

const asking = (more: Record<string, unknown>): Asked => ({
  body: { ...body, ...more },
  text: JSON.stringify({ ...body, ...more }),
  pool: { params: "adapt" },
});
const refuses = (param: string): Reply =>
  json(
    {
      error: {
        message: `Unsupported parameter: '${param}' is not supported with this model.`,
        type: "invalid_request_error",
        param,
        code: "unsupported_parameter",
      },
    },
    400,
  );
const sent = (it: Script, at: number) =>
  Object.keys(JSON.parse(String(it.asked[at]?.request.body ?? "")) as Record<string, unknown>);

test("the member that refused sampling is asked again without it, and from then on at once", async () => {
  for (const name of ["temperature", "top_p", "top_k", "logit_bias", "reasoning_effort"]) {
    const it = script();
    const members = [it.member("first", [refuses(name), answered()]), it.member("second", [answered()])];
    for (let turn = 0; turn < 2; turn++) {
      const result = await run(it, call(members, "chat", asking({ [name]: 1, n: 1 })));
      assert.ok(result.kind === "answer");
      assert.deepEqual([result.won.adapted, result.won.memberCount], [[name], 1]);
    }
    assert.deepEqual(it.names(), ["first", "first", "first"], name);
    assert.deepEqual(sent(it, 0), ["messages", name, "n", "model"]);
    for (const at of [1, 2]) assert.deepEqual(sent(it, at), ["messages", "n", "model"]);
    const without = await run(it, call(members, "chat", asking({ n: 1 })));
    assert.deepEqual(without.kind === "answer" && without.won.adapted, []);
  }
});

test("what asks for something else is not left out: another member is asked", async () => {
  for (const name of ["tools", "response_format", "n", "stop", "logprobs"]) {
    const it = script();
    const members = [it.member("first", [refuses(name)]), it.member("second", [answered()])];
    const result = await run(it, call(members, "chat", asking({ [name]: 1, temperature: 0.5 })));
    assert.deepEqual(result.kind === "answer" && [result.won.choice.member.name, result.won.adapted], [
      "second",
      [],
    ]);
  }
});

test("a strict pool asks another member, and names what has another name at the one that served", async () => {
  const it = script();
  const members = [
    it.member("first", [refuses("top_p")]),
    it.member("second", [refuses("max_tokens"), answered()]),
  ];
  const asked = call(members, "chat", {
    ...asking({ top_p: 0.5, max_tokens: 9 }),
    pool: { params: "strict" },
  });
  const result = await run(it, asked);
  assert.deepEqual(it.names(), ["first", "second", "second"]);
  assert.deepEqual(result.kind === "answer" && result.won.adapted, ["max_tokens"]);
});

test("what a translated vendor has no equivalent for is left out before it is asked", async () => {
  const settings = anthropic.settings.parse({ api_key: "k", base_url: "https://claude.test" });
  const parts = { temperature: 1.5, logit_bias: { 5: 1 }, user: "ann" };
  const claude = (it: Script) =>
    it.member("claude", ["hang"], { provider: anthropic, settings, models: ["claude-haiku-4-5"] });
  const it = script();
  const gone = new AbortController();
  const running = run(it, call([claude(it)], "chat", { ...asking(parts), signal: gone.signal }));
  await it.clock.settle();
  assert.ok(!sent(it, 0).includes("temperature"));
  gone.abort();
  assert.equal((await running).kind, "aborted");
  const strict = script();
  const refused = await run(
    strict,
    call([claude(strict)], "chat", { ...asking(parts), pool: { params: "strict" } }),
  );
  assert.equal(failureOf(refused).error.param, "temperature");
  const lacking = script();
  const tools = await run(lacking, call([claude(lacking)], "chat", asking({ ...parts, n: 2 })));
  assert.equal(failureOf(tools).error.param, "n");
});

test("a whole answer that is folded is asked for as a stream, and rescued when the stream breaks off", async () => {
  const it = script();
  const cut = streamed(pieces.role, pieces.word("lost"), "cut");
  const members = [it.member("first", [cut]), it.member("second", [wholeStream])];
  const result = await run(it, call(members, "folded"));
  assert.ok(result.kind === "answer");
  const answer = JSON.parse(result.text) as { object: string; choices: { message: object }[] };
  assert.equal(answer.object, "chat.completion");
  assert.deepEqual(answer.choices[0]?.message, { role: "assistant", content: "hello there" });
  assert.deepEqual([result.usage?.totalTokens, result.won.choice.member.name], [9, "second"]);
  assert.deepEqual(it.names(), ["first", "second"]);
  assert.equal(JSON.parse(String(it.asked[0]?.request.body)).stream, true);
});

test("a member that says nothing on a folded answer is left at its first-token limit", async () => {
  const it = script();
  const members = [it.member("first", ["silent"]), it.member("second", [wholeStream])];
  const result = await run(it, call(members, "folded"));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
  assert.ok(it.clock.monotonic() <= 60_000, String(it.clock.monotonic()));
});

for (const params of ["adapt", "strict"] as const)
  test(`a forced tool at Claude (${params}): the answer names what the model does otherwise`, async () => {
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
    };
    const forced = asking({
      tools: [{ type: "function", function: { name: "f" } }],
      tool_choice: "required",
      reasoning_effort: "low",
    });
    for (const [model, adapted, thinking] of [
      ["claude-opus-5", ["reasoning_effort"], { type: "disabled" }],
      ["claude-opus-5-5", ["tool_choice"], { type: "adaptive", display: "summarized" }],
    ] as const) {
      const it = script();
      const claude = it.member("claude", [json(message)], {
        provider: anthropic,
        models: [model],
        settings: anthropic.settings.parse({ api_key: "key", base_url: "http://claude.test" }),
      });
      const members = [claude, it.member("other", [answered()])];
      const result = await run(it, call(members, "chat", { ...forced, pool: { params } }));
      assert.ok(result.kind === "answer");
      const isElsewhere = params === "strict" && model === "claude-opus-5";
      assert.deepEqual(
        [result.won.choice.member.name, result.won.adapted],
        isElsewhere ? ["other", []] : ["claude", adapted],
      );
      if (isElsewhere) continue;
      const body = JSON.parse(String(it.asked[0]?.request.body)) as Record<string, unknown>;
      assert.deepEqual(body.thinking, thinking);
    }
  });
