// Answers for the other processes, and for the next one: sealed, within what a key may store, and without them when the storage is away.

import assert from "node:assert/strict";
import test from "node:test";
import type { KeptAnswer } from "#ai/repeats/kept-answer.ts";
import type { Slot } from "#ai/repeats/repeatable.ts";
import { maxKeyBytes, type Place, StoredAnswers } from "#ai/repeats/stored-answers.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { keepAnswer } from "#store/pools/answers.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";
import { onBothEngines } from "../../store/conformance.ts";
import { answerRow } from "../../store/pool-rows.ts";
import { poolKey } from "../pools/pool-keys.ts";

let made = 0;

onBothEngines((open, engine) => {
  /** `run`: what the database does instead. */
  const setUp = (run?: () => Promise<never>) => {
    const clock = movableClock();
    const log = memoryLog();
    const sealer = createSealer("0123456789abcdef0123456789abcdef", seededRandom());
    const stopping = new AbortController();
    const processOf = (database: ReturnType<typeof open>["database"]) =>
      new StoredAnswers(
        {
          clock,
          log,
          sealer,
          takeoverMs: 9_000,
          newId: (prefix) => `${prefix}_${made++}`,
          database: run ? { ...database, run } : database,
        },
        stopping.signal,
      );
    const key = poolKey({ id: `key_${made++}` });
    const slot = (kind: Slot["kind"], more: Partial<Slot> = {}): Slot => ({
      kind,
      name: `name ${made++}`,
      fingerprint: "print",
      ttlMs: 60_000,
      ...more,
    });
    const kept = (more: Partial<KeptAnswer> = {}): KeptAnswer => ({
      fingerprint: "print",
      stream: true,
      text: "data: the answer\n\n",
      media: null,
      served: { provider: "one", model: "gpt" },
      leftOut: ["seed"],
      expiresAt: clock.now() + 60_000,
      ...more,
    });
    return {
      clock,
      log,
      key,
      slot,
      kept,
      stopping,
      one: processOf(open().database),
      two: processOf(open().other),
    };
  };
  const shared = engine === "postgres";
  const mine: Place = { kind: "mine" };
  const under: Place = { kind: "elsewhere" };
  const mismatch: Place = { kind: "mismatch" };

  test("another process has the answer, byte by byte, and none has it without the key of the installation", async () => {
    const { key, slot, kept, one, two, stopping } = setUp();
    const media = { bytes: Buffer.from([0, 255, 1]), contentType: "audio/mpeg" };
    for (const answer of [kept(), kept({ stream: false, text: "", media }), kept({ served: null })]) {
      const name = slot("idempotency_key");
      assert.deepEqual(await one.open(name, key), mine);
      await one.keep(name, key, answer);
      assert.deepEqual(await two.open(name, key), { kind: "kept", kept: answer });
      assert.deepEqual(await two.open({ ...name, fingerprint: "another" }, key), mismatch);
    }
    const rows = JSON.stringify(await open().query("select * from pool_answers"));
    assert.match(rows, /v1\./);
    assert.doesNotMatch(rows, /the answer|name \d|"print"/);
    stopping.abort();
  });

  test("a cache is shared by the processes on one PostgreSQL, and is SQLite's one process's own", async () => {
    const { key, slot, kept, one, two, stopping } = setUp();
    const name = slot("cache");
    await one.open(name, key);
    await one.keep(name, key, kept());
    assert.equal((await two.open(name, key)).kind, shared ? "kept" : "mine");
    stopping.abort();
  });

  /** Waits for the storage, which needs real time, until the key's leases hold for so long. */
  const renewed = async (keyId: string, until: number) => {
    const late = "select name from pool_answers where key_id = ? and expires_at < ?";
    for (let tries = 0; tries < 2_000; tries++)
      if ((await open().query(late, keyId, until)).length === 0) return;
    assert.fail("The leases are not renewed.");
  };

  /** The same, until no call of the key is under way: what is released meanwhile must not see the clock jump. */
  const released = async (keyId: string) => {
    const held = "select name from pool_answers where key_id = ? and answer is null";
    for (let tries = 0; tries < 2_000; tries++) if ((await open().query(held, keyId)).length === 0) return;
    assert.fail("The calls are not released.");
  };

  /** The same, until what was released is free. */
  const freed = async (look: () => Promise<Place>) => {
    for (let tries = 0; tries < 2_000; tries++) if ((await look()).kind === "mine") return;
    assert.fail("The name is not free.");
  };

  test("on PostgreSQL a call that is under way elsewhere is waited for; it is free when it failed or its process died", async () => {
    const { clock, key, slot, one, two, stopping } = setUp();
    const [failing, dying] = [slot("idempotency_key"), slot("idempotency_key")];
    for (const name of [failing, dying]) assert.deepEqual(await one.open(name, key), mine);
    for (let turn = 0; turn < 7; turn++) {
      await clock.advance(3_000);
      if (shared) await renewed(key.id, clock.now() + 9_000);
    }
    for (const name of [failing, dying]) assert.deepEqual(await two.open(name, key), shared ? under : mine);
    const other = await two.open({ ...dying, fingerprint: "another" }, key);
    assert.deepEqual(other, shared ? mismatch : mine);
    one.release(failing);
    await freed(() => two.open(failing, key));
    stopping.abort();
    await one.ended();
    await clock.advance(9_000);
    assert.deepEqual(await two.open(dying, key), mine);
  });

  test("a key stores no more than it may, and is counted again a minute later", async () => {
    const { clock, key, slot, kept, one, two, stopping } = setUp();
    const full = answerRow({ poolId: key.poolId, keyId: key.id }, { bytes: maxKeyBytes });
    await open().database.run(keepAnswer, full);
    const name = slot("idempotency_key");
    await one.open(name, key);
    await one.keep(name, key, kept());
    await freed(() => two.open(name, key));
    two.release(name);
    await freed(() => one.open(name, key));
    one.release(name);
    await released(key.id);
    await open().database.run(keepAnswer, { ...full, bytes: 1 });
    await clock.advance(60_000);
    await freed(() => one.open(name, key));
    await one.keep(name, key, kept({ expiresAt: clock.now() + 60_000 }));
    assert.equal((await two.open(name, key)).kind, "kept");
    stopping.abort();
  });

  test("caches leave a key room for its Idempotency-Keys", async () => {
    const { key, slot, kept, one, two, stopping } = setUp();
    const half = answerRow({ poolId: key.poolId, keyId: key.id }, { bytes: maxKeyBytes / 2 });
    await open().database.run(keepAnswer, half);
    const [cached, repeated] = [slot("cache"), slot("idempotency_key")];
    for (const name of [cached, repeated]) {
      await one.open(name, key);
      await one.keep(name, key, kept());
    }
    await freed(() => two.open(cached, key));
    assert.equal((await two.open(repeated, key)).kind, "kept");
    stopping.abort();
  });

  test("a storage that hangs is waited for once, and asked again when it is back", async () => {
    const hung: (() => void)[] = [];
    const { clock, key, slot, kept, one, log } = setUp(
      () => new Promise((_, reject) => void hung.push(() => reject(new Error("away")))),
    );
    const [name, other] = [slot("idempotency_key"), slot("idempotency_key")];
    let first: Place | null = null;
    const opening = one.open(name, key).then((place) => {
      first = place;
    });
    await clock.advance(1_999);
    assert.equal(first, null);
    await clock.advance(1);
    await opening;
    assert.deepEqual(first, mine);
    assert.deepEqual(await one.open(other, key), mine);
    await one.keep(name, key, kept());
    one.release(other);
    assert.equal(hung.length, 1);
    assert.deepEqual(
      log.lines().map(({ event }) => event),
      ["pool_answers.timed_out"],
    );
    hung[0]?.();
    await clock.settle();
    void one.open(other, key);
    await clock.settle();
    assert.equal(hung.length, 2);
  });

  test("without the storage calls go on", async () => {
    const { key, slot, kept, one, log } = setUp(() => Promise.reject(new Error("away")));
    const name = slot("idempotency_key");
    assert.deepEqual(await one.open(name, key), mine);
    await one.keep(name, key, kept());
    one.release(name);
    assert.deepEqual([...new Set(log.lines().map(({ event }) => event))], ["pool_answers.unreachable"]);
  });
});
