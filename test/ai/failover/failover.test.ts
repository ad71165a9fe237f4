// Who is asked next, by what became of the last one: the table "Failing over", row by row, with scripted upstreams.

import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerMode } from "#ai/failover/call.ts";
import { runFailover } from "#ai/failover/failover.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import {
  answered,
  json,
  type Piece,
  pieces,
  type Reply,
  refusal,
  script,
  streamed,
  wholeStream,
} from "../scripted-members.ts";
import { body, call, failureOf, run } from "./chain-calls.ts";

/** Outcomes after which the next member is asked at once, and which count. */
const failovers: readonly { name: string; reply: Reply; ask?: AnswerMode; counts: boolean }[] = [
  { name: "unreachable", reply: { failed: "unreachable" }, counts: true },
  { name: "reset before headers", reply: { failed: "cut" }, counts: true },
  { name: "no connection in time", reply: { failed: "connect_timeout" }, counts: true },
  { name: "no headers in time", reply: { failed: "headers_timeout" }, counts: true },
  ...[408, 409, 425, 500, 502, 503, 504, 529].map((status) => ({
    name: String(status),
    reply: refusal(status, "server_error"),
    counts: true,
  })),
  { name: "429", reply: refusal(429, "rate_limit_exceeded", { "retry-after": "3" }), counts: false },
  { name: "429 insufficient_quota", reply: refusal(429, "insufficient_quota"), counts: false },
  { name: "401", reply: refusal(401, "invalid_api_key"), counts: false },
  { name: "402", reply: refusal(402, "payment_required"), counts: false },
  { name: "403", reply: refusal(403, "forbidden"), counts: false },
  { name: "404", reply: refusal(404, "model_not_found"), counts: false },
  { name: "200 with an error", reply: json({ error: { message: "overloaded" } }), counts: true },
  {
    name: "200 with an empty answer",
    reply: json({ choices: [{ message: { role: "assistant", content: "" } }] }),
    counts: true,
  },
  {
    name: "200 with HTML",
    reply: { status: 200, headers: { "content-type": "text/html" }, body: ["<html>"] },
    counts: true,
  },
  {
    name: "a cut body",
    reply: { status: 200, headers: { "content-type": "application/json" }, body: ['{"choices":', "cut"] },
    counts: true,
  },
  ...(
    [
      ["an empty stream", []],
      ["a stream of roles alone", [pieces.role, pieces.done]],
      ["an error as the first event", ['data: {"error":{"message":"overloaded","code":503}}\n\n']],
      ["a stream cut before the first word", [pieces.role, "cut"]],
      ["no first word in time", [pieces.role, ": ping\n\n", "silence"]],
      ["a malformed first event", ['data: {"choices"\n\n']],
    ] as [string, Piece[]][]
  ).map(([name, pieces]) => ({ name, reply: streamed(...pieces), ask: "stream" as const, counts: true })),
];

test("what fails over: the next member answers, each is asked once, and health learns what it should", async (t) => {
  for (const { name, reply, ask = "chat", counts } of failovers) {
    await t.test(name, async () => {
      const it = script();
      const good = ask === "stream" ? wholeStream : answered();
      const members = [it.member("first", [reply]), it.member("second", [good])];
      const result = await run(it, call(members, ask));
      assert.ok(result.kind === "answer" || result.kind === "streaming", result.kind);
      assert.equal(result.won.choice.member.name, "second");
      assert.equal(result.won.memberCount, 2);
      assert.deepEqual(it.names(), ["first", "second"]);
      assert.equal(it.clock.monotonic(), 0, "no call waits while another can serve");
      const { health } = members[0]!;
      if (result.kind === "streaming") result.won.settle("completed");
      // A second failure opens it where the first one counted.
      health.failed(health.begin(1), 1, "upstream_error", null);
      assert.equal(health.isOpen, counts);
    });
  }
});

test("a silent member is never asked again in the request, alone or not", async () => {
  for (const reply of [{ failed: "headers_timeout" }, streamed(pieces.role, "silence")] as const) {
    const it = script();
    const failure = failureOf(await run(it, call([it.member("only", [reply])], "stream")));
    assert.equal(failure.status, 504);
    assert.deepEqual(it.names(), ["only"]);
  }
});

