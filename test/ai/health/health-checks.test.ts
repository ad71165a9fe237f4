// Checks of members that are down: when they run, what their answers mean, and that they end.

import assert from "node:assert/strict";
import test from "node:test";
import { healthRules } from "#ai/health/health.ts";
import { checkMember, createHealthChecks } from "#ai/health/health-checks.ts";
import type { Member } from "#ai/pools/member.ts";
import { sandbox } from "#providers/sandbox/sandbox.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { memoryLog } from "../../log.ts";
import { credentials } from "../../providers/vertex/key-file.ts";
import { poolOf } from "../completing.ts";
import { json, type Reply, refusal, type Script, script } from "../scripted-members.ts";

const depsOf = (it: Script) => ({ ...it.deps, log: memoryLog(), random: () => 0.5 });

function goDown({ health }: Member, at = 0): void {
  for (let turn = 0; turn < 2; turn++) health.failed(health.begin(at), at, "upstream_error", null);
}

test("what an answer means: 2xx well, 5xx and no answer down, anything else nothing", async () => {
  const late = healthRules.maxUnprobedMs - 1;
  const cases: [Reply, "half_open" | "down"][] = [
    [json({ object: "list", data: [] }), "half_open"],
    [refusal(503, "overloaded"), "down"],
    [{ failed: "headers_timeout" }, "down"],
    // Without such a page, or closed to this key: the time of the next probe stays as it was.
    [refusal(404, "not_found"), "half_open"],
    [refusal(401, "invalid_api_key"), "half_open"],
    [refusal(429, "rate_limit_exceeded"), "half_open"],
  ];
  for (const [reply, kind] of cases) {
    const it = script();
    const member = it.member("one", [reply]);
    goDown(member);
    for (let at = 0; at < late; at += 5_000) {
      await checkMember(depsOf(it), member, new AbortController().signal);
      await it.clock.advance(5_000);
      if (member.health.availability(it.clock.monotonic()).kind === "half_open") break;
    }
    const reachedAt = it.clock.monotonic();
    assert.equal(member.health.availability(Math.min(reachedAt, late)).kind, kind, JSON.stringify(reply));
  }
});

test("a check costs no tokens: it asks for the models, with the member's key, and little patience", async () => {
  const it = script();
  const member = it.member("one", [json({ data: [] })]);
  goDown(member);
  await checkMember(depsOf(it), member, new AbortController().signal);
  const { request } = it.asked[0]!;
  assert.equal(request.method, "GET");
  assert.equal(request.url, "http://one.test/v1/models");
  assert.equal(request.headersMs, 2_000);
});

test("it looks every two seconds while one is down, and ends when none is, ready to begin again", async () => {
  const it = script();
  const member = it.member("one", [refusal(503, "overloaded"), json({ data: [] })]);
  const well = it.member("well", []);
  const stopping = new AbortController();
  const checks = createHealthChecks(depsOf(it), () => [poolOf([member, well])], stopping.signal);
  // No member is down: that must not keep it from looking later.
  checks.start();
  await it.clock.settle();
  for (const round of [1, 2]) {
    goDown(member, it.clock.monotonic());
    checks.start();
    checks.start();
    await it.clock.advance(4_000);
    assert.equal(it.asked.length, round === 1 ? 2 : 3, "it is not checked again once it may be probed");
    const { health } = member;
    health.firstOutput(health.begin(it.clock.monotonic()), it.clock.monotonic(), 1);
    await it.clock.advance(10_000);
    assert.equal(it.clock.sleeping(), 0);
  }
  stopping.abort();
  await checks.ended();
});

test("members without a check start no work", async () => {
  const it = script();
  const member = it.member("one", [], { provider: sandbox, settings: {} });
  goDown(member);
  const checks = createHealthChecks(depsOf(it), () => [poolOf([member])], new AbortController().signal);
  checks.start();
  await it.clock.advance(10_000);
  assert.equal(it.clock.sleeping(), 0);
  assert.deepEqual(it.names(), []);
});

test("stopping ends a check under way", async () => {
  const it = script();
  const member = it.member("one", ["hang"]);
  goDown(member);
  const stopping = new AbortController();
  const checks = createHealthChecks(depsOf(it), () => [poolOf([member])], stopping.signal);
  checks.start();
  await it.clock.advance(2_000);
  stopping.abort();
  await checks.ended();
  assert.deepEqual(it.aborted, ["one"]);
});

test("without an access token a member is down when the token endpoint is, and a refused one says nothing", async () => {
  const settings = vertex.settings.parse({
    credentials,
    base_url: "http://one.test",
    token_url: "http://tokens.test/token",
  });
  const found = async (reply: Reply) => {
    const it = script();
    it.member("tokens", [reply]);
    const member = it.member("one", [json({ publisherModels: [] })], { provider: vertex, settings });
    goDown(member);
    const log = memoryLog();
    await checkMember({ ...depsOf(it), log }, member, new AbortController().signal);
    return log.lines().map(({ found }) => found);
  };
  assert.deepEqual(await found(json({ access_token: "t1" })), ["well"]);
  assert.deepEqual(await found(json({}, 503)), ["down"]);
  assert.deepEqual(await found(json({})), ["down"]);
  assert.deepEqual(await found({ failed: "unreachable" }), ["down"]);
  assert.deepEqual(await found(json({ error: "invalid_grant" }, 400)), ["nothing"]);
});
