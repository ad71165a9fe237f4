// Completions of a text, compactions and counted tokens through a pool, by OpenAI's own client: passed on to the members that
// have them, and to no others.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import OpenAI from "openai";
import { readPools } from "#store/pools/pools.ts";
import { callsOf } from "../../../ai/pooled.ts";
import { fails, openaiPeer, type Peer, type PeerAnswer, replies } from "../../openai-peer.ts";
import { memberOf, type Pooled, type PoolOptions, pooled, type Reply } from "../../pooled.ts";
import { responsesUsage } from "../../responses-peer.ts";

const model = "gpt-3.5-turbo-instruct";
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const completion = (text: string, more: object = {}) => ({
  id: "cmpl-upstream",
  object: "text_completion",
  created: 1_767_225_600,
  model,
  choices: [{ text, index: 0, logprobs: null, finish_reason: "stop" }],
  usage,
  unknown_field: { kept: true },
  ...more,
});
const compaction = { type: "compaction", id: "cmp_upstream", encrypted_content: "gAAAAABcompacted" };
const compacted = {
  id: "resp_upstream",
  object: "response.compaction",
  created_at: 1_767_225_600,
  output: [
    { type: "message", role: "user", status: "completed", content: [{ type: "input_text", text: "Hi" }] },
    compaction,
  ],
  usage: responsesUsage,
};

let down: Peer;
let peer: Peer;
let it: Pooled;
let client: OpenAI;
let made = 0;
const both = () => [
  memberOf(down, { name: "down", models: [model, "gpt-5"] }),
  memberOf(peer, { name: "well", models: [model, "gpt-5"], priority: 2 }),
];
before(async () => {
  down = await openaiPeer();
  peer = await openaiPeer();
  it = await pooled({ name: "first", members: both() });
});
beforeEach(() => {
  down.answer(fails(503));
});
after(async () => {
  await it?.close();
  await peer?.close();
  await down?.close();
});

/** A pool of its own for each test: no member's health is another test's. */
async function poolWith(options: PoolOptions = {}): Promise<void> {
  await it.pool({ name: `pool-${made++}`, repeat: 0, members: both(), ...options });
  client = new OpenAI({ baseURL: it.baseUrl, apiKey: it.key, maxRetries: 0 });
}

const paramOf = ({ json }: Reply) => Reflect.get(json.error ?? {}, "param");

const responses = (peerOf: Peer) => ({
  settings: { base_url: peerOf.url, api_key: "sk-upstream-0123456789abcdef", responses: true },
});

const streams =
  (...chunks: object[]): PeerAnswer =>
  ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  };
const piece = (text: string, reason: string | null = null) =>
  completion("", { choices: [{ text, index: 0, logprobs: null, finish_reason: reason }], usage: null });

test("a completion, from the second member when the first fails; the request goes on unchanged", async () => {
  await poolWith();
  peer.answer(replies(200, completion(" there was a fox.")));
  const prompt = "Once upon a time";
  const { data, response } = await client.completions
    .create({ model, prompt, suffix: "The end.", seed: 7, max_tokens: 9 })
    .withResponse();
  assert.equal(data.choices[0]?.text, " there was a fox.");
  assert.equal(data.model, it.it && `pool-${made - 1}`);
  assert.deepEqual(Reflect.get(data, "unknown_field"), { kept: true });
  assert.equal(response.headers.get("x-service-pool-provider"), "well");
  assert.equal(response.headers.get("x-service-pool-attempts"), "2");
  assert.equal(down.asked.at(-1)?.path, "/v1/completions");
  assert.deepEqual(peer.asked.at(-1)?.body, { model, prompt, suffix: "The end.", seed: 7, max_tokens: 9 });
});

test("a stream of a completion: pieces as they came, the member in the last, usage for those who ask", async () => {
  const chunks = [piece(" there"), piece(" was"), piece("", "stop"), completion("", { choices: [], usage })];
  for (const include_usage of [true, false]) {
    await poolWith();
    peer.answer(streams(...chunks));
    const options = include_usage ? { stream_options: { include_usage } } : {};
    const stream = await client.completions.create({ model, prompt: "Once", stream: true, ...options });
    const got = [];
    for await (const chunk of stream) got.push(chunk);
    assert.equal(got.map(({ choices }) => choices[0]?.text ?? "").join(""), " there was");
    assert.deepEqual(got.at(-1)?.usage ?? null, include_usage ? usage : null);
    const served = Reflect.get(got.at(-1)!, "service_pool");
    assert.equal(served.provider, "well");
    assert.deepEqual(peer.asked.at(-1)?.body.stream_options, { include_usage: true });
  }
});

