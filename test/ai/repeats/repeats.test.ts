// Equal requests at one time are one call, a failed one is tried by one of those who wait, and what is kept ends with its time.

import assert from "node:assert/strict";
import test from "node:test";
import type { CompletionResult } from "#ai/completion.ts";
import { maxKeptSize } from "#ai/repeats/kept-answer.ts";
import { answer, failure, open, streamed, streamIn, textOf } from "./repeating.ts";

test("equal requests at one time are one call; later ones have its answer until it is too old", async () => {
  const { clock, asked, call, outcomes } = open();
  const [first, second, other] = [call(), call(), call({ text: "another" })];
  await clock.settle();
  assert.equal(asked.length, 2);
  asked[0]!.resolve(answer("A"));
  asked[1]!.resolve(answer("B"));
  assert.deepEqual(await textOf(first.served), ["A", "miss", false]);
  assert.deepEqual(await textOf(second.served), ["A", "hit", false]);
  assert.deepEqual(await textOf(other.served), ["B", "miss", false]);
  await clock.advance(59_999);
  assert.deepEqual(await textOf(call().served), ["A", "hit", false]);
  const { status, usage, cost, attempts, member, model, reused } = outcomes.at(-1)!;
  assert.equal(reused, "cache");
  assert.deepEqual(
    [status, usage.totalTokens, cost, attempts, member, model],
    [200, 0, null, [], null, "gpt"],
  );
  await clock.advance(1);
  const late = call();
  await clock.settle();
  assert.equal(asked.length, 3);
  asked[2]!.resolve(answer("C"));
  assert.deepEqual(await textOf(late.served), ["C", "miss", false]);
});

test("of those who wait for a call that fails, one asks, and the others wait for that one", async () => {
  const { clock, asked, call } = open();
  const calls = [call(), call(), call()];
  await clock.settle();
  asked[0]!.resolve(failure);
  await clock.settle();
  assert.equal(asked.length, 2);
  asked[1]!.reject(new Error("a bug"));
  await assert.rejects(calls[1]!.served, /a bug/);
  await clock.settle();
  assert.equal(asked.length, 3);
  asked[2]!.resolve(answer("A"));
  assert.deepEqual(await Promise.all(calls.map(({ served }) => textOf(served).catch(() => "bug"))), [
    ["error", "miss", false],
    "bug",
    ["A", "miss", false],
  ]);
});

test("an Idempotency-Key has the first answer for a day, and stands for one request", async () => {
  const { clock, asked, call, outcomes } = open({ cache: null });
  const first = call({ idempotencyKey: "once" });
  await clock.settle();
  const during = await call({ idempotencyKey: "once", text: "another" }).served;
  assert.ok(during.completed.kind === "error");
  assert.deepEqual([during.completed.status, during.completed.error.code], [422, "idempotency_mismatch"]);
  assert.equal(outcomes.at(-1)?.status, 422);
  asked[0]!.resolve(answer("A"));
  assert.deepEqual(await textOf(first.served), ["A", null, false]);
  await clock.advance(86_399_999);
  assert.deepEqual(await textOf(call({ idempotencyKey: "once" }).served), ["A", null, true]);
  const after = await call({ idempotencyKey: "once", text: "another" }).served;
  assert.ok(after.completed.kind === "error" && after.completed.status === 422);
  await clock.advance(1);
  void call({ idempotencyKey: "once", text: "another" });
  await clock.settle();
  assert.equal(asked.length, 2);
});

test("a key's answer may come from the cache, and a call fills both", async () => {
  const { clock, asked, call } = open();
  const first = call({ idempotencyKey: "once" });
  await clock.settle();
  asked[0]!.resolve(answer("A"));
  assert.deepEqual(await textOf(first.served), ["A", "miss", false]);
  assert.deepEqual(await textOf(call().served), ["A", "hit", false]);
  assert.deepEqual(await textOf(call({ idempotencyKey: "other" }).served), ["A", "hit", false]);
  assert.deepEqual(await textOf(call({ idempotencyKey: "other" }).served), ["A", null, true]);
  assert.equal(asked.length, 1);
});

test("a call that waits twice, under its Idempotency-Key and then for the cache, does so within one deadline", async () => {
  const { clock, call, outcomes } = open({ deadline_ms: 5_000 });
  void call();
  const gone = new AbortController();
  void call({ idempotencyKey: "once", gone });
  const second = call({ idempotencyKey: "once" });
  await clock.advance(3_000);
  gone.abort();
  await clock.advance(2_000);
  const { completed } = await second.served;
  assert.ok(completed.kind === "error" && completed.status === 504);
  assert.deepEqual(
    outcomes.map(({ status, ms }) => [status, ms]),
    [
      [499, 3_000],
      [504, 5_000],
    ],
  );
});

