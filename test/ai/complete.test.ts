// One completion as its caller and its account see it: who served, what is said in which mode, and that the usage
// is reported exactly once however it ends.

import assert from "node:assert/strict";
import test from "node:test";
import type { CompletionResult } from "#ai/complete.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { drain, events, poolOf, requested, start, streamOf } from "./completing.ts";
import {
  answered,
  json,
  type Piece,
  pieces,
  refusal,
  script,
  streamed,
  wholeStream,
} from "./scripted-members.ts";

const usage = { promptTokens: 7, completionTokens: 2, totalTokens: 9 };

test("a whole answer: under the pool's name, with who served it, and its usage told once", async () => {
  const it = script();
  const pool = poolOf([it.member("first", [refusal(503, "overloaded")]), it.member("second", [answered()])]);
  const { completed, spent } = start(it, pool, requested(false));
  const result = await completed;
  assert.equal(result.kind, "answer");
  if (result.kind !== "answer") return;
  const body = JSON.parse(result.text);
  assert.equal(body.model, "the-pool");
  assert.deepEqual(body.service_pool, {
    provider: "second",
    model: "model-second",
    latency_ms: 0,
    attempts: 2,
  });
  assert.deepEqual(result.served, body.service_pool);
  assert.equal(spent.length, 1);
  const { attempts, ...rest } = spent[0]!;
  assert.deepEqual(rest, {
    status: 200,
    member: "second",
    model: "model-second",
    usage,
    estimated: false,
    cost: null,
    firstByteMs: 0,
    ms: 0,
  });
  assert.deepEqual(
    attempts.map(({ member, outcome, status }) => [member, outcome, status]),
    [
      ["first", "upstream_error", 503],
      ["second", "ok", 200],
    ],
  );
});

test("answer_model served: the answer and every chunk say the model that served", async () => {
  const it = script();
  const pool = poolOf([it.member("only", [answered(), wholeStream])], { answer_model: "served" });
  const whole = await start(it, pool, requested(false)).completed;
  assert.equal(whole.kind === "answer" && JSON.parse(whole.text).model, "model-only");
  const frames = events(await drain(await start(it, pool, requested(true)).completed)).slice(0, -1);
  for (const frame of frames) assert.equal(JSON.parse(frame).model, "model-only");
});

test("a live stream: chunks in order, who served in the last one, [DONE], and the usage told once", async () => {
  for (const includeUsage of [false, true]) {
    const it = script();
    const { completed, spent } = start(
      it,
      poolOf([it.member("only", [wholeStream])]),
      requested(true, { includeUsage: includeUsage }),
    );
    const all = events(await drain(await completed));
    assert.equal(all.pop(), "[DONE]");
    const chunks = all.map((one) => JSON.parse(one));
    assert.equal(chunks.length, includeUsage ? 5 : 4, "the extra usage chunk is for those who asked");
    assert.equal(chunks.map((one) => one.choices[0]?.delta.content ?? "").join(""), "hello there");
    assert.ok(chunks.every((one) => one.model === "the-pool"));
    assert.deepEqual(
      chunks.map((one) => "service_pool" in one),
      chunks.map((_, at) => at === chunks.length - 1),
    );
    assert.equal(spent.length, 1);
    assert.deepEqual([spent[0]?.status, spent[0]?.usage, spent[0]?.estimated], [200, usage, false]);
  }
});

test("a stream that breaks off after its first word: an error, no [DONE], nothing from anybody else", async () => {
  for (const [ending, code] of [
    [["cut"], "upstream_cut"],
    [["silence"], "upstream_timeout"],
    [['data: {"id"\n\n'], "malformed_frame"],
    [[], "upstream_cut"],
    [[pieces.done], "upstream_cut"],
  ] as [Piece[], string][]) {
    const it = script();
    const members = [
      it.member("first", [streamed(pieces.role, pieces.word("hel"), ...ending)]),
      it.member("second", [wholeStream]),
    ];
    const { completed, spent } = start(it, poolOf(members), requested(true));
    const all = events(await drain(await completed)).map((one) => JSON.parse(one));
    const last = all.at(-1);
    assert.equal(last.error.code, code);
    assert.equal(last.service_pool.provider, "first");
    assert.ok(all.every((one) => !one.choices?.[0]?.finish_reason));
    assert.deepEqual(it.names(), ["first"]);
    assert.equal(spent.length, 1);
    assert.equal(spent[0]?.status, code === "upstream_timeout" ? 504 : 502);
    assert.equal(spent[0]?.estimated, true);
  }
});

