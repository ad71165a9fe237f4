// What one request may teach the pool about a member: nothing that its caller wrote, nothing about other models, and
// nothing at all where the member merely cannot serve this request.

import assert from "node:assert/strict";
import test from "node:test";
import {
  answered,
  json,
  pieces,
  type Reply,
  refusal,
  type Script,
  script,
  streamed,
  wholeStream,
} from "../scripted-members.ts";
import { type Asked, body, call, failureOf, run } from "./chain-calls.ts";

const error = (status: number, message: string, more: object = {}): Reply =>
  json({ error: { message, type: "invalid_request_error", param: null, code: null, ...more } }, status);

test("a caller's odd key, quoted by the vendor: the next member is asked, and no member rests", async () => {
  for (const key of ["insufficient_quota", "rate_limit_exceeded", "content_filter", "context_length"]) {
    const it = script();
    const refused = error(400, `Unrecognized request argument supplied: ${key}`);
    const members = [it.member("first", [refused]), it.member("second", [refused])];
    const failure = failureOf(await run(it, call(members)));
    assert.deepEqual([failure.kind, failure.status], ["unsupported", 400], key);
    assert.deepEqual(it.names(), ["first", "second"]);
    assert.deepEqual(it.down, []);
    assert.equal(members[0]!.health.availability(0, "model-first").kind, "up");
  }
});

const asking = (more: Record<string, unknown>): Asked => ({
  body: { ...body, ...more },
  text: JSON.stringify({ ...body, ...more }),
});
const unsupported = (param: string, code = "unsupported_parameter") =>
  error(400, `Unsupported parameter: '${param}' is not supported with this model.`, { param, code });
const sent = (it: Script, at: number) =>
  JSON.parse(String(it.asked[at]?.request.body ?? "")) as Record<string, unknown>;

test("a parameter that a model refused is known for six hours: the next member is asked first", async () => {
  const it = script();
  const members = [it.member("first", [unsupported("top_k"), answered()]), it.member("second", [answered()])];
  const ask = async (more: object) => await run(it, call(members, "chat", asking({ ...more })));
  const result = await ask({ top_k: 3 });
  assert.equal(result.attempts[0]?.outcome, "unsupported");
  await ask({ top_k: 9 });
  await ask({});
  assert.deepEqual(it.names(), ["first", "second", "second", "first"]);
  const health = members[0]!.health;
  assert.equal(health.availability(0, "model-first").kind, "up");
  assert.deepEqual(health.refused.list(0), [
    { model: "model-first", parameter: "top_k", value: null, until: 21_600_000 },
  ]);
  await it.clock.advance(21_600_000);
  await run(it, call(members, "chat", { ...asking({ top_k: 3 }), deadlineAt: 22_000_000 }));
  assert.equal(it.names().at(-1), "first");
});

test("of a refused value, another one is still asked for; alone, a member is asked all the same", async () => {
  const it = script();
  const first = it.member("first", [unsupported("temperature", "unsupported_value"), answered()]);
  const members = [first, it.member("second", [answered()])];
  for (const temperature of [0.2, 0.2, 1]) await run(it, call(members, "chat", asking({ temperature })));
  assert.deepEqual(it.names(), ["first", "second", "second", "first"]);
  assert.equal((await run(it, call([first], "chat", asking({ temperature: 0.2 })))).kind, "answer");
});

test("a hint takes no member out: it is asked again without it, and from then on at once", async () => {
  for (const hint of ["verbosity", "service_tier", "store", "prompt_cache_options", "presence_penalty"]) {
    const it = script();
    const members = [it.member("first", [unsupported(hint), answered()]), it.member("second", [answered()])];
    for (let turn = 0; turn < 2; turn++) {
      const result = await run(it, call(members, "chat", asking({ [hint]: 1, top_p: 0.5 })));
      assert.equal(result.kind === "answer" && result.won.memberCount, 1, hint);
    }
    assert.deepEqual(it.names(), ["first", "first", "first"], hint);
    assert.deepEqual(Object.keys(sent(it, 0)), ["messages", hint, "top_p", "model"]);
    for (const at of [1, 2]) assert.deepEqual(Object.keys(sent(it, at)), ["messages", "top_p", "model"]);
  }
});

