// Answers in the storage: one process asks for a name at a time, a lease that is over is free, and a pool takes its answers along.

import assert from "node:assert/strict";
import test from "node:test";
import {
  claimAnswer,
  deleteExpiredAnswers,
  findAnswer,
  keepAnswer,
  releaseAnswer,
  renewAnswers,
  sizeOfAnswers,
} from "#store/pools/answers.ts";
import { removePool } from "#store/pools/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { answerRow, makePool } from "../pool-rows.ts";
import { now } from "../rows.ts";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("of two processes at once one leases the name; the other one sees the lease, and then the answer", async () => {
    const of = await makePool(open().database);
    const lease = { ...answerRow(of, { owner: "one", answer: null }), now };
    const { name } = lease;
    const claims = await Promise.all([
      open().database.run(claimAnswer, lease),
      open().other.run(claimAnswer, { ...lease, owner: "two" }),
    ]);
    const seen = { answer: null, expires_at: lease.expires_at, fingerprint: "f" };
    assert.deepEqual(
      claims.filter((claim) => claim !== null),
      [seen],
    );
    assert.deepEqual(await run(findAnswer, { name, now }), seen);
    await run(keepAnswer, answerRow(of, { name }));
    assert.equal((await run(claimAnswer, lease))?.answer, "sealed");
    assert.equal((await run(findAnswer, { name, now }))?.answer, "sealed");
    assert.equal(await run(findAnswer, { name, now: lease.expires_at }), null);
    await run(releaseAnswer, { name, owner: "one" });
    assert.notEqual(await run(findAnswer, { name, now }), null, "an answer has no owner");
  });

  test("a lease that is renewed holds, one that is over is free, and its owner alone releases it", async () => {
    const of = await makePool(open().database);
    const lease = { ...answerRow(of, { owner: "one", answer: null, expires_at: now + 10 }), now };
    const { name } = lease;
    await run(claimAnswer, lease);
    await run(renewAnswers, { names: [name], owner: "two", until: now + 99 });
    await run(renewAnswers, { names: [name], owner: "one", until: now + 20 });
    const later = { ...lease, owner: "two", expires_at: now + 40 };
    assert.equal((await run(claimAnswer, { ...later, now: now + 19 }))?.expires_at, now + 20);
    assert.equal(await run(claimAnswer, { ...later, now: now + 20 }), null);
    await run(releaseAnswer, { name, owner: "one" });
    assert.notEqual(await run(findAnswer, { name, now }), null);
    await run(releaseAnswer, { name, owner: "two" });
    assert.equal(await run(findAnswer, { name, now }), null);
  });

  test("a key's answers are counted, those that are over are deleted, and a removed pool takes its own along", async () => {
    const of = await makePool(open().database);
    for (const after of [1, 2, 3]) await run(keepAnswer, answerRow(of, { expires_at: now - after }));
    const kept = answerRow(of);
    await run(keepAnswer, kept);
    const whose = { poolId: of.poolId, keyId: of.keyId };
    assert.deepEqual(await run(sizeOfAnswers, { ...whose, limit: 10 }), { count: 4, bytes: 400 });
    assert.deepEqual(await run(sizeOfAnswers, { ...whose, limit: 3 }), { count: 3, bytes: 300 });
    assert.deepEqual(await run(sizeOfAnswers, { ...whose, keyId: "x", limit: 3 }), { count: 0, bytes: 0 });
    while ((await run(deleteExpiredAnswers, { now, limit: 2 })) === 2);
    assert.deepEqual(await run(sizeOfAnswers, { ...whose, limit: 10 }), { count: 1, bytes: 100 });
    await run(removePool, { accountId: of.accountId, poolId: of.poolId });
    assert.equal(await run(findAnswer, { name: kept.name, now }), null);
  });
});