test("stream_mode complete: the same faults are rescued, and nothing of the broken answer is seen", async () => {
  for (const ending of [["cut"], ["silence"], ['data: {"id"\n\n'], []] as Piece[][]) {
    const it = script();
    const members = [
      it.member("first", [streamed(pieces.role, pieces.word("BROKEN"), ...ending)]),
      it.member("second", [wholeStream]),
    ];
    const pool = poolOf(members, { stream_mode: "complete" });
    const { completed, spent } = start(it, pool, requested(true));
    const text = await drain(await completed);
    assert.ok(!text.includes("BROKEN"));
    assert.ok(text.endsWith("data: [DONE]\n\n"));
    assert.deepEqual([spent.length, spent[0]?.status, spent[0]?.member], [1, 200, "second"]);
    assert.deepEqual(spent[0]?.usage, usage);
  }
});

test("all failed: the error with whose it is; no member asked: without", async () => {
  const it = script();
  const members = [
    it.member("first", [refusal(401, "invalid_api_key")]),
    it.member("second", [refusal(503, "x")]),
  ];
  const { completed, spent } = start(it, poolOf(members), requested(true));
  const result = await completed;
  assert.equal(result.kind, "error");
  if (result.kind !== "error") return;
  assert.equal(result.status, 503);
  assert.deepEqual([result.served?.provider, result.served?.attempts], ["second", 2]);
  assert.deepEqual([spent.length, spent[0]?.status, spent[0]?.member], [1, 503, null]);
  assert.deepEqual(spent[0]?.usage, { promptTokens: 0, completionTokens: 0, totalTokens: 0 });

  const none = await start(it, poolOf([]), requested(false)).completed;
  assert.deepEqual([none.kind, none.kind === "error" && none.served], ["error", null]);
});

test("a member's refused key is a 502 for the caller", async () => {
  const it = script();
  const result = await start(
    it,
    poolOf([it.member("only", [refusal(401, "invalid_api_key")])]),
    requested(false),
  ).completed;
  assert.equal(result.kind === "error" && result.status, 502);
});

test("an unknown model in a strict pool: 404, recorded once, no member asked", async () => {
  const it = script();
  const pool = poolOf([it.member("only", [answered()])], { strict_models: true });
  const { completed, spent } = start(it, pool, requested(false, { model: "unheard-of" }));
  const result = await completed;
  assert.equal(result.kind === "error" && result.error.code, "model_not_found");
  assert.deepEqual([spent.length, spent[0]?.status], [1, 404]);
  assert.deepEqual(it.names(), []);
});