test("a stream that breaks off before its first text is another member's, later it ends with an error", async () => {
  await poolWith();
  down.answer(({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(piece(""))}\n\n`, () => response.destroy());
  });
  peer.answer(({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(piece(" there"))}\n\n`, () => response.destroy());
  });
  const { text } = await it.ask("/completions", { body: { model, prompt: "Once", stream: true } });
  assert.match(text, /" there"/);
  assert.match(text, /"error":\{/);
  assert.doesNotMatch(text, /\[DONE\]/);
});

test("whole answers as streams, and a whole answer where a stream was asked for", async () => {
  await poolWith({ whole_answers: "stream" });
  peer.answer(streams(piece(" there"), piece(" was", "length"), completion("", { choices: [], usage })));
  const folded = await client.completions.create({ model, prompt: "Once" });
  assert.deepEqual(
    [folded.choices[0]?.text, folded.choices[0]?.finish_reason, folded.usage],
    [" there was", "length", usage],
  );
  await poolWith();
  peer.answer(replies(200, completion(" at once")));
  const { text } = await it.ask("/completions", { body: { model, prompt: "Once", stream: true } });
  assert.match(text, /" at once"/);
  assert.match(text, /data: \[DONE\]\n\n$/);
});

test("a member without the path is passed over, keeps its chat completions, and is not asked there again", async () => {
  for (const missing of [
    replies(404, { detail: "Not Found" }),
    replies(405, { detail: "Method Not Allowed" }),
    replies(404, {
      error: {
        message:
          "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?",
        type: "invalid_request_error",
        param: "model",
        code: null,
      },
    }),
  ]) {
    await poolWith();
    down.answer(missing);
    peer.answer(replies(200, completion(" there")));
    const asked = down.asked.length;
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await client.completions.create({ model, prompt: "Once" });
      assert.equal(answer.choices[0]?.text, " there");
    }
    assert.equal(down.asked.length, asked + 1);
    await client.chat.completions
      .create({ model, messages: [{ role: "user", content: "Hi" }] })
      .catch(() => {});
    assert.equal(down.asked.at(-1)?.path, "/v1/chat/completions");
  }
});

test("the caller's own fault is returned in the vendor's words", async () => {
  await poolWith();
  down.answer(
    replies(400, {
      error: {
        message: "'logprobs' is too large.",
        type: "invalid_request_error",
        param: "logprobs",
        code: "integer_above_max_value",
      },
    }),
  );
  const asked = peer.asked.length;
  const { status, json } = await it.ask("/completions", { body: { model, prompt: "Once", logprobs: 99 } });
  assert.equal(status, 400);
  assert.match(JSON.stringify(json.error), /'logprobs' is too large/);
  assert.equal(peer.asked.length, asked);
});

test("a pool whose members have no such API says so, and no member is asked", async () => {
  await poolWith({ members: [{ name: "echo", kind: "sandbox", models: ["echo"] }] });
  for (const [path, body] of [
    ["/completions", { prompt: "Once" }],
    ["/responses/compact", { input: "Hi" }],
  ] as const) {
    const { status, json } = await it.ask(path, { body });
    assert.equal(status, 400);
    assert.deepEqual(json.error, {
      message: `No member of this pool that may serve the request has \`${path}\`.`,
      type: "invalid_request_error",
      param: "model",
      code: "operation_not_served",
    });
  }
  for (const [body, param] of [
    [{}, "prompt"],
    [{ prompt: 7 }, "prompt"],
    [{ prompt: "a", stream: "yes" }, "stream"],
  ] as const)
    assert.equal(paramOf(await it.ask("/completions", { body })), param);
});