test("what has another name is sent under that one", async () => {
  const it = script();
  const members = [it.member("only", [unsupported("max_tokens"), answered()])];
  assert.equal((await run(it, call(members, "chat", asking({ max_tokens: 50 })))).kind, "answer");
  assert.deepEqual([sent(it, 1).max_tokens, sent(it, 1).max_completion_tokens], [undefined, 50]);
});

test("the caller's `stream_options` is left out where it is refused, and so is ours", async () => {
  const detail = [
    { type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" },
  ];
  for (const options of [{}, { stream_options: { include_usage: true } }]) {
    const it = script();
    const members = [it.member("only", [json({ detail }, 422), wholeStream])];
    const more = asking({ ...options, stream: true });
    assert.equal((await run(it, call(members, "stream", more))).kind, "streaming");
    assert.deepEqual(
      [sent(it, 0).stream_options !== undefined, sent(it, 1).stream_options],
      [true, undefined],
    );
  }
});

test("one that refuses without end what it was not sent is asked twice", async () => {
  const it = script();
  const failure = failureOf(
    await run(it, call([it.member("only", [unsupported("store")])], "chat", asking({ store: true }))),
  );
  assert.equal(failure.kind, "unsupported");
  assert.deepEqual(it.names(), ["only", "only"]);
});

test("a member that cannot serve this request: the next one does, and no member rests", async () => {
  const tooLarge =
    "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 50000.";
  for (const reply of [
    error(404, "No endpoints found that support image input", { code: 404 }),
    error(404, "Not Found"),
    error(429, tooLarge, { type: "tokens", code: "rate_limit_exceeded" }),
    error(413, tooLarge, { type: "tokens", code: "rate_limit_exceeded" }),
  ]) {
    const it = script();
    const members = [it.member("first", [reply]), it.member("second", [answered()])];
    const result = await run(it, call(members));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "second");
    assert.equal(result.attempts[0]?.outcome, "unsupported");
    const { health } = members[0]!;
    assert.equal(health.availability(0, "model-first").kind, "up");
    assert.equal(health.isModelMissing("model-first", 0), false);
    assert.equal(health.inFlight, 0);
    health.failed(health.begin(1), 1, "upstream_error", null);
    assert.equal(health.isOpen, false, "it did not count");
  }
});

test("alone, such a member is asked once, and the caller hears its words", async () => {
  const it = script();
  const failure = failureOf(
    await run(it, call([it.member("only", [error(404, "No endpoints found that support tool use.")])])),
  );
  assert.deepEqual(
    [failure.kind, failure.error.message],
    ["unsupported", "No endpoints found that support tool use."],
  );
  assert.deepEqual(it.names(), ["only"]);
  assert.equal(it.clock.monotonic(), 0);
});

test("what the others say is more useful than that a member cannot", async () => {
  for (const [reply, kind] of [
    [refusal(503, "overloaded"), "upstream_error"],
    [refusal(401, "invalid_api_key"), "unauthorized"],
    [error(400, "Invalid value"), "invalid_request"],
  ] as const) {
    const it = script();
    const members = [it.member("first", [error(404, "Not Found")]), it.member("second", [reply])];
    assert.equal(failureOf(await run(it, call(members))).kind, kind);
  }
});

test("a limit of one model leaves the member's other models alone", async () => {
  const it = script();
  const member = it.member("only", [
    refusal(429, "rate_limit_exceeded", { "retry-after": "30" }),
    answered(),
  ]);
  const of = (model: string) => call([member], "chat", { choices: [{ member, model }] });
  assert.equal(failureOf(await run(it, of("m1"))).kind, "rate_limited");
  assert.equal((await run(it, of("m2"))).kind, "answer");
  assert.equal(it.clock.monotonic(), 0, "it was not waited for");
  assert.equal(failureOf(await run(it, of("m1"))).kind, "rate_limited");
  assert.equal(it.asked.length, 2, "the limited one rests");
});

