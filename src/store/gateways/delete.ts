// Deletes gateways. A gateway with messages that wait or are being sent accepts no new ones from then on (it drains), and is deleted when
// the last of them has ended. Messages sent through it keep its name.

import { type RawBuilder, sql } from "kysely";
import { lockAccount } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { lockPhone } from "#store/phones/phones.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";

export type DeleteGatewayResult =
  | { kind: "deleted" }
  /** Messages wait on it or are being sent; counted up to `countTo`. */
  | { kind: "draining"; waiting: number; sending: number }
  | { kind: "not_found" };

/** Tables whose rows belong to a single gateway and are deleted with it. */
const owned = [
  "gateway_reports",
  "gateway_pauses",
  "unknown_words",
  "gateway_account_updates",
  "gateway_sessions",
  "phones",
  "phone_slowdowns",
  "gateway_values",
] as const;

/**
 * Deletes a gateway, or begins to drain it. Every transaction that assigns messages to a gateway locks its row (`holdGateways`), so that
 * none is added between the count of what waits and the deletion. Idempotent while it drains.
 */
export const deleteGateway = writeOperation(
  "deleteGateway",
  async (
    tx,
    input: {
      accountId: string;
      identifier: string;
      at: number;
      priorities: readonly number[];
      countTo: number;
    },
  ): Promise<DeleteGatewayResult> => {
    // In the order in which changes of gateways, phones and lanes take these locks.
    await lockAccount(tx, input.accountId);
    const found = await tx.db
      .selectFrom("gateways")
      .select("id")
      .where("account_id", "=", input.accountId)
      .where("identifier", "=", input.identifier)
      .executeTakeFirst();
    if (!found) return { kind: "not_found" };
    const { id } = found;
    await lockPhone(tx, id);
    const gateway = await tx.db
      .selectFrom("gateways")
      .selectAll()
      .where("id", "=", id)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirstOrThrow();
    await tx.db.selectFrom("lanes").select("id").where("id", "=", id).modifyEnd(tx.lock("update")).execute();
    const { waiting, sending } = await countLeft(tx, gateway, input);
    const drains = waiting > 0 || sending > 0;
    if (drains && gateway.draining_at !== null) return { kind: "draining", waiting, sending };
    tx.changes.add("accounts", "lanes");
    tx.changes.topic(input.accountId, "gateways");
    if (drains) {
      await tx.db
        .updateTable("gateways")
        .set((eb) => ({ draining_at: input.at, revision: eb("revision", "+", 1), updated_at: input.at }))
        .where("id", "=", id)
        .execute();
      return { kind: "draining", waiting, sending };
    }
    const { account_id, identifier, channel, kind } = gateway;
    const gone = { id, account_id, identifier, channel, kind, deleted_at: input.at };
    await tx.db.insertInto("deleted_gateways").values(gone).execute();
    for (const table of owned) await tx.db.deleteFrom(table).where("gateway_id", "=", id).execute();
    await tx.db.deleteFrom("lanes").where("id", "=", id).execute();
    await tx.db.deleteFrom("gateways").where("id", "=", id).execute();
    return { kind: "deleted" };
  },
);

/**
 * The messages that wait, whenever they are due and including those held after a restore, and those being sent; each counted up to
 * `countTo`. In one statement: between two of them, a message that is being sent could return to the queue, and neither would count it.
 */
export async function countLeft(
  tx: Tx,
  { id, account_id, channel }: Pick<GatewaysTable, "id" | "account_id" | "channel">,
  { priorities, countTo }: { priorities: readonly number[]; countTo: number },
): Promise<{ waiting: number; sending: number }> {
  const counted = (part: string, rows: RawBuilder<unknown>) =>
    sql`select ${sql.lit(part)} as part, count(*) as count from (${rows} limit ${countTo}) as ${sql.ref(part)}`;
  const due = priorities.map((priority) =>
    counted(
      `waiting_${priority}`,
      sql`select due_at from ${tx.indexed("messages", "messages_due")}
        where gateway_id = ${id} and priority = ${priority} and due_at is not null order by due_at`,
    ),
  );
  // Reads everything that is held, which is nothing except after a restore.
  const held = counted(
    "waiting_held",
    sql`select id from ${tx.indexed("messages", "messages_held")}
      where held_due_at is not null and id >= 'msg_' and gateway_id = ${id} order by id`,
  );
  // By account and status, as recovery finds them.
  const sending = counted(
    "sending",
    sql`select id from ${tx.indexed("messages", "messages_status")}
      where account_id = ${account_id} and channel = ${channel} and status = 'sending' and gateway_id = ${id}`,
  );
  const { rows } = await sql<{ part: string; count: number }>`
    ${sql.join([...due, held, sending], sql` union all `)}`.execute(tx.db);
  const sum = (isPart: (part: string) => boolean) =>
    rows.reduce((total, { part, count }) => total + (isPart(part) ? Number(count) : 0), 0);
  return {
    waiting: Math.min(
      countTo,
      sum((part) => part !== "sending"),
    ),
    sending: sum((part) => part === "sending"),
  };
}

/** A gateway that drains. */
export type DrainingGateway = Pick<GatewaysTable, "id" | "account_id" | "identifier">;

/** The gateways that are to be deleted when their last message has ended. */
export const readDraining = readOperation(
  "readDraining",
  async (tx, _: null): Promise<DrainingGateway[]> =>
    await tx.db
      .selectFrom(tx.indexed("gateways", "gateways_draining"))
      .select(["id", "account_id", "identifier"])
      .where("draining_at", "is not", null)
      .orderBy("id")
      .execute(),
);