test("the wait ends with the pool's deadline, and with a client that leaves", async () => {
  const { clock, call, outcomes } = open({ deadline_ms: 5_000 });
  void call({ idempotencyKey: "once" });
  await clock.settle();
  const gone = new AbortController();
  const [keyed, cached, leaving] = [call({ idempotencyKey: "once" }), call(), call({ gone })];
  await clock.settle();
  gone.abort();
  assert.equal((await leaving.served).completed.kind, "aborted");
  assert.equal(outcomes.at(-1)?.status, 499);
  await clock.advance(5_000);
  const results = await Promise.all([keyed.served, cached.served]);
  assert.deepEqual(
    results.map(({ completed }) => completed.kind === "error" && [completed.status, completed.error.code]),
    [
      [504, "upstream_timeout"],
      [504, "upstream_timeout"],
    ],
  );
});

test("a stream that ended well comes again in one piece; one that failed or was left is asked for again", async () => {
  const { clock, asked, call } = open();
  for (const [how, status] of [
    ["fails", 502],
    ["is left", 0],
    ["ends", 200],
  ] as const) {
    const [first, second] = [call({ stream: true }), call({ stream: true })];
    await clock.settle();
    const before = asked.length;
    asked.at(-1)!.resolve(streamed(["one ", "two"], () => status && first.settle(status)));
    const stream = await streamIn(first.served);
    assert.equal(await stream.next(), "one ");
    if (how === "is left") stream.cancel();
    else assert.equal(await stream.next(), "two");
    await clock.settle();
    if (how === "ends") {
      const again = await streamIn(second.served);
      assert.deepEqual([await again.next(), await again.next()], ["one two", null]);
      assert.equal(asked.length, before);
    } else {
      assert.equal(asked.length, before + 1, how);
      asked.at(-1)!.resolve(failure);
      assert.equal((await second.served).completed.kind, "error");
    }
  }
});

test("a stream that waits for another has its headers in time, and the answer behind them", async () => {
  const { clock, asked, call } = open({ headers_after_ms: 1_000 });
  const first = call({ stream: true });
  await clock.settle();
  asked[0]!.resolve(streamed(["one ", "two"], () => first.settle(200)));
  const stream = await streamIn(first.served);
  const second = call({ stream: true });
  await clock.advance(1_000);
  const late = await second.served;
  assert.ok(late.completed.kind === "stream" && late.completed.served === null);
  assert.deepEqual([await stream.next(), await stream.next()], ["one ", "two"]);
  assert.deepEqual(
    [await late.completed.stream.next(), await late.completed.stream.next()],
    ["one two", null],
  );
});

test("a stream that comes again has the sign of life of its API: where a blank is one, a comment would be an error", async () => {
  const { clock, asked, call } = open();
  const keepAlive = () => "\n";
  const first = call({ stream: true, keepAlive });
  await clock.settle();
  const early = streamed(["[", "]"], () => first.settle(200));
  asked[0]!.resolve({ ...early, served: null } as CompletionResult);
  const stream = await streamIn(first.served);
  assert.deepEqual([await stream.next(), await stream.next()], ["[", "]"]);
  const { completed } = await call({ stream: true, keepAlive }).served;
  assert.ok(completed.kind === "stream" && completed.served === null);
  assert.equal(completed.stream.keepAlive?.(), "\n");
});

test("an answer that is too large is kept for no one, and those who wait ask at once", async () => {
  const { clock, asked, call } = open();
  const calls = [call(), call(), call()];
  await clock.settle();
  asked[0]!.resolve(answer("x".repeat(maxKeptSize + 1)));
  await clock.settle();
  assert.equal(asked.length, 3);
  for (const { resolve } of asked.slice(1)) resolve(answer("y"));
  for (const { served } of calls.slice(1)) assert.deepEqual(await textOf(served), ["y", "miss", false]);
  const streams = [call({ stream: true }), call({ stream: true })];
  await clock.settle();
  assert.equal(asked.length, 4);
  asked[3]!.resolve(streamed(["x".repeat(maxKeptSize), "y", "z"], () => {}));
  const stream = await streamIn(streams[0]!.served);
  await stream.next();
  await stream.next();
  await clock.settle();
  assert.equal(asked.length, 5);
  assert.equal(await stream.next(), "z");
});

test("a call that breaks down behind its headers has ended, and its client is left without the end", async () => {
  for (const isRead of [true, false]) {
    const { clock, asked, call, outcomes } = open({ headers_after_ms: 1_000 });
    const { served } = call({ stream: true });
    await clock.advance(1_000);
    const stream = await streamIn(served);
    const next = isRead ? assert.rejects(stream.next(), /a bug/) : null;
    await clock.advance(500);
    asked[0]!.reject(new Error("a bug"));
    await next;
    await clock.settle();
    assert.deepEqual(
      outcomes.map(({ status, ms }) => [status, ms]),
      [[500, 1_500]],
    );
    if (!isRead) stream.cancel();
    await clock.settle();
    assert.equal(outcomes.length, 1);
  }
});