test("a 2xx that makes no sense is not asked for again at the same member", async () => {
  const huge = `{"choices":[${"{},".repeat(50_000)}{}]}`;
  const whole = (text: string): Reply => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: [text],
  });
  for (const [reply, ask] of [
    [whole(huge), "chat"],
    [whole("<html>"), "chat"],
    [whole(" ".repeat(17 * 1024 * 1024)), "chat"],
    [whole(huge), "stream"],
    [streamed(pieces.role, 'data: {"cho\n\n'), "stream"],
  ] as const) {
    const it = script();
    const failure = failureOf(await run(it, call([it.member("only", [reply, answered()])], ask)));
    assert.equal(failure.kind, "upstream_error");
    assert.deepEqual(it.names(), ["only"]);
  }
});

test("the configured length of an answer is a bound, four times as long for embeddings", async () => {
  const vectors = json({
    object: "list",
    data: [{ index: 0, embedding: [..."1".repeat(1_000)].map(Number) }],
  });
  for (const [reply, mode, bytes, kind] of [
    [answered("x".repeat(1_000)), "chat", 1_000, "failed"],
    [answered("x".repeat(1_000)), "chat", 2_000, "answer"],
    [vectors, "embeddings", 500, "failed"],
    [vectors, "embeddings", 1_000, "answer"],
  ] as const) {
    const it = script();
    it.deps.answerBytes = bytes;
    const result = await run(it, call([it.member("only", [reply])], mode));
    assert.equal(result.kind, kind, `${mode} ${bytes}`);
  }
});

test("what is reported of a member that was not reached: no address to the caller, and the reason to the owner", async () => {
  const codes = {
    unreachable: "upstream_unreachable",
    cut: "upstream_cut",
    connect_timeout: "upstream_timeout",
    headers_timeout: "upstream_timeout",
  } as const;
  for (const [failed, code] of Object.entries(codes)) {
    const it = script();
    const member = it.member("first", [{ failed: failed as keyof typeof codes }]);
    const failure = failureOf(await run(it, call([member])));
    assert.equal(failure.error.code, code);
    assert.doesNotMatch(failure.error.message, /first/);
    assert.match(failure.detail ?? "", /first/);
  }
});

test("the error that is reported and the member that is named beside it are the same one's", async () => {
  const replies: readonly Reply[] = [refusal(503, "overloaded"), refusal(401, "invalid_api_key")];
  for (const order of [replies, replies.toReversed()]) {
    const it = script();
    const members = order.map((reply, at) => it.member(`m${at}`, [reply]));
    const result = await run(it, call(members));
    assert.ok(result.kind === "failed");
    assert.equal(result.failure.error.code, "overloaded");
    assert.equal(result.last?.member.name, order === replies ? "m0" : "m1");
    assert.equal(result.memberCount, 2);
  }
});

test("a 503 or 529 with `Retry-After` rests its member that long, but one that is alone is asked; other errors do not", async () => {
  for (const [status, rests] of [
    [503, true],
    [529, true],
    [500, false],
  ] as const) {
    const it = script();
    const busy = refusal(status, "server_error", { "retry-after": "20" });
    const first = it.member("first", [busy, answered()], { priority: 1 });
    const members = [first, it.member("second", [answered()], { priority: 2 })];
    await run(it, call(members));
    await run(it, call(members));
    assert.deepEqual(it.names(), ["first", "second", rests ? "second" : "first"], String(status));
    assert.deepEqual(it.down, []);
    await it.clock.advance(20_000);
    await run(it, call(members));
    assert.equal(it.names().at(-1), "first");
    const alone = script();
    const only = alone.member("only", [busy, answered()]);
    failureOf(await run(alone, call([only])));
    assert.equal((await run(alone, call([only]))).kind, "answer");
    assert.equal(only.health.availability(0).kind, "up", "an answer ends the rest");
  }
});

test("attempts tell when they began, so that the waits between them are seen", async () => {
  const it = script();
  const limited = refusal(429, "rate_limit_exceeded", { "retry-after": "2" });
  const members = [
    it.member("only", [
      { afterMs: 100, reply: limited },
      { afterMs: 50, reply: answered() },
    ]),
  ];
  const result = await run(it, call(members, "chat"));
  assert.equal(result.kind, "answer");
  assert.deepEqual(
    result.attempts.map(({ started_ms, ms }) => [started_ms, ms]),
    [
      [0, 100],
      [2_100, 50],
    ],
  );
});
