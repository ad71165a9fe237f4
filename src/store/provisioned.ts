// What the provisioning file set last, so that only what changed in the file is applied again; and facts
// about the installation.

import { readOperation, writeOperation } from "./database.ts";

export const readProvisioned = readOperation("readProvisioned", async (tx, _: null) => {
  const rows = await tx.db.selectFrom("provisioned").selectAll().execute();
  return new Map(rows.map((row) => [`${row.kind} ${row.name}`, row.hash]));
});

export const markProvisioned = writeOperation(
  "markProvisioned",
  async (tx, input: { kind: string; name: string; hash: string }) => {
    await tx.db
      .insertInto("provisioned")
      .values(input)
      .onConflict((conflict) => conflict.columns(["kind", "name"]).doUpdateSet({ hash: input.hash }))
      .execute();
  },
);

/** Keeps the first value ever given under a name, and returns it. */
export const keepFact = writeOperation("keepFact", async (tx, input: { name: string; value: string }) => {
  await tx.db
    .insertInto("facts")
    .values(input)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const row = await tx.db
    .selectFrom("facts")
    .select("value")
    .where("name", "=", input.name)
    .executeTakeFirstOrThrow();
  return row.value;
});
