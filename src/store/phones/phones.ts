// Phones that fetch their messages: linking one to its gateway, what it reports about itself, and the end of the link. Every change locks
// the phone's row first and the lanes after it, so that requests of one phone are serialized.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { recordGatewayEvent } from "#store/gateways/events.ts";
import { storePause, untilConnected } from "#store/lanes/lanes.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import type { PhonesTable } from "#store/schema/phones.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { endAsUnknown, openItems } from "./open-items.ts";

/** The context to which the sealed pairing of a phone is bound. */
export const phonePairingContext = (phoneId: string) => `phones ${phoneId} pairing`;

const secrets = {
  token: { column: "token_hash", index: "phones_token" },
  enrolment: { column: "enrolment_hash", index: "phones_enrolment" },
  code: { column: "code_hash", index: "phones_code" },
  page: { column: "page_hash", index: "phones_page" },
} as const;
export type PhoneSecret = keyof typeof secrets;

async function phoneWith(tx: Tx, secret: PhoneSecret, hash: string): Promise<PhonesTable | null> {
  const { column, index } = secrets[secret];
  const row = await tx.db
    .selectFrom(tx.indexed("phones", index))
    .selectAll()
    .where(column, "=", hash)
    .executeTakeFirst();
  return row ?? null;
}

/** The phone with this secret, by its digest. Null for an unknown secret. */
export const findPhoneBy = readOperation(
  "findPhoneBy",
  async (tx, { secret, hash }: { secret: PhoneSecret; hash: string }): Promise<PhonesTable | null> =>
    await phoneWith(tx, secret, hash),
);

/** The phone of the gateway that owns the link; null if it was never linked and no link was requested. */
export const readPhone = readOperation("readPhone", async (tx, id: string): Promise<PhonesTable | null> => {
  const row = await tx.db.selectFrom("phones").selectAll().where("gateway_id", "=", id).executeTakeFirst();
  return row ?? null;
});

/** The digests of the currently valid tokens; a phone that has none is left out. */
export const readPhoneTokens = readOperation(
  "readPhoneTokens",
  async (tx, ids: readonly string[]): Promise<Pick<PhonesTable, "gateway_id" | "token_hash">[]> => {
    return await tx.db
      .selectFrom(tx.indexed("phones"))
      .select(["gateway_id", "token_hash"])
      .where("gateway_id", "in", tx.list(ids))
      .where("token_hash", "is not", null)
      .execute();
  },
);

/** A gateway with the account data that is needed to hand over its messages. */
export type PulledGateway = GatewaysTable & { time_zone: string; lateness_ms: number };

/** The account's gateways of this kind, oldest first. */
export const readPulledGateways = readOperation(
  "readPulledGateways",
  async (tx, { accountId, kind }: { accountId: string; kind: string }): Promise<PulledGateway[]> =>
    await tx.db
      .selectFrom("gateways")
      .innerJoin("accounts", "accounts.id", "gateways.account_id")
      .selectAll("gateways")
      .select(["accounts.time_zone", "accounts.lateness_ms"])
      .where("gateways.account_id", "=", accountId)
      .where("gateways.kind", "=", kind)
      .orderBy("gateways.created_at")
      .orderBy("gateways.id")
      .execute(),
);

export async function lockPhone(tx: Tx, id: string): Promise<PhonesTable | undefined> {
  return await tx.db
    .selectFrom("phones")
    .selectAll()
    .where("gateway_id", "=", id)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/** Locks a phone while its token is still this one; null if it was revoked or replaced in the meantime. */
export async function lockLinkedPhone(tx: Tx, id: string, tokenHash: string): Promise<PhonesTable | null> {
  const phone = await lockPhone(tx, id);
  return phone?.token_hash === tokenHash ? phone : null;
}

/** Records the state of a gateway's link, at `at`. A change is the event `gateway.linked` or `gateway.unlinked`. */
async function recordLink(
  tx: Tx,
  gatewayId: string,
  link: {
    status: GatewaySessionsTable["status"];
    at: number;
    eventId: string;
    reason?: string;
    /** Since when a phone is linked; absent if none is. */
    linkedAt?: number | null;
  },
): Promise<void> {
  const { status, at, eventId, reason = null, linkedAt = null } = link;
  const before = await tx.db
    .selectFrom("gateway_sessions")
    .select(["linked_at", "status", "changed_at"])
    .where("gateway_id", "=", gatewayId)
    .executeTakeFirst();
  const row = {
    gateway_id: gatewayId,
    status,
    reason,
    linked_at: linkedAt,
    changed_at: before?.status === status ? before.changed_at : at,
    pairing: null,
    pairing_expires_at: null,
  };
  await tx.db
    .insertInto("gateway_sessions")
    .values(row)
    .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(row))
    .execute();
  tx.changes.add("pauses");
  tx.changes.topic(gatewayId, "gateways", "links");
  const wasLinked = before !== undefined && before.linked_at !== null;
  if (wasLinked === (linkedAt !== null)) return;
  const [type, suffix] = wasLinked
    ? (["gateway.unlinked", "unlinked"] as const)
    : (["gateway.linked", "linked"] as const);
  await recordGatewayEvent(tx, { id: eventIdOf(eventId, suffix), type, gatewayId, at, reason });
}