test("a reset on a reused connection: one retry on the same member, which learns nothing", async () => {
  const it = script();
  const member = it.member("only", [{ failed: "cut", reused: true }, answered()]);
  assert.equal((await run(it, call([member]))).kind, "answer");
  assert.deepEqual(
    it.asked.map(({ member: name, request }) => [name, request.fresh]),
    [
      ["only", false],
      ["only", true],
    ],
    "the second try must not meet another connection that was idle",
  );
  const again = script();
  const members = [
    again.member("first", [{ failed: "cut", reused: true }]),
    again.member("second", [answered()]),
  ];
  assert.equal((await run(again, call(members))).kind, "answer");
  assert.deepEqual(again.names(), ["first", "first", "second"]);
});

test("the caller's own faults go back as they are, and no health learns of them", async () => {
  for (const [status, code] of [
    [400, "invalid_value"],
    [413, "too_large"],
    [422, "unprocessable"],
    [400, "content_policy_violation"],
  ] as const) {
    const it = script();
    const members = [it.member("first", [refusal(status, code)]), it.member("second", [answered()])];
    const failure = failureOf(await run(it, call(members)));
    assert.equal(failure.status, status);
    assert.equal(failure.error.code, code);
    assert.deepEqual(it.names(), ["first"], "no shopping around");
    const { health } = members[0]!;
    health.failed(health.begin(1), 1, "upstream_error", null);
    assert.equal(health.isOpen, false);
  }
});

test("too long: a member declared larger is tried once; others are not, and the refusal goes back", async () => {
  const long = refusal(400, "context_length_exceeded");
  const it = script();
  const members = [
    it.member("small", [long], { context_tokens: 8_000 }),
    it.member("same", [answered()], { context_tokens: 8_000 }),
    it.member("untold", [answered()]),
    it.member("large", [answered()], { context_tokens: 64_000 }),
    it.member("larger", [answered()], { context_tokens: 128_000 }),
  ];
  const result = await run(it, call(members));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "large");
  assert.deepEqual(it.names(), ["small", "large"]);

  const twice = script();
  const failing = [
    twice.member("small", [long], { context_tokens: 8_000 }),
    twice.member("large", [long], { context_tokens: 64_000 }),
    twice.member("larger", [answered()], { context_tokens: 128_000 }),
  ];
  assert.equal(failureOf(await run(twice, call(failing))).error.code, "context_length_exceeded");
  assert.deepEqual(twice.names(), ["small", "large"]);

  const untold = script();
  const none = [
    untold.member("first", [long]),
    untold.member("other", [answered()]),
    untold.member("big", [answered()], { context_tokens: 64_000 }),
  ];
  await run(untold, call(none));
  assert.deepEqual(untold.names(), ["first", "big"]);

  const last = script();
  const others = [
    last.member("first", [long], { context_tokens: 8_000 }),
    last.member("untold", [long]),
    last.member("other", [answered()]),
  ];
  assert.equal(failureOf(await run(last, call(others))).kind, "context_length");
  assert.deepEqual(last.names(), ["first", "untold"]);
});

test("of the larger ones, one that is well goes before one that is down", async () => {
  const it = script();
  const members = [
    it.member("small", [refusal(400, "context_length_exceeded")], { context_tokens: 8_000 }),
    it.member("down", [answered()], { context_tokens: 64_000 }),
    it.member("well", [answered()], { context_tokens: 64_000 }),
  ];
  const { health } = members[1]!;
  for (let turn = 0; turn < 2; turn++) health.failed(health.begin(0), 0, "upstream_error", null);
  await run(it, call(members));
  assert.deepEqual(it.names(), ["small", "well"]);
});

test("what a member cannot translate skips it unasked; if no member can, the parameter is named", async () => {
  const settings = anthropic.settings.parse({ api_key: "k" });
  const it = script();
  const cannot = it.member("cannot", [], { provider: anthropic, settings });
  const more = { n: 2, ...body };
  const options = { text: JSON.stringify(more), body: more };
  const result = await run(it, call([cannot, it.member("can", [answered()])], "chat", options));
  assert.equal(result.kind === "answer" && result.won.memberCount, 1, "only those that were asked count");
  assert.deepEqual(
    result.attempts.map(({ outcome }) => outcome),
    ["unsupported_parameter", "ok"],
  );
  const failure = failureOf(await run(it, call([cannot], "chat", options)));
  assert.equal(failure.status, 400);
  assert.equal(failure.error.param, "n");
});

