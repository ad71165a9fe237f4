// A member with several keys: a limit or a refusal of one is answered with the next in the same call, and the member rests
// when all of its keys do.

import assert from "node:assert/strict";
import test from "node:test";
import { MemberKeys } from "#ai/pools/member-keys.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { keyedSettings } from "#providers/several-keys.ts";
import { answered, type Reply, refusal, type Script, script, wholeStream } from "../../scripted-members.ts";
import { call, failureOf, run } from "../chain-calls.ts";

const settings = openaiCompatible.settings.parse({
  base_url: "http://first.test/v1",
  api_keys: ["key-one", "key-two"],
});
const member = (it: Script, replies: readonly Reply[]) =>
  it.member("first", replies, { settings, keys: new MemberKeys(keyedSettings(settings)) });
const keysSent = (it: Script) =>
  it.asked.map(({ member: name, request }) =>
    name === "first" ? String(request.headers.authorization).slice("Bearer key-".length) : name,
  );
const limit = refusal(429, "rate_limit_exceeded", { "retry-after": "20" });
const wrongKey = refusal(401, "invalid_api_key");

test("keys take turns", async () => {
  const it = script();
  const first = member(it, [answered()]);
  for (let turn = 0; turn < 3; turn++) await run(it, call([first]));
  assert.deepEqual(keysSent(it), ["one", "two", "one"]);
});

for (const mode of ["chat", "stream"] as const)
  test(`${mode}: a key at its limit rests, and the next one answers the call; the member stays up`, async () => {
    const it = script();
    const first = member(it, [limit, mode === "chat" ? answered() : wholeStream]);
    const result = await run(it, call([first, it.member("second", [answered()])], mode));
    assert.ok(result.kind === "answer" || result.kind === "streaming");
    assert.deepEqual([result.won.choice.member.name, result.won.memberCount], ["first", 1]);
    assert.deepEqual(
      result.attempts.map(({ outcome }) => outcome),
      ["rate_limited", "ok"],
    );
    assert.equal(first.health.availability(it.clock.monotonic(), first.models[0]).kind, "up");
    for (let turn = 0; turn < 2; turn++) await run(it, call([first], mode));
    assert.deepEqual(keysSent(it), ["one", "two", "two", "two"]);
  });

test("the first refusal of a key is logged, and no member is down", async () => {
  const it = script();
  const first = member(it, [wrongKey, answered()]);
  for (let turn = 0; turn < 2; turn++) await run(it, call([first]));
  assert.deepEqual(
    [keysSent(it), it.logged, it.down],
    [["one", "two", "two"], ["first key 1: unauthorized"], []],
  );
});

test("when all keys are at their limits, the member is left until the first is back", async () => {
  const it = script();
  const later = refusal(429, "rate_limit_exceeded", { "retry-after": "60" });
  const first = member(it, [later, limit, answered()]);
  const second = it.member("second", [answered()]);
  await run(it, call([first, second]));
  await run(it, call([first, second]));
  assert.deepEqual(keysSent(it), ["one", "two", "second", "second"]);
  const standing = first.health.availability(it.clock.monotonic(), first.models[0]);
  assert.deepEqual(
    [standing.kind, standing.kind === "down" && standing.until - it.clock.monotonic()],
    ["down", 20_000],
  );
  await it.clock.advance(20_000);
  await run(it, call([first, second]));
  assert.equal(keysSent(it).at(-1), "two");
});

test("when all keys are refused, the member is down and says so", async () => {
  const it = script();
  const first = member(it, [wrongKey]);
  assert.equal(failureOf(await run(it, call([first]))).kind, "unauthorized");
  assert.deepEqual(
    it.down.map(({ member: name, failure }) => [name, failure.kind]),
    [["first", "unauthorized"]],
  );
  assert.deepEqual(keysSent(it), ["one", "two"]);
});

test("a failure of the server is no fault of the key", async () => {
  const it = script();
  const first = member(it, [refusal(500, "x")]);
  await run(it, call([first]));
  assert.deepEqual(keysSent(it), ["one"]);
  assert.deepEqual(
    first.keys?.list(it.clock.monotonic()).map(({ state }) => state),
    ["up", "up"],
  );
});

for (const mode of ["chat", "stream"] as const)
  test(`${mode}: keys whose rests end while the others are tried are tried once in a call`, async () => {
    const it = script();
    const brief = { afterMs: 1_000, reply: refusal(429, "rate_limit_exceeded", { "retry-after": "0" }) };
    const first = member(it, [brief]);
    const result = await run(
      it,
      call([first, it.member("second", [mode === "chat" ? answered() : wholeStream])], mode),
    );
    assert.ok(result.kind === "answer" || result.kind === "streaming");
    assert.deepEqual(keysSent(it), ["one", "two", "second"]);
    // Key one is back, so that the member is not at its limit.
    assert.equal(first.health.availability(it.clock.monotonic(), first.models[0]).kind, "up");
    assert.equal(first.health.inFlight, 0);
  });

test("keys whose rests end while the others are tried do not keep a call with one member going", async () => {
  const it = script();
  const brief = { afterMs: 1_000, reply: refusal(429, "rate_limit_exceeded", { "retry-after": "0" }) };
  assert.equal(failureOf(await run(it, call([member(it, [brief])]))).kind, "rate_limited");
  assert.deepEqual(keysSent(it), ["one", "two"]);
});

for (const [name, replies] of [
  ["limit first", [limit, wrongKey]],
  ["refusal first", [wrongKey, limit]],
] as const)
  test(`one key refused, the other at its limit: the member is back when that one is; ${name}`, async () => {
    const it = script();
    const first = member(it, replies);
    const failure = failureOf(await run(it, call([first])));
    assert.deepEqual(
      [failure.kind, failure.status, failure.error.code, failure.retryAfterMs],
      ["rate_limited", 429, "rate_limit_exceeded", 20_000],
    );
    assert.doesNotMatch(failure.error.message, /key/);
    assert.deepEqual(first.health.availability(it.clock.monotonic(), first.models[0]), {
      kind: "down",
      until: it.clock.monotonic() + 20_000,
      why: "cooling_down",
    });
    assert.deepEqual(it.down, []);
  });

test("a key that rests for longer than a refused one is what the member waits for", async () => {
  const it = script();
  const first = member(it, [refusal(429, "rate_limit_exceeded", { "retry-after": "300" }), wrongKey]);
  assert.equal(failureOf(await run(it, call([first]))).retryAfterMs, 300_000);
  const standing = first.health.availability(it.clock.monotonic(), first.models[0]);
  assert.deepEqual([standing.kind === "down" && standing.why, it.down], ["cooling_down", []]);
});

test("a member whose keys are all refused is so until the first may be tried again", async () => {
  const it = script();
  const first = member(it, [wrongKey, answered(), wrongKey]);
  await run(it, call([first]));
  await it.clock.advance(50_000);
  const failure = failureOf(await run(it, call([first])));
  assert.deepEqual([failure.kind, failure.retryAfterMs], ["unauthorized", null]);
  assert.deepEqual(first.health.availability(it.clock.monotonic(), first.models[0]), {
    kind: "down",
    until: 60_000,
    why: "unauthorized",
  });
});