test("embeddings go to members that embed", async () => {
  const it = script();
  const embedded = json({
    object: "list",
    data: [{ embedding: [1] }],
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  const members = [it.member("chats", []), it.member("embeds", [embedded], { embedding_models: ["embed"] })];
  const request = requested(false, { kind: "embeddings", text: '{"input":"x"}', body: { input: "x" } });
  const { completed, spent } = start(it, poolOf(members), request);
  const result = await completed;
  assert.equal(result.kind === "answer" && JSON.parse(result.text).service_pool.model, "embed");
  assert.deepEqual(it.names(), ["embeds"]);
  assert.equal(spent[0]?.usage.promptTokens, 3);
});

test("headers_after_ms: a silent stream gets its headers early, and failover goes on behind them", async () => {
  const it = script();
  const late = it.member("first", ["hang"]);
  const { upstreams } = it.deps;
  // The first one gives up after 30 s, as its own limit says.
  it.deps.upstreams = {
    ...upstreams,
    open: async (request) => {
      if (!request.url.includes("first")) return await upstreams.open(request);
      await it.clock.sleep(30_000, request.signal);
      return { kind: "failed", why: "headers_timeout", reason: "Silent.", reused: false };
    },
  };
  for (const [reply, served] of [
    [wholeStream, true],
    [refusal(503, "overloaded"), false],
  ] as const) {
    const pool = poolOf([late, it.member("second", [reply])]);
    const { completed, spent } = start(it, pool, requested(true));
    let result: CompletionResult | null = null;
    void completed.then((one) => {
      result = one;
    });
    await it.clock.advance(19_999);
    assert.equal(result, null);
    await it.clock.advance(1);
    const early = await completed;
    assert.equal(early.kind === "stream" && early.served, null);
    assert.equal(spent.length, 0);
    const reading = drain(early);
    await it.clock.advance(10_000);
    const all = events(await reading);
    if (served) assert.equal(all.at(-1), "[DONE]");
    else assert.equal(JSON.parse(all.at(-1)!).error.code, "upstream_timeout");
    assert.equal(all.length, served ? 5 : 1);
    const named = JSON.parse(all.at(served ? -2 : -1)!).service_pool;
    // An error names beside it whose error it is.
    assert.deepEqual(
      [named.provider, named.attempts, named.latency_ms],
      [served ? "second" : "first", 2, 30_000],
    );
    assert.deepEqual([spent.length, spent[0]?.status], [1, served ? 200 : 504]);
    assert.equal(it.clock.sleeping(), 0);
  }
});

test("a bug behind early headers: the stream breaks, and the usage is recorded all the same", async () => {
  const it = script();
  const bug = () => {
    throw new Error("a bug");
  };
  const member = it.member("only", ["hang"], { provider: { ...openaiCompatible, stream: bug } });
  const open = it.deps.upstreams.open;
  it.deps.upstreams.open = async (request) => {
    await it.clock.sleep(30_000);
    return await open({ ...request });
  };
  it.member("only", [wholeStream]);
  const { completed, spent } = start(it, poolOf([member]), requested(true));
  await it.clock.advance(20_000);
  const stream = streamOf(await completed);
  const broken = assert.rejects(stream.next(), /a bug/);
  await it.clock.advance(10_000);
  await broken;
  stream.cancel();
  await it.clock.settle();
  assert.deepEqual([spent.length, spent[0]?.status], [1, 500]);
});

test("what a member sends in one read goes out in one text, with the end if that came too", async () => {
  for (const together of [true, false]) {
    const { role, word, finish, done } = pieces;
    const whole = [role, word("hel"), word("lo"), word("!")];
    const reply = together ? [[...whole, finish, done].join("")] : [whole.join(""), finish, done];
    const it = script();
    const { completed, spent } = start(
      it,
      poolOf([it.member("only", [streamed(...reply)])]),
      requested(true),
    );
    const stream = streamOf(await completed);
    const first = (await stream.next()) ?? "";
    assert.equal(events(first).length, together ? 6 : 4);
    assert.deepEqual([first.endsWith("data: [DONE]\n\n"), stream.isOver?.()], [together, together]);
    const rest = together ? "" : await stream.next();
    assert.equal(await stream.next(), null);
    assert.equal(events(first + rest).length, 6);
    assert.equal(spent.length, 1);
  }
});

/** Stages at which a caller may leave; each leaves the upstream of `only` open. */
const stages: readonly {
  name: string;
  stream: boolean;
  mode?: "complete";
  reply: "hang" | Piece[];
  early?: true;
}[] = [
  { name: "not streamed, before the head", stream: false, reply: "hang" },
  { name: "before the head", stream: true, reply: "hang" },
  { name: "before the first word", stream: true, reply: [pieces.role, "hang"] },
  { name: "behind early headers", stream: true, reply: "hang", early: true },
  { name: "inside the stream", stream: true, reply: [pieces.role, pieces.word("hel"), "hang"] },
  {
    name: "while it is collected",
    stream: true,
    mode: "complete",
    reply: [pieces.role, pieces.word("hel"), "hang"],
  },
];

test("the caller leaves: the upstream is given up at once, 499 is recorded once, no health learns of it", async (t) => {
  for (const { name, stream, mode, reply, early } of stages) {
    await t.test(name, async () => {
      const it = script();
      const member = it.member("only", [reply === "hang" ? reply : streamed(...reply)]);
      const pool = poolOf([member], { stream_mode: mode ?? "live" });
      const { completed, spent, gone } = start(it, pool, requested(stream));
      await it.clock.advance(early ? 20_000 : 0);
      const committed = early || name === "inside the stream" ? streamOf(await completed) : null;
      const reading = committed && !early ? committed.next() : null;
      if (reading) assert.notEqual(await reading, null);
      const pending = committed?.next();
      await it.clock.settle();
      // As the HTTP edge does: the signal ends, and the stream is cancelled where there is one.
      gone.abort();
      committed?.cancel();
      committed?.cancel();
      await it.clock.settle();
      assert.deepEqual(it.aborted, ["only"], "without any time passing");
      if (!committed) assert.equal((await completed).kind, "aborted");
      else assert.equal(await pending, null);
      assert.deepEqual([spent.length, spent[0]?.status], [1, 499]);
      assert.equal(spent[0]?.member, name === "inside the stream" ? "only" : null);
      const { health } = member;
      assert.equal(health.inFlight, 0);
      health.failed(health.begin(30_000), 30_000, "upstream_error", null);
      assert.equal(health.isOpen, false);
    });
  }
});
