// What a key opens, from the storage and from memory: what is known is kept for a moment, or while the storage is
// away, and a flood of wrong keys pushes nothing of it out.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { Pools } from "#ai/pools/pools.ts";
import { accountInput } from "#configure/account.ts";
import { upsertPool } from "#configure/pool.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { type Database, StorageError } from "#store/database.ts";
import { revokePoolKey } from "#store/pools/keys.ts";
import { type Configuring, openConfiguring } from "../../configure/deps.ts";
import { upsertAccount } from "../../configure/upsert-account.ts";
import { keyText, sandboxMember } from "../pooled.ts";

let open: Configuring;
let accountId: string;
let pools: Pools;
let reads: number;
let away: boolean;
let hanging: Promise<void> | null;
const gone = new StorageError("unavailable", "away");
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  reads = 0;
  away = false;
  hanging = null;
  const { clock, log, sealer } = open.deps;
  const database: Database = {
    ...open.deps.database,
    run: async (operation, input) => {
      reads += 1;
      if (away) throw gone;
      await hanging;
      return await open.deps.database.run(operation, input);
    },
  };
  pools = new Pools({ database, clock, log, sealer });
  await configure({});
});
afterEach(() => open.close());

const configure = async (input: object) => {
  const asked = { name: "default", members: [sandboxMember], keys: [{ name: "app", key: keyText }] };
  const result = await upsertPool(open.deps, accountId, poolInput.parse({ ...asked, ...input }));
  assert.equal(result.kind, "saved");
};

test("a key is looked up once in three seconds, by many at once too; a change is seen after that, the health stays", async () => {
  const opened = await Promise.all([pools.open(keyText), pools.open(keyText)]);
  assert.ok(opened[0] && opened[0].pool === opened[1]?.pool);
  assert.equal(reads, 1);
  await configure({ strict_models: true });
  assert.equal((await pools.open(keyText))?.pool.strict_models, false);
  await open.deps.clock.advance(3_000);
  const changed = await pools.open(keyText);
  assert.equal(changed?.pool.strict_models, true);
  assert.equal(changed?.pool.members[0]?.health, opened[0].pool.members[0]?.health);
  assert.equal(reads, 2);
  await configure({ strict_models: false });
  pools.invalidate();
  assert.equal((await pools.open(keyText))?.pool.strict_models, false);
});

test("a flood of wrong keys pushes out nothing that is known, with the storage away either", async () => {
  assert.ok(await pools.open(keyText));
  const flood = async (from: number) => {
    for (let i = from; i < from + 50_000; i += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, at) => pools.open(`wrong_${i + at}`).catch(() => null)),
      );
  };
  away = true;
  await flood(0);
  const before = reads;
  assert.ok(await pools.open(keyText));
  assert.equal(reads, before, "it is still remembered");
  await open.deps.clock.advance(599_999);
  assert.ok(await pools.open(keyText));
  await open.deps.clock.advance(3_000);
  await assert.rejects(pools.open(keyText), StorageError);
  away = false;
  assert.ok(await pools.open(keyText));
});

test("a pool is in use for ten minutes after a call used it", async () => {
  assert.deepEqual(pools.inUse, []);
  await pools.open("wrong");
  await pools.open(keyText);
  assert.deepEqual(
    pools.inUse.map(({ name }) => name),
    ["default"],
  );
  await open.deps.clock.advance(600_001);
  assert.deepEqual(pools.inUse, []);
});

test("a storage that hangs holds up no key that is known, and decides as soon as it answers", async () => {
  const opened = await pools.open(keyText);
  assert.ok(opened);
  let answer: () => void = () => {};
  hanging = new Promise((resolve) => {
    answer = resolve;
  });
  await open.deps.clock.advance(3_000);
  const asked = pools.open(keyText);
  await open.deps.clock.advance(1_000);
  assert.ok(await asked);
  const { id, poolId } = opened.key;
  await open.deps.database.run(revokePoolKey, { accountId, poolId, id, at: open.deps.clock.now() });
  answer();
  hanging = null;
  await open.deps.clock.advance(3_000);
  assert.equal(await pools.open(keyText), null);
});
