// The hooks that report what needs attention, and the causes that each of them has reported or waits to report.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { AlertCausesTable } from "#store/schema/hooks.ts";
import { type HookRow, hookColumns } from "./hooks.ts";

/** The hooks of all accounts that report what needs attention, those of an account together. */
export const readAlertHooks = readOperation(
  "readAlertHooks",
  async (tx, _: null): Promise<HookRow[]> =>
    await tx.db
      .selectFrom(tx.indexed("hooks", "hooks_alerts"))
      .select(hookColumns)
      .where("alerts", "=", 1)
      .orderBy("account_id")
      .orderBy("id")
      .execute(),
);

/** The account's hooks that cannot report what needs attention: since when, and the last outcome. */
export const readFailedAlerts = readOperation("readFailedAlerts", async (tx, accountId: string) => {
  const rows = await tx.db
    .selectFrom(tx.indexed("hooks", "hooks_alerts"))
    .select(["id", "name", "last_outcome", "alerts_failed_at"])
    .where("alerts", "=", 1)
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  return rows.filter(({ alerts_failed_at }) => alerts_failed_at !== null);
});

/** The causes of a hook, in the order of their first sight. */
export const readAlertCauses = readOperation(
  "readAlertCauses",
  async (tx, hookId: string): Promise<AlertCausesTable[]> => {
    const rows = await tx.db
      .selectFrom(tx.indexed("alert_causes", "alert_causes_once"))
      .selectAll()
      .where("hook_id", "=", hookId)
      .execute();
    return rows.sort((one, other) => one.since - other.since || (one.cause < other.cause ? -1 : 1));
  },
);

const remove = (tx: Tx, { hook_id, cause, since }: AlertCausesTable) =>
  tx.db
    .deleteFrom(tx.indexed("alert_causes", "alert_causes_once"))
    .where("hook_id", "=", hook_id)
    .where("cause", "=", cause)
    .where("since", "=", since)
    .execute();

/** Stores and removes causes of a hook. Stores nothing if the hook was deleted, or does not report what needs attention any more. */
export const saveAlertCauses = writeOperation(
  "saveAlertCauses",
  async (
    tx,
    input: { hookId: string; put: readonly AlertCausesTable[]; remove: readonly AlertCausesTable[] },
  ): Promise<void> => {
    const hook = await tx.db
      .selectFrom("hooks")
      .select("alerts")
      .where("id", "=", input.hookId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (hook?.alerts !== 1) return;
    for (const row of [...input.put, ...input.remove]) await remove(tx, row);
    for (const row of input.put) await tx.db.insertInto("alert_causes").values(row).execute();
  },
);

/** Records since when the hook's alerts are not accepted (epoch ms), or null when they are. */
export const noteAlertFailure = writeOperation(
  "noteAlertFailure",
  async (tx, input: { accountId: string; id: string; at: number | null }): Promise<void> => {
    const changed = await tx.db
      .updateTable("hooks")
      .set({ alerts_failed_at: input.at })
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .returning("id")
      .executeTakeFirst();
    if (changed) tx.changes.topic(input.accountId, "hooks");
  },
);
