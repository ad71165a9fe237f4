// A field that is added to a definition is stored, changed and shown without another line. A change loses to another one that was
// stored first, and never takes a secret elsewhere.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { accountInput } from "#configure/account.ts";
import { pools } from "#configure/pool.ts";
import { defineResource } from "#configure/resource.ts";
import { poolFields, poolRules } from "#contract/manage/pools/pools.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";
import { readPools, savePool } from "#store/pools/pools.ts";
import type { PoolsTable } from "#store/schema/pools.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let of: { accountId: string };
before(async () => {
  open = await openConfiguring();
  of = { accountId: await upsertAccount(open.deps, accountInput.parse({ name: "acme" })) };
});
after(() => open.close());

const settings = {
  jitter_ms: z.int().min(0).default(7),
  notes: z.strictObject({ a: z.int().default(1) }).prefault({}),
};
const fields = poolFields.extend(settings);
const newer = defineResource({
  noun: "pool",
  idPrefix: "pool",
  fields,
  rules: poolRules.extend(settings),
  columns: ({ name }, { accountId }: typeof of, _: PoolsTable | null) => ({ account_id: accountId, name }),
  fieldsOf: ({ name }) => ({ name }),
  find: async (database, whose, id) => (await database.run(readPools, { ...whose, id }))[0]?.pool ?? null,
  save: savePool,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
});
const stored = async (id: string) => {
  const [found] = await open.deps.database.run(readPools, { ...of, id });
  assert.ok(found);
  return found.pool;
};

test("a new setting is its line in the schema", async () => {
  const made = await newer.create(open.deps, of, fields.parse({ name: "one", jitter_ms: 3 }));
  assert.ok(made.kind === "saved");
  assert.equal(JSON.parse((await stored(made.id)).rules).jitter_ms, 3);
  const change = patchSchema(fields).parse({ notes: { a: 5 }, repeat: 2 });
  assert.equal((await newer.update(open.deps, of, made.id, change)).kind, "saved");
  const data = newer.shown(open.deps.sealer, await stored(made.id));
  assert.deepEqual([data.jitter_ms, data.notes, data.repeat, data.revision], [3, { a: 5 }, 2, 2]);
  assert.ok(shown(fields).safeParse(data).success);
});

test("what was stored without the setting has its default, and what an older version does not know is no trouble", async () => {
  const made = await pools.create(open.deps, of, poolFields.parse({ name: "two" }));
  assert.ok(made.kind === "saved");
  assert.deepEqual(newer.rulesOf(await stored(made.id)).notes, { a: 1 });
  assert.equal((await newer.update(open.deps, of, made.id, { jitter_ms: 9 })).kind, "saved");
  assert.ok(!("jitter_ms" in pools.shown(open.deps.sealer, await stored(made.id))));
});

test("of two changes from one revision the second is refused, and nothing of it is stored", async () => {
  const made = await newer.create(open.deps, of, fields.parse({ name: "three" }));
  assert.ok(made.kind === "saved");
  const change = (jitter_ms: number) => newer.update(open.deps, of, made.id, { revision: 1, jitter_ms });
  const results = await Promise.all([change(1), change(2)]);
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ["overtaken", "saved"]);
  const winner = results.findIndex(({ kind }) => kind === "saved") + 1;
  assert.equal(newer.rulesOf(await stored(made.id)).jitter_ms, winner);
  const elsewhere = await newer.update(open.deps, { accountId: "acc_other" }, made.id, { jitter_ms: 4 });
  assert.equal(elsewhere.kind, "not_found");
});
