// Prevents the deletion of gateways while a transaction assigns messages to them.

import type { Tx } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";

/**
 * Locks the rows of gateways until the transaction ends; shared with other holders and with changes of their settings. Returns the ids of
 * those that exist. Call it before locking any lane, because a deletion takes its locks in this order.
 */
export async function holdGateways(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const holding = () =>
    tx.db
      .selectFrom("gateways")
      .select("id")
      .where("id", "in", ids)
      .modifyEnd(tx.lock("key share"))
      .compile();
  if (ids.length === 0) return new Set();
  // Nearly every group of sends is for one gateway.
  const query = ids.length === 1 ? compiledOnce(tx, "holdGateways", holding, ids) : holding();
  const { rows } = await tx.db.executeQuery(query);
  return new Set(rows.map(({ id }) => id));
}
