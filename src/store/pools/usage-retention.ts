// Removes sums that are kept as long as single calls: by hour, by part, by end user and by tag, and the counts of refused calls.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";
import { refsOf } from "./usage-sums.ts";

/** Removes the hours, parts, labels and refusals of days before this one, at most `limit` rows of each; returns how many. */
export const deleteUsageSums = writeOperation(
  "deleteUsageSums",
  async (tx, { before, limit }: { before: string; limit: number }) => {
    const hours = await tx.db
      .selectFrom(tx.indexed("usage_hours", "usage_hours_day"))
      .select(["key_id", "day", "hour"])
      .where("day", "<", before)
      .orderBy("day")
      .limit(limit)
      .execute();
    await deleteRows(tx, "usage_hours", ["key_id", "day", "hour"], hours);
    const labels = await tx.db
      .selectFrom(tx.indexed("usage_labels", "usage_labels_day"))
      .select(["key_id", "kind", "day", "label"])
      .where("day", "<", before)
      .orderBy("day")
      .limit(limit)
      .execute();
    await deleteRows(tx, "usage_labels", ["key_id", "kind", "day", "label"], labels);
    const parts = await deleteParts(tx, "usage_parts", before, limit);
    const refused = await deleteParts(tx, "refused_calls", before, limit);
    return Math.max(hours.length, labels.length, parts, refused);
  },
);

/** Hours are compared with a day as text. */
async function deleteParts(
  tx: Tx,
  table: "usage_parts" | "refused_calls",
  before: string,
  limit: number,
): Promise<number> {
  const rows = await tx.db
    .selectFrom(tx.indexed(table, `${table}_hour`))
    .select(["key_id", "hour", "part"])
    .where("hour", "<", before)
    .orderBy("hour")
    .limit(limit)
    .execute();
  await deleteRows(tx, table, ["key_id", "hour", "part"], rows);
  return rows.length;
}

async function deleteRows(
  tx: Tx,
  table: "usage_hours" | "usage_labels" | "usage_parts" | "refused_calls",
  key: readonly string[],
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.fromEntries(key.map((name) => [name, "text" as const]));
  await sql`
    delete from ${tx.indexed(table)}
    where (${refsOf(key)}) in (select ${refsOf(key)} from ${tx.rows("old", columns, rows)})
  `.execute(tx.db);
}
