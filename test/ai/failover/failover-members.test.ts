// What one request may teach the pool about a member: nothing that its caller wrote, nothing about other models, and
// nothing at all where the member merely cannot serve this request.

import assert from "node:assert/strict";
import test from "node:test";
import { answered, json, type Reply, refusal, said, script, streamed } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

const error = (status: number, message: string, more: object = {}): Reply =>
  json({ error: { message, type: "invalid_request_error", param: null, code: null, ...more } }, status);

test("a caller's odd key, quoted by the vendor, is a 400 for them and nothing for the member", async () => {
  for (const key of ["insufficient_quota", "rate_limit_exceeded", "content_filter", "context_length"]) {
    const it = script();
    const members = [
      it.member("first", [error(400, `Unrecognized request argument supplied: ${key}`)]),
      it.member("second", [answered()]),
    ];
    const failure = failureOf(await run(it, call(members)));
    assert.deepEqual([failure.kind, failure.status], ["invalid_request", 400], key);
    assert.deepEqual(it.names(), ["first"]);
    assert.deepEqual(it.down, []);
    assert.equal(members[0]!.health.availability(0, "model-first").kind, "up");
  }
});

test("a member that cannot serve this request: the next one does, and nobody rests", async () => {
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
    assert.equal(result.tried[0]?.outcome, "unsupported");
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
    [streamed(said.role, 'data: {"cho\n\n'), "stream"],
  ] as const) {
    const it = script();
    const failure = failureOf(await run(it, call([it.member("only", [reply, answered()])], ask)));
    assert.equal(failure.kind, "upstream_error");
    assert.deepEqual(it.names(), ["only"]);
  }
});

test("what is told of a member that was not reached: no address to the caller, and the reason to the owner", async () => {
  const codes = {
    unreachable: "upstream_unreachable",
    cut: "upstream_unreachable",
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

test("the error that is told and the member that is named beside it are the same one's", async () => {
  const replies: readonly Reply[] = [refusal(503, "overloaded"), refusal(401, "invalid_api_key")];
  for (const order of [replies, replies.toReversed()]) {
    const it = script();
    const members = order.map((reply, at) => it.member(`m${at}`, [reply]));
    const result = await run(it, call(members));
    assert.ok(result.kind === "failed");
    assert.equal(result.failure.error.code, "overloaded");
    assert.equal(result.last?.member.name, order === replies ? "m0" : "m1");
    assert.equal(result.attempts, 2);
  }
});