/** Makes valid the secrets with which a phone can be linked, replacing the previous ones. A linked phone stays linked. */
export const offerPairing = writeOperation(
  "offerPairing",
  async (
    tx,
    input: { at: number; eventId: string } & Pick<
      PhonesTable,
      | "gateway_id"
      | "account_id"
      | "enrolment_hash"
      | "code_hash"
      | "page_hash"
      | "pairing"
      | "pairing_expires_at"
    >,
  ): Promise<void> => {
    const { at, eventId, ...offer } = input;
    const { gateway_id } = offer;
    const before = await lockPhone(tx, gateway_id);
    await tx.db
      .insertInto("phones")
      .values({ ...neverLinked, ...offer })
      .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(offer))
      .execute();
    if (before === undefined || before.linked_at === null)
      await recordLink(tx, gateway_id, { status: "pairing", at, eventId });
  },
);

const neverLinked = {
  token_hash: null,
  name: null,
  app_version: null,
  sims: "[]",
  uses_push: 0,
  battery: null,
  clock_skew_ms: null,
  linked_at: null,
  seen_at: null,
  ended_reason: null,
} as const;

export type PhoneDescription = Pick<PhonesTable, "name" | "app_version" | "sims" | "uses_push">;

/** Items that a phone received and did not report may have been sent, and there is no other proof once its link has ended. */
async function endItems(tx: Tx, phoneId: string, at: number, message: string): Promise<void> {
  await endAsUnknown(tx, await openItems(tx, phoneId), { at, code: "phone_gone", message });
}

/**
 * Links a phone that presents a code (once, before it expires) or an enrolment token (any number of times) to its gateway. The token of the
 * previous phone becomes invalid, and the items that it received and did not report become `unknown`. Null if the secret is not valid.
 */
export const registerPhone = writeOperation(
  "registerPhone",
  async (
    tx,
    input: {
      secret: "code" | "enrolment";
      hash: string;
      tokenHash: string;
      at: number;
      eventId: string;
      phone: PhoneDescription;
    },
  ): Promise<PhonesTable | null> => {
    const { secret, hash, tokenHash, at, eventId } = input;
    const offered = await phoneWith(tx, secret, hash);
    const before = offered && (await lockPhone(tx, offered.gateway_id));
    // Another phone may have used the code, or a new one may have been created, before the row was locked.
    if (!before || before[secrets[secret].column] !== hash) return null;
    if (secret === "code" && (before.pairing_expires_at ?? 0) <= at) return null;
    const gateway_id = before.gateway_id;
    const replaced = "Another phone was linked.";
    await endItems(
      tx,
      gateway_id,
      at,
      `${replaced} The one before had not reported what became of the message.`,
    );
    if (before.linked_at !== null)
      await recordLink(tx, gateway_id, { status: "logged_out", at, eventId, reason: replaced });
    const after: PhonesTable = {
      ...before,
      ...input.phone,
      token_hash: tokenHash,
      code_hash: null,
      pairing: null,
      battery: null,
      clock_skew_ms: null,
      linked_at: at,
      seen_at: at,
      ended_reason: null,
    };
    await tx.db.updateTable("phones").set(after).where("gateway_id", "=", gateway_id).execute();
    await recordLink(tx, gateway_id, { status: "connected", at, eventId, linkedAt: at });
    return after;
  },
);

/** What a phone reports about itself with a request. False if its token is no longer valid. */
export const describePhone = writeOperation(
  "describePhone",
  async (
    tx,
    input: {
      id: string;
      tokenHash: string;
      at: number;
      description: Partial<PhoneDescription & Pick<PhonesTable, "battery" | "clock_skew_ms">>;
    },
  ): Promise<boolean> => {
    const { id, tokenHash, at, description } = input;
    const phone = await lockLinkedPhone(tx, id, tokenHash);
    if (phone === null) return false;
    await tx.db
      .updateTable("phones")
      .set({ ...description, seen_at: Math.max(at, phone.seen_at ?? 0) })
      .where("gateway_id", "=", id)
      .execute();
    return true;
  },
);

/**
 * Ends the link of a phone: its token and secrets for linking another one are no longer valid, and the items that it received and did not
 * report become `unknown`. False if there was no link and no such secret.
 */
