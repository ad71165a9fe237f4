// Gateways, and the lane that each of them has.

import { sql } from "kysely";
import { lockAccount } from "./accounts.ts";
import { readOperation, writeOperation } from "./database.ts";
import type { GatewaysTable } from "./schema.ts";

/** What a gateway's settings are sealed to. */
export const settingsPlace = (gatewayId: string) => `gateways ${gatewayId} settings`;

export const findGateway = readOperation("findGateway", async (tx, id: string) => {
  return (await tx.db.selectFrom("gateways").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
});

export const findGatewayByIdentifier = readOperation(
  "findGatewayByIdentifier",
  async (tx, identifier: string) => {
    return (
      (await tx.db
        .selectFrom("gateways")
        .selectAll()
        .where("identifier", "=", identifier)
        .executeTakeFirst()) ?? null
    );
  },
);

/** Creates a gateway with its lane, or changes one; a default gateway takes the mark from its predecessor. */
export const saveGateway = writeOperation("saveGateway", async (tx, gateway: GatewaysTable) => {
  if (gateway.is_default === 1) {
    // Two new defaults at once would not see each other, and both would stay.
    await lockAccount(tx, gateway.account_id);
    await tx.db
      .updateTable("gateways")
      .set({ is_default: 0 })
      .where("account_id", "=", gateway.account_id)
      .where("channel", "=", gateway.channel)
      .where("id", "!=", gateway.id)
      .execute();
  }
  const { id: _id, account_id: _account, created_at: _created, ...changes } = gateway;
  await tx.db
    .insertInto("gateways")
    .values(gateway)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(changes))
    .execute();
  await tx.db
    .insertInto("lanes")
    .values({
      id: gateway.id,
      active: gateway.active,
      owner: null,
      fence: 0,
      paused_until: null,
      pause_reason: null,
      pauses: 0,
      paused_since: null,
      paused_ms: 0,
      day: null,
      day_count: 0,
      revision: 0,
    })
    .onConflict((conflict) =>
      conflict
        .column("id")
        // Whatever paused it may be mended now: it is tried at once, not at the next probe.
        .doUpdateSet((eb) => ({
          active: gateway.active,
          revision: eb("lanes.revision", "+", 1),
          paused_until: null,
          pause_reason: null,
          pauses: 0,
          paused_ms: sql<number>`lanes.paused_ms + coalesce(${gateway.updated_at} - lanes.paused_since, 0)`,
          paused_since: null,
        })),
    )
    .execute();
});

/** Switched-off gateways on which messages wait whose caller named no gateway, with their account and channel. */
export const findStranded = readOperation("findStranded", async (tx, _: null) => {
  const inactive = await tx.db.selectFrom("gateways").selectAll().where("active", "=", 0).execute();
  const stranded: GatewaysTable[] = [];
  for (const gateway of inactive) {
    const row = await tx.db
      .selectFrom("messages")
      .select("id")
      .where("gateway_id", "=", gateway.id)
      .where("due_at", "is not", null)
      .where("named", "=", 0)
      .limit(1)
      .executeTakeFirst();
    if (row) stranded.push(gateway);
  }
  return stranded;
});