test("a conversation is compacted, and goes on at the member that compacted it", async () => {
  await poolWith({
    members: [
      memberOf(down, { name: "down", models: ["gpt-5"], ...responses(down) }),
      memberOf(peer, { name: "well", models: ["gpt-5"], ...responses(peer) }),
    ],
    whole_answers: "stream",
  });
  peer.answer(replies(200, compacted));
  const answer = await client.responses.compact({ model: "gpt-5", input: "Hi", instructions: "Be brief." });
  assert.deepEqual(answer.output, compacted.output);
  assert.equal(Reflect.get(answer, "service_pool").provider, "well");
  assert.equal(peer.asked.at(-1)?.path, "/v1/responses/compact");
  // `store` is a parameter of creating a response alone.
  assert.deepEqual(peer.asked.at(-1)?.body, { model: "gpt-5", input: "Hi", instructions: "Be brief." });
  down.answer(replies(200, compacted));
  const asked = down.asked.length;
  const input = [...answer.output, { role: "user", content: "And then?" }] as OpenAI.Responses.ResponseInput;
  for (let turn = 0; turn < 3; turn += 1) {
    await client.responses.compact({ model: "gpt-5", input, prompt_cache_key: `k${turn}` });
    assert.deepEqual(Reflect.get(peer.asked.at(-1)?.body ?? {}, "prompt_cache_key"), `k${turn}`);
  }
  assert.equal(down.asked.length, asked);
  for (const [body, param] of [
    [{ model: "gpt-5" }, "input"],
    [{ input: "Hi", stream: true }, "stream"],
    [{ input: "Hi", previous_response_id: "resp_1" }, "previous_response_id"],
  ] as const)
    assert.equal(paramOf(await it.ask("/responses/compact", { body })), param);
});

test("another server under OpenAI's name is asked to compact, unless its settings say that it cannot", async () => {
  await poolWith();
  down.answer(replies(404, {}));
  peer.answer(replies(200, compacted));
  assert.deepEqual(
    (await client.responses.compact({ model: "gpt-5", input: "Hi" })).output,
    compacted.output,
  );
  const { settings } = responses(peer);
  await poolWith({
    members: [memberOf(peer, { models: ["gpt-5"], settings: { ...settings, responses: false } })],
  });
  assert.equal((await it.ask("/responses/compact", { body: { input: "Hi" } })).status, 400);
});

test("the tokens of a response's request: the member's count, or an estimate", async () => {
  await poolWith({ members: [memberOf(peer, { name: "well", models: ["gpt-5"], ...responses(peer) })] });
  peer.answer(replies(200, { object: "response.input_tokens", input_tokens: 42 }));
  const body = { model: "gpt-5", input: "Hi there!", instructions: "Be brief.", stream: true };
  const counted = await client.responses.inputTokens.count(body as never);
  assert.deepEqual(counted, { object: "response.input_tokens", input_tokens: 42 });
  assert.equal(peer.asked.at(-1)?.path, "/v1/responses/input_tokens");
  assert.deepEqual(peer.asked.at(-1)?.body, {
    model: "gpt-5",
    input: "Hi there!",
    instructions: "Be brief.",
  });
  peer.answer(replies(404, {}));
  const { input_tokens: estimated } = await client.responses.inputTokens.count({ input: "x".repeat(400) });
  assert.ok(estimated >= 100 && estimated < 120, String(estimated));
  const refused = await it.ask("/responses/input_tokens", { body: { previous_response_id: "resp_1" } });
  assert.equal(paramOf(refused), "previous_response_id");
});

test("calls are recorded with their API and tokens; a vendor that counts none is estimated", async () => {
  await poolWith();
  peer.answer(replies(200, completion("x".repeat(40), { usage: null })));
  await client.completions.create({ model, prompt: ["y".repeat(40), "z".repeat(40)] });
  peer.answer(replies(200, completion(" there")));
  await client.completions.create({ model, prompt: [1, 2, 3] });
  await it.it.advance(2_000);
  const all = await it.it.system.database.run(readPools, { accountId: it.accountId, id: null });
  const { pool } = all.find((one) => one.pool.name === `pool-${made - 1}`)!;
  const calls = await callsOf(it.it, { accountId: it.accountId, poolId: pool.id });
  assert.deepEqual(
    calls
      .map((call) => [call.kind, call.api, call.prompt_tokens, call.completion_tokens, call.estimated])
      .sort(),
    [
      ["chat", "completions", 26, 10, 1],
      ["chat", "completions", 3, 5, 0],
    ],
  );
});