export const revokePhone = writeOperation(
  "revokePhone",
  async (
    tx,
    input: { id: string; gatewayIds: readonly string[]; at: number; reason: string; eventId: string },
  ): Promise<boolean> => {
    const { id, at, reason, eventId } = input;
    const phone = await lockPhone(tx, id);
    if (!phone) return false;
    const { token_hash, enrolment_hash, code_hash, linked_at } = phone;
    if (token_hash === null && enrolment_hash === null && code_hash === null) return false;
    await pauseLanes(tx, input, linked_at === null ? "No phone is linked." : reason);
    await endItems(tx, id, at, "The phone's link ended before it reported what became of the message.");
    await tx.db
      .updateTable("phones")
      .set({
        token_hash: null,
        enrolment_hash: null,
        code_hash: null,
        page_hash: null,
        pairing: null,
        pairing_expires_at: null,
        linked_at: null,
        ended_reason: reason,
      })
      .where("gateway_id", "=", id)
      .execute();
    await recordLink(tx, id, { status: "logged_out", at, eventId, reason });
    return true;
  },
);

/** Pauses lanes until the phone is seen again. */
async function pauseLanes(
  tx: Tx,
  input: { gatewayIds: readonly string[]; at: number; eventId: string },
  reason: string,
): Promise<void> {
  for (const id of input.gatewayIds.toSorted()) {
    const lane = await tx.db
      .selectFrom("lanes")
      .select(["fence", "operator_paused_at"])
      .where("id", "=", id)
      .executeTakeFirst();
    // A stopped lane keeps its reason.
    if (!lane || lane.operator_paused_at !== null) continue;
    const pause = { id, fence: lane.fence, at: input.at, until: untilConnected, pauses: 0 };
    await storePause(tx, { ...pause, reason, eventId: `${input.eventId}_${id}` });
  }
}

/** Linked phones that were not seen since `before` and still count as connected. */
export const findSilentPhones = readOperation(
  "findSilentPhones",
  async (tx, before: number): Promise<Pick<PhonesTable, "gateway_id" | "account_id" | "seen_at">[]> =>
    await tx.db
      .selectFrom("phones")
      .innerJoin("gateway_sessions", "gateway_sessions.gateway_id", "phones.gateway_id")
      .select(["phones.gateway_id", "phones.account_id", "phones.seen_at"])
      .where("phones.token_hash", "is not", null)
      .where("phones.seen_at", "<", before)
      .where("gateway_sessions.status", "=", "connected")
      .orderBy("phones.gateway_id")
      .execute(),
);

/** Counts a phone as offline, unless it was seen in the meantime, and pauses the gateways that it serves. */
export const disconnectPhone = writeOperation(
  "disconnectPhone",
  async (
    tx,
    input: {
      id: string;
      gatewayIds: readonly string[];
      before: number;
      at: number;
      reason: string;
      eventId: string;
    },
  ): Promise<boolean> => {
    const { id, before, at, reason, eventId } = input;
    const phone = await lockPhone(tx, id);
    if (!phone || phone.token_hash === null || (phone.seen_at ?? 0) >= before) return false;
    await pauseLanes(tx, input, reason);
    await recordLink(tx, id, { status: "disconnected", at, eventId, reason, linkedAt: phone.linked_at });
    return true;
  },
);

/** Records that a silent phone is connected again. */
export async function reconnectPhone(tx: Tx, phone: PhonesTable, at: number, eventId: string): Promise<void> {
  const session = await tx.db
    .selectFrom("gateway_sessions")
    .select("status")
    .where("gateway_id", "=", phone.gateway_id)
    .executeTakeFirst();
  if (session?.status === "connected") return;
  const { gateway_id: id, linked_at: linkedAt } = phone;
  await recordLink(tx, id, { status: "connected", at, eventId: `${eventId}_${id}`, linkedAt });
}

/** Stops gateways whose SIM has changed until a person resumes them: their messages would come from another number. */
export const stopForSim = writeOperation(
  "stopForSim",
  async (
    tx,
    input: { gatewayIds: readonly string[]; at: number; reason: string; eventId: string },
  ): Promise<void> => {
    const { gatewayIds, at } = input;
    await pauseLanes(tx, input, input.reason);
    for (const id of gatewayIds.toSorted()) {
      await tx.db
        .updateTable("lanes")
        // Both at the same instant: the reason is that of the stop.
        .set((eb) => ({ operator_paused_at: at, paused_since: at, revision: eb("revision", "+", 1) }))
        .where("id", "=", id)
        .where("operator_paused_at", "is", null)
        .execute();
      tx.changes.add("lanes", "pauses");
      tx.changes.topic(id, "gateways");
    }
  },
);
