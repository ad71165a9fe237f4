// The smallest read and the smallest write that show whether storage works.

import { readOperation, writeOperation } from "#store/database.ts";

const name = "probe";

export const probeRead = readOperation("probeRead", async (tx, _: null) => {
  await tx.db.selectFrom("installation_facts").select("name").limit(1).execute();
});

/** Changes a row, so that it is really written: a write without a change succeeds even on a full disk. `at`: epoch ms. */
export const probeWrite = writeOperation("probeWrite", async (tx, at: number) => {
  await tx.db
    .insertInto("installation_facts")
    .values({ name, value: String(at) })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: String(at) }))
    .execute();
});