test("everybody at the limit: it waits when that fits, and asks no member before the time", async () => {
  const limited = refusal(429, "rate_limit_exceeded", { "retry-after": "3" });
  const it = script();
  const members = [it.member("first", [limited, answered()]), it.member("second", [limited])];
  const result = await run(it, call(members));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "first");
  assert.deepEqual(
    it.asked.map(({ member, at }) => [member, at]),
    [
      ["first", 0],
      ["second", 0],
      ["first", 3_000],
    ],
  );
});

test("one deadline over the whole: each is given no more than what is left, and no member is asked behind it", async () => {
  for (const ask of ["chat", "stream"] as const) {
    const it = script();
    const busy = refusal(429, "rate_limit_exceeded", { "retry-after": "1" });
    const members = [it.member("only", [busy, ask === "chat" ? answered() : wholeStream])];
    const result = await run(it, call(members, ask, { deadlineAt: 3_000 }));
    assert.equal(result.kind, ask === "chat" ? "answer" : "streaming");
    assert.deepEqual(
      it.asked.map(({ at, request }) => [at, request.connectMs, request.headersMs]),
      [
        [0, 3_000, 3_000],
        [1_000, 2_000, 2_000],
      ],
    );
  }
  const late = script();
  failureOf(await run(late, call([late.member("only", [answered()])], "chat", { deadlineAt: 0 })));
  assert.deepEqual(late.names(), []);
});

test("a wait that does not fit is reported to the caller instead", async () => {
  for (const [seconds, deadlineAt] of [
    ["30", 600_000],
    ["3", 2_000],
  ] as const) {
    const it = script();
    const limited = refusal(429, "rate_limit_exceeded", { "retry-after": seconds });
    const failure = failureOf(await run(it, call([it.member("only", [limited])], "chat", { deadlineAt })));
    assert.equal(failure.kind, "rate_limited");
    assert.equal(failure.retryAfterMs, Number(seconds) * 1000);
    assert.deepEqual(it.names(), ["only"]);
    assert.equal(it.clock.monotonic(), 0);
  }
});

test("one that refuses for ever is waited for once, and not asked at once, even if it says so", async () => {
  const it = script();
  const member = it.member("only", [refusal(429, "rate_limit_exceeded", { "retry-after": "0" })]);
  assert.equal(failureOf(await run(it, call([member]))).kind, "rate_limited");
  assert.deepEqual(
    it.asked.map(({ at }) => at),
    [0, 500],
  );
});

test("a wait is 5 s at most in all; then the caller hears the limit, with what is left of it", async () => {
  for (const [seconds, asked, retryAfter] of [
    ["5", [0, 5_000], 5_000],
    ["6", [0], 6_000],
  ] as const) {
    const it = script();
    const limited = refusal(429, "rate_limit_exceeded", { "retry-after": seconds });
    const failure = failureOf(await run(it, call([it.member("only", [limited])])));
    assert.deepEqual([failure.status, failure.retryAfterMs], [429, retryAfter]);
    assert.deepEqual(
      it.asked.map(({ at }) => at),
      asked,
    );
  }
  const it = script();
  const limited = (seconds: string) => refusal(429, "rate_limit_exceeded", { "retry-after": seconds });
  const members = [it.member("long", [limited("60")]), it.member("short", [limited("20")])];
  assert.equal(failureOf(await run(it, call(members))).retryAfterMs, 20_000, "when the first is back");
});

test("a rest that is too long to wait for: one that is merely thought down is asked", async () => {
  const it = script();
  const members = [it.member("rests", [answered()]), it.member("down", [answered()])];
  const [rests, down] = members.map(({ health }) => health);
  rests!.failed(rests!.begin(0), 0, "rate_limited", 25_000);
  for (let turn = 0; turn < 2; turn++) down!.failed(down!.begin(0), 0, "upstream_error", null);
  // A check that lied: its next probe is later than the end of the other's rest.
  down!.checked(0, true);
  down!.failed(down!.begin(0), 0, "upstream_error", null);
  const result = await run(it, call(members));
  assert.equal(result.kind === "answer" && result.won.choice.member.name, "down");
});

