// Gateways, and the lane of each.

import { sql } from "kysely";
import { maxGateways } from "#contract/limits.ts";
import { lockAccount } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { lanesWaiting } from "#store/lanes/due.ts";
import { newLane } from "#store/lanes/lanes.ts";
import type { Overtaken } from "#store/revision.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { recordGatewayEvent } from "./events.ts";

/** Kinds whose lanes no process owns: a device asks for the messages, or other gateways send them. */
export const undrivenKinds: ReadonlySet<string> = new Set(["android", "spread"]);

/** The context in which a gateway's settings are sealed. */
export const settingsContext = (gatewayId: string) => `gateways ${gatewayId} settings`;

/** The unsealed settings of a gateway. Throws when they were sealed with another master key. */
export function openSettings(sealer: Sealer, gateway: Pick<GatewaysTable, "id" | "settings">): unknown {
  return JSON.parse(sealer.unseal(gateway.settings, settingsContext(gateway.id)));
}

export const findGateway = readOperation("findGateway", async (tx, id: string) => {
  return (await tx.db.selectFrom("gateways").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
});

/** A gateway with what its lane takes from its account: the time zone of its hours, and how late is too late, ms. */
export const findGatewayForLane = readOperation("findGatewayForLane", async (tx, id: string) => {
  const row = await tx.db
    .selectFrom("gateways")
    .innerJoin("accounts", "accounts.id", "gateways.account_id")
    .selectAll("gateways")
    .select(["accounts.time_zone", "accounts.lateness_ms"])
    .where("gateways.id", "=", id)
    .executeTakeFirst();
  return row ?? null;
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

/** The settings of an account's gateways, sealed. */
export const readGatewaySettings = readOperation(
  "readGatewaySettings",
  async (tx, accountId: string) =>
    await tx.db
      .selectFrom("gateways")
      .select(["id", "identifier", "settings"])
      .where("account_id", "=", accountId)
      .execute(),
);

/** Sets what acceptance needs of a gateway's settings, if the row dates from before that was stored. */
export const setGatewayCounting = writeOperation(
  "setGatewayCounting",
  async (
    tx,
    { id, counting, mail_sender }: Pick<GatewaysTable, "id" | "counting" | "mail_sender">,
  ): Promise<void> => {
    await tx.db.updateTable("gateways").set({ counting, mail_sender }).where("id", "=", id).execute();
    tx.changes.add("accounts");
  },
);

export type SaveGatewayResult = "saved" | "taken" | "draining" | "too_many" | Overtaken;

/**
 * Creates a gateway with its lane, or changes one; a new default gateway replaces the previous one. The change ends a pause and notifies
 * webhook endpoints. The row's `revision` is the one from which the change was computed, 0 for a new gateway. `taken`: another gateway has
 * the identifier; `draining`: one of the same account that is being deleted has it; `too_many`: the account has the maximum number of
 * gateways.
 */
export const saveGateway = writeOperation("saveGateway", storeGateway);

/** The same inside a transaction. */
export async function storeGateway(tx: Tx, gateway: GatewaysTable): Promise<SaveGatewayResult> {
  const { id, account_id, created_at: _created, ...changes } = gateway;
  const revision = gateway.revision + 1;
  // First: two concurrent new defaults would not see each other, and both would stay, or wait for each other's rows.
  await lockAccount(tx, account_id);
  if (gateway.revision === 0) {
    const { count } = await tx.db
      .selectFrom("gateways")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("account_id", "=", account_id)
      .executeTakeFirstOrThrow();
    if (Number(count) >= maxGateways) return "too_many";
    const inserted = await tx.db
      .insertInto("gateways")
      .values({ ...gateway, revision })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!inserted) return await holderOf(tx, gateway);
  } else {
    const changed = await tx.db
      .updateTable("gateways")
      .set({ ...changes, revision })
      .where("id", "=", id)
      .where("account_id", "=", account_id)
      .where("revision", "=", gateway.revision)
      .returning("id")
      .executeTakeFirst();
    if (!changed) return "overtaken";
  }
  if (gateway.is_default === 1) {
    // A concurrent change of the previous default would restore its flag, so its revision increases too.
    await tx.db
      .updateTable("gateways")
      .set((eb) => ({ is_default: 0, revision: eb("revision", "+", 1), updated_at: gateway.updated_at }))
      .where("account_id", "=", gateway.account_id)
      .where("channel", "=", gateway.channel)
      .where("is_default", "=", 1)
      .where("id", "!=", gateway.id)
      .execute();
  }
  tx.changes.add("accounts", "lanes");
  tx.changes.topic(account_id, "gateways");
  const before = await tx.db
    .selectFrom("lanes")
    .select(["paused_since", "operator_paused_at", "revision"])
    .where("id", "=", gateway.id)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
  const active = undrivenKinds.has(gateway.kind) ? 0 : gateway.active;
  await tx.db
    .insertInto("lanes")
    .values(newLane(gateway.id, "gateway", active))
    .onConflict((conflict) =>
      conflict
        .column("id")
        // The change may have fixed the cause of the pause: it sends at once instead of waiting for the next probe.
        .doUpdateSet((eb) => ({
          active,
          revision: eb("lanes.revision", "+", 1),
          paused_until: null,
          pause_reason: null,
          pauses: 0,
          paused_ms: sql<number>`lanes.paused_ms + coalesce(${gateway.updated_at} - lanes.paused_since, 0)`,
          paused_since: null,
          failing_since: null,
        })),
    )
    .execute();
  // A gateway that an operator paused stays paused.
  if (before === undefined || before.paused_since === null || before.operator_paused_at !== null)
    return "saved";
  await recordGatewayEvent(tx, {
    // Each save is a revision of its own.
    id: eventIdOf(gateway.id, `resumed_${before.revision + 1}`),
    type: "gateway.resumed",
    gatewayId: gateway.id,
    at: gateway.updated_at,
    reason: null,
  });
  return "saved";
}

/** The owner of a new gateway's identifier. */
async function holderOf(
  tx: Tx,
  { account_id, identifier }: Pick<GatewaysTable, "account_id" | "identifier">,
): Promise<"taken" | "draining"> {
  const holder = await tx.db
    .selectFrom("gateways")
    .select(["account_id", "draining_at"])
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  const isOwn = holder !== undefined && holder.account_id === account_id;
  return isOwn && holder.draining_at !== null ? "draining" : "taken";
}

/** Disabled gateways on which messages wait whose caller named no gateway, with their account and channel. */
export const findWaitingOnInactive = readOperation("findWaitingOnInactive", async (tx, _: null) => {
  const inactive = await tx.db.selectFrom("gateways").selectAll().where("active", "=", 0).execute();
  if (inactive.length === 0) return [];
  const waiting = await lanesWaiting(tx, "messages");
  const stranded: GatewaysTable[] = [];
  for (const gateway of inactive.filter(({ id }) => waiting.has(id))) {
    const row = await tx.db
      .selectFrom(tx.indexed("messages", "messages_due"))
      .select("id")
      .where("gateway_id", "=", gateway.id)
      .where("due_at", "is not", null)
      .where("gateway_pinned", "=", 0)
      .orderBy("priority")
      .orderBy("due_at")
      .limit(1)
      .executeTakeFirst();
    if (row) stranded.push(gateway);
  }
  return stranded;
});

/** A gateway that could take messages of its account and channel, with the state of its lane. */
export interface FailoverGateway
  extends Pick<GatewaysTable, "id" | "account_id" | "identifier" | "channel" | "kind" | "test"> {
  /** `open`; `paused`: nothing is sent; `probing`: its pause is over, and its next message shows whether it works. */
  state: "open" | "paused" | "probing";
  pause_reason: string | null;
}

/**
 * The active gateways of every account that allows failover and has a paused gateway, each account's in order of preference: the default
 * one, then the oldest.
 */
export const readFailoverGateways = readOperation(
  "readFailoverGateways",
  async (tx, now: number): Promise<FailoverGateway[]> => {
    const rows = await tx.db
      .selectFrom("gateways")
      .innerJoin("lanes", "lanes.id", "gateways.id")
      .select([
        "gateways.id",
        "gateways.account_id",
        "gateways.identifier",
        "gateways.channel",
        "gateways.kind",
        "gateways.test",
      ])
      .select(["lanes.paused_since", "lanes.paused_until", "lanes.pause_reason"])
      .where("gateways.active", "=", 1)
      // Paused by an operator: its messages stay, and no others move to it.
      .where("lanes.operator_paused_at", "is", null)
      // A gateway that is being deleted takes no others, but its own may leave while it is paused.
      .where((eb) => eb.or([eb("gateways.draining_at", "is", null), eb("lanes.paused_until", ">", now)]))
      .where("gateways.account_id", "in", (eb) =>
        eb
          .selectFrom("lanes as failing")
          .innerJoin("gateways as left", "left.id", "failing.id")
          .innerJoin("accounts", "accounts.id", "left.account_id")
          .select("accounts.id")
          .where("failing.paused_until", ">", now)
          .where("left.active", "=", 1)
          .where("accounts.channel_failover", "=", 1),
      )
      .orderBy("gateways.account_id")
      .orderBy("gateways.is_default", "desc")
      .orderBy("gateways.created_at")
      .orderBy("gateways.id")
      .execute();
    return rows.map(({ paused_since, paused_until, ...gateway }) => ({
      ...gateway,
      state: paused_since === null ? "open" : (paused_until ?? 0) > now ? "paused" : "probing",
    }));
  },
);
