// Equal requests at one time are one call, a failed one is tried by one of those who wait, and what is kept ends with its time.

import assert from "node:assert/strict";
import test from "node:test";
import type { CallOutcome, CompletionResult } from "#ai/completion.ts";
import type { Pool } from "#ai/pools/member.ts";
import { type KeptAnswer, maxKeptSize } from "#ai/repeats/kept-answer.ts";
import type { Slot } from "#ai/repeats/repeatable.ts";
import { createRepeats, type Repeats } from "#ai/repeats/repeats.ts";
import type { Place, StoredAnswers } from "#ai/repeats/stored-answers.ts";
import { type MovableClock, movableClock } from "../../clock.ts";
import { poolOf, requested } from "../completing.ts";
import { poolKey } from "../pools/pool-keys.ts";

const outcomeOf = (status: number): CallOutcome => ({
  status,
  member: "one",
  model: "gpt",
  attempts: [],
  usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
  estimated: false,
  cost: null,
  firstByteMs: 1,
  ms: 1,
});
const served = { provider: "one", model: "gpt", latency_ms: 1, attempts: 1 };

/** No storage; that has its own tests. */
const unstored: StoredAnswers = {
  open: async () => ({ kind: "mine" }),
  keep: async () => {},
  release: () => {},
  ended: async () => {},
};

interface Asked {
  resolve(result: CompletionResult): void;
  reject(error: Error): void;
}

function open(pool: Partial<Pool> = {}, storage: Partial<StoredAnswers> = {}) {
  const clock: MovableClock = movableClock();
  const repeats: Repeats = createRepeats({ clock, stored: { ...unstored, ...storage } });
  const asked: Asked[] = [];
  const outcomes: CallOutcome[] = [];
  const call = ({
    stream = false,
    idempotencyKey = null as string | null,
    text = "hello",
    gone = new AbortController(),
    keepAlive = undefined as (() => string) | undefined,
  } = {}) => {
    const body = { messages: [{ role: "user", content: text }] };
    let outcome: CallOutcome | null = null;
    const request = requested(stream, { body, text: JSON.stringify(body) });
    const served = repeats.serve({
      pool: poolOf([], { cache: { ttl_s: 60 }, ...pool }),
      key: poolKey(),
      request: keepAlive ? { ...request, api: Object.assign(request.api, { keepAlive }) } : request,
      repeatable: { path: "/p", idempotencyKey, skipsCache: false },
      signal: gone.signal,
      answer: async () => {
        const { promise, resolve, reject } = Promise.withResolvers<CompletionResult>();
        asked.push({ resolve, reject });
        return await promise;
      },
      outcome: () => outcome,
      ended: (how) => {
        outcome = how;
        outcomes.push(how);
      },
    });
    const settle = (status: number) => {
      outcome = outcomeOf(status);
    };
    return { served, settle };
  };
  return { clock, asked, outcomes, call };
}

const answer = (text: string): CompletionResult => ({ kind: "answer", text, served });
const failure: CompletionResult = {
  kind: "error",
  status: 502,
  error: { message: "No.", type: "server_error", param: null, code: null },
  retryAfterMs: null,
  served: null,
};
const textOf = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed, origin } = await served;
  return [completed.kind === "answer" ? completed.text : completed.kind, origin.cache, origin.replayed];
};

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

const streamed = (pieces: (string | null)[], ends: () => void): CompletionResult => ({
  kind: "stream",
  served,
  stream: {
    next: async () => {
      const next = pieces.shift() ?? null;
      if (pieces.length === 0) ends();
      return next;
    },
    cancel: () => {},
    stop: () => {},
  },
});
const streamIn = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed } = await served;
  assert.ok(completed.kind === "stream");
  return completed.stream;
};

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

const keyed = { idempotencyKey: "once" };
const codeOf = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed } = await served;
  return completed.kind === "error" ? [completed.status, completed.error.code] : completed.kind;
};