test("everybody down: they are asked all the same, and who answers is up again", async () => {
  const it = script();
  const members = [it.member("first", [{ failed: "unreachable" }]), it.member("second", [answered()])];
  for (const { health } of members)
    for (let turn = 0; turn < 2; turn++) health.failed(health.begin(0), 0, "upstream_error", null);
  assert.equal((await run(it, call(members))).kind, "answer");
  assert.deepEqual(it.up, ["second"]);
});

test("a member that goes down is reported once, with the reason", async () => {
  const it = script();
  const members = [it.member("first", [refusal(503, "overloaded")]), it.member("second", [answered()])];
  for (let turn = 0; turn < 4; turn++) await run(it, call(members));
  assert.deepEqual(
    it.down.map(({ member, failure }) => [member, failure.error.code]),
    [["first", "overloaded"]],
  );
  assert.deepEqual(it.names(), ["first", "second", "first", "second", "second", "second"]);
});

test("the most useful error is reported: the caller's before a limit, a limit before a broken one", async () => {
  const errors: [Reply[], string][] = [
    [[refusal(503, "overloaded"), refusal(401, "invalid_api_key")], "overloaded"],
    [[refusal(503, "overloaded"), refusal(400, "invalid_value")], "invalid_value"],
    [[refusal(503, "overloaded"), refusal(429, "rate_limit_exceeded")], "rate_limit_exceeded"],
    [[refusal(404, "model_not_found"), refusal(401, "invalid_api_key")], "provider_denied"],
    [[refusal(404, "arranged"), refusal(401, "invalid_api_key")], "provider_denied"],
  ];
  for (const [replies, code] of errors) {
    const it = script();
    const members = replies.map((reply, at) => it.member(`m${at}`, [reply]));
    assert.equal(failureOf(await run(it, call(members))).error.code, code);
  }
  const withoutMembers = failureOf(await run(script(), call([])));
  assert.deepEqual([withoutMembers.status, withoutMembers.error.code], [503, "no_member"]);
});

test("a live stream that breaks off counts against its member, one that the caller left does not", async () => {
  for (const [how, opens] of [
    ["failed", true],
    ["dropped", false],
    ["completed", false],
  ] as const) {
    const it = script();
    const member = it.member("only", [wholeStream]);
    const { health } = member;
    for (let turn = 0; turn < 2; turn++) {
      const result = await run(it, call([member], "stream"));
      assert.equal(result.kind, "streaming");
      if (result.kind !== "streaming") return;
      result.won.settle(how);
      result.won.settle("failed");
    }
    assert.equal(health.isOpen, opens, how);
    assert.equal(health.inFlight, 0);
  }
});

test("the caller leaves: while asked, while waiting, before anything; no health learns of it", async () => {
  const limited = refusal(429, "rate_limit_exceeded", { "retry-after": "3" });
  for (const [reply, ask] of [
    ["hang", "chat"],
    [streamed(pieces.role, "hang"), "stream"],
    [streamed(pieces.role, pieces.word("a"), "hang"), "buffered"],
    [limited, "chat"],
  ] as const) {
    const it = script();
    const member = it.member("only", [reply]);
    const gone = new AbortController();
    const running = runFailover(it.deps, call([member], ask, { signal: gone.signal }));
    await it.clock.settle();
    gone.abort();
    assert.equal((await running).kind, "aborted");
    assert.equal(member.health.inFlight, 0);
    assert.equal(member.health.isOpen, false);
    assert.deepEqual(it.aborted, reply === limited ? [] : ["only"]);
    assert.equal(it.clock.sleeping(), 0);
  }
  const it = script();
  const signal = AbortSignal.abort();
  assert.equal((await run(it, call([it.member("only", [answered()])], "chat", { signal }))).kind, "aborted");
  assert.deepEqual(it.names(), []);
});
