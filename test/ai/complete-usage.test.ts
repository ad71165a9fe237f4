// What a completion cost where no vendor said so, and that answers which take too long say nothing against their member.

import assert from "node:assert/strict";
import test from "node:test";
import { drain, events, poolOf, requested, start } from "./completing.ts";
import { answered, json, pieces, script, streamed, wholeStream } from "./scripted-members.ts";

test("a stream that never tells its usage is estimated from the text in it, however its frames look", async () => {
  const word = (delta: object, more: object) =>
    `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`;
  const logprobs = { logprobs: { content: [{ token: "x", bytes: [120], top_logprobs: ["y".repeat(500)] }] } };
  for (const more of [{}, logprobs]) {
    const it = script();
    const silent = streamed(
      ...Array.from({ length: 100 }, () => word({ content: "four" }, more)),
      word({ reasoning_content: "thought ".repeat(10) }, more),
      word(
        { tool_calls: [{ index: 0, id: "call_1", function: { name: "find", arguments: '{"a":"bc"}  ' } }] },
        more,
      ),
      word({}, { finish_reason: "stop" }),
      pieces.done,
    );
    const { completed, spent } = start(it, poolOf([it.member("only", [silent])]), requested(true));
    await drain(await completed);
    assert.deepEqual(
      [spent[0]?.estimated, spent[0]?.usage],
      [true, { promptTokens: 5, completionTokens: 124, totalTokens: 129 }],
    );
  }
});

test("an answer tells what it cost: a whole one at once, a stream in its last chunk", async () => {
  const it = script();
  const price = { input: 0.1, output: 0.4 };
  const member = it.member("only", [answered(), wholeStream], { price });
  const whole = await start(it, poolOf([member]), requested(false)).completed;
  assert.ok(whole.kind === "answer");
  // 7 tokens of the prompt, 2 of the answer.
  assert.deepEqual([whole.served.cost, JSON.parse(whole.text).service_pool.cost], [0.0000015, 0.0000015]);
  const stream = await start(it, poolOf([member]), requested(true)).completed;
  assert.ok(stream.kind === "stream");
  assert.equal(stream.served?.cost, undefined, "its headers go first");
  const chunks = events(await drain(stream)).filter((text) => text !== "[DONE]");
  const costs = chunks.flatMap((text) => JSON.parse(text).service_pool?.cost ?? []);
  assert.deepEqual(costs, [0.0000015]);
});

test("a whole answer without usage is estimated from its text, an embedding from its input alone", async () => {
  const it = script();
  const message = { role: "assistant", content: "x".repeat(40), logprobs: { content: "y".repeat(4_000) } };
  const whole = json({ id: "c".repeat(4_000), choices: [{ index: 0, message, finish_reason: "stop" }] });
  const vector = json({
    object: "list",
    data: [{ embedding: Array.from({ length: 1_536 }, () => 0.0123456789) }],
  });
  const member = it.member("only", [whole, vector], { embedding_models: ["embed"] });
  for (const [kind, completionTokens] of [
    ["chat", 10],
    ["embeddings", 0],
  ] as const) {
    const { completed, spent } = start(it, poolOf([member]), requested(false, { kind, promptTokens: 3 }));
    assert.equal((await completed).kind, "answer");
    assert.deepEqual(
      [spent[0]?.estimated, spent[0]?.usage],
      [true, { promptTokens: 3, completionTokens, totalTokens: 3 + completionTokens }],
    );
  }
});

test("a stream that is still speaking at the deadline ends with an error, and its member stays up", async () => {
  const it = script();
  const member = it.member("only", [streamed(pieces.role)]);
  const { open } = it.deps.upstreams;
  it.deps.upstreams.open = async (request) => {
    const result = await open(request);
    if (result.kind !== "answer") return result;
    // A word every 20 s, for ever.
    const read = async (patienceMs: number) => {
      await it.clock.sleep(Math.min(20_000, patienceMs));
      const late = { why: "timeout" as const, reason: "nothing came" };
      return patienceMs < 20_000 ? late : Buffer.from(pieces.word("on"));
    };
    return { ...result, body: { read, cancel: () => {} } };
  };
  for (let turn = 0; turn < 3; turn++) {
    const { completed, spent } = start(it, poolOf([member], { deadline_ms: 95_000 }), requested(true));
    await it.clock.advance(20_000);
    const reading = drain(await completed);
    await it.clock.advance(100_000);
    const all = events(await reading);
    assert.equal(JSON.parse(all.at(-1)!).error.code, "upstream_timeout");
    assert.equal(spent[0]?.status, 504);
  }
  assert.deepEqual(it.down, []);
});