/** A storage in which the name of every slot is that of the request with the text "hello". */
function storageOf(place: (slot: Slot) => Place) {
  let own: string | null = null;
  const opened: string[] = [];
  const storage: Partial<StoredAnswers> = {
    open: async (slot) => {
      // The first call tells which fingerprint is meant.
      own ??= slot.fingerprint;
      opened.push(slot.fingerprint === own ? "own" : "other");
      return slot.fingerprint === own ? place(slot) : { kind: "mismatch" };
    },
  };
  return { storage, opened };
}
const keptFor = ({ fingerprint }: Slot, more: Partial<KeptAnswer> = {}): Place => ({
  kind: "kept",
  kept: {
    fingerprint,
    stream: false,
    text: "stored",
    media: null,
    served: { provider: "one", model: "gpt" },
    leftOut: [],
    expiresAt: Number.MAX_SAFE_INTEGER,
    ...more,
  },
});
const reused = [422, "idempotency_mismatch"];

test("a stored answer serves its own request, before and after another one came under its key", async () => {
  for (const atOnce of [false, true]) {
    const { storage, opened } = storageOf(() => (isLost ? { kind: "mine" } : keptFor(last!)));
    let isLost = true;
    let last: Slot | null = null;
    const { clock, asked, call } = open(
      { cache: null },
      {
        open: async (slot, key) => {
          last = slot;
          return await storage.open!(slot, key);
        },
      },
    );
    void call(keyed);
    await clock.settle();
    asked[0]!.resolve(failure);
    await clock.settle();
    isLost = false;
    const wrong = [call({ ...keyed, text: "another" }), call({ ...keyed, text: "another" })];
    if (!atOnce) for (const { served } of wrong) assert.deepEqual(await codeOf(served), reused);
    const right = [call(keyed), call(keyed)];
    for (const { served } of right) assert.deepEqual(await textOf(served), ["stored", null, true]);
    for (const { served } of wrong) assert.deepEqual(await codeOf(served), reused);
    assert.deepEqual(await codeOf(call({ ...keyed, text: "another" }).served), reused);
    assert.deepEqual(await textOf(call(keyed).served), ["stored", null, true]);
    assert.equal(asked.length, 1);
    // Those who wait for one look into the storage look no more themselves.
    assert.deepEqual(opened, ["own", "other", "own"]);
  }
});

test("a call in another process is waited for: its answer, its failure, the deadline, a client that leaves", async () => {
  for (const how of ["answers", "fails", "is late", "is left"] as const) {
    let place: ((slot: Slot) => Place) | null = null;
    const gone = new AbortController();
    const released: Slot[] = [];
    const { clock, asked, call, outcomes } = open(
      { cache: null, deadline_ms: 1_000 },
      {
        open: async (slot) => place?.(slot) ?? { kind: "elsewhere" },
        release: (slot) => void released.push(slot),
      },
    );
    const { served } = call({ ...keyed, gone });
    await clock.advance(500);
    // The request is known to be the one under way, so that another one under its key is refused at once.
    assert.deepEqual(await codeOf(call({ ...keyed, text: "another" }).served), reused);
    assert.equal(asked.length, 0);
    if (how === "answers") {
      place = keptFor;
      await clock.advance(250);
      assert.deepEqual(await textOf(served), ["stored", null, true]);
      assert.equal(outcomes.at(-1)?.reused, "idempotency_key");
    } else if (how === "fails") {
      place = () => ({ kind: "mine" });
      await clock.advance(250);
      asked[0]!.resolve(answer("A"));
      assert.deepEqual(await textOf(served), ["A", null, false]);
    } else if (how === "is late") {
      await clock.advance(500);
      assert.deepEqual(await codeOf(served), [504, "upstream_timeout"]);
    } else {
      gone.abort();
      assert.equal(await codeOf(served), "aborted");
      assert.equal(outcomes.at(-1)?.status, 499);
    }
    assert.equal(released.length, how === "is late" || how === "is left" ? 1 : 0, how);
  }
});
