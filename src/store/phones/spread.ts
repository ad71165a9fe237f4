// A spread is a gateway whose messages several phones send. The chosen phone is stored as the message's gateway, by the transaction that
// accepts the message, so that exactly one lane has it at any moment. It changes only while the message waits, under the lock of its row,
// and never after the message was handed to a phone. If no phone can send, messages wait on the spread's own lane.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { holdGateways } from "#store/gateways/hold.ts";
import { storePause, storeResume, untilConnected } from "#store/lanes/lanes.ts";
import { lockDue, moveLocked } from "#store/messages/move.ts";
import type { Route, Router } from "#store/messages/router.ts";
import type { PhoneLine } from "./phone-items.ts";

/** A gateway of a phone, as a spread weighs it. */
export interface SpreadMember extends Pick<PhoneLine, "gatewayId" | "isOpen" | "day"> {
  identifier: string;
  /** The gateway that owns the link to the phone. */
  phoneId: string;
}

export interface Spread extends Route {
  identifier: string;
  members: readonly SpreadMember[];
  /** Other gateways of phones of the account, which may still have messages of this spread. */
  others: readonly { gatewayId: string; identifier: string }[];
  /** Phones that were not seen since these times are late, and offline; epoch ms. */
  lateBefore: number;
  offlineBefore: number;
}

/** A recipient keeps a phone for this long after the last message. */
export const choiceTtlMs = 30 * 86_400_000;
/** The weight factor of a phone that is late or that has just failed. */
const doubtfulShare = 0.25;
/** Waiting messages of a phone are counted up to this number. */
const maxCounted = 1_000;
/** The golden ratio: its multiples are spread evenly between 0 and 1, however many there are. */
const stepOfPoints = 0.618_033_988_749_895;
/** A phone without a cap has the weight of one with this many messages a day. */
const uncappedDay = 1_000_000;

/** Accounts that have a spread which is switched on. */
export const readSpreadAccounts = readOperation(
  "readSpreadAccounts",
  async (tx, kind: string): Promise<string[]> => {
    const rows = await tx.db
      .selectFrom("gateways")
      .select("account_id")
      .distinct()
      .where("kind", "=", kind)
      .where("active", "=", 1)
      .orderBy("account_id")
      .execute();
    return rows.map(({ account_id }) => account_id);
  },
);

interface Candidate {
  id: string;
  /** The factor, from 0 to 1, that reduces its weight: late, just failed, outside its hours. */
  share: number;
  /** The rest of its daily cap, and the whole cap. */
  left: number;
  limit: number;
}

/** The members that can send, with the weights for recipients without a phone. */
async function candidatesOf(tx: Tx, spread: Spread, at: number): Promise<Candidate[]> {
  const ids = spread.members.map(({ gatewayId }) => gatewayId);
  if (ids.length === 0) return [];
  // None of them is deleted before the chosen messages are stored with it.
  const held = await holdGateways(tx, ids);
  if (held.size === 0) return [];
  const lanes = await tx.db
    .selectFrom("gateways")
    .innerJoin("lanes", "lanes.id", "gateways.id")
    .select(["lanes.id", "paused_since", "paused_until", "operator_paused_at", "day", "day_count"])
    .where("gateways.id", "in", [...held])
    .where("gateways.active", "=", 1)
    .where("gateways.draining_at", "is", null)
    .execute();
  const phones = await tx.db
    .selectFrom("phones")
    .select(["gateway_id", "seen_at"])
    .where("gateway_id", "in", [...new Set(spread.members.map(({ phoneId }) => phoneId))])
    .where("token_hash", "is not", null)
    .execute();
  const able = spread.members.flatMap((member) => {
    const lane = lanes.find(({ id }) => id === member.gatewayId);
    const phone = phones.find(({ gateway_id }) => gateway_id === member.phoneId);
    if (!lane || !phone || lane.operator_paused_at !== null || (lane.paused_until ?? 0) > at) return [];
    const seenAt = phone.seen_at ?? 0;
    if (seenAt < spread.offlineBefore) return [];
    const isDoubtful = lane.paused_since !== null || seenAt < spread.lateBefore;
    return [{ member, lane, share: isDoubtful ? doubtfulShare : 1 }];
  });
  // A phone outside its hours is chosen only if all are.
  const open = able.filter(({ member }) => member.isOpen);
  const candidates: Candidate[] = [];
  for (const { member, lane, share } of able) {
    const counts = open.length === 0 || member.isOpen ? share : 0;
    const limit = member.day?.limit ?? uncappedDay;
    const sentToday = lane.day === member.day?.name ? lane.day_count : 0;
    const left = limit - sentToday - (await countWaiting(tx, lane.id));
    candidates.push({ id: lane.id, share: counts, left, limit });
  }
  return candidates;
}

async function countWaiting(tx: Tx, gatewayId: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from (
      select due_at from ${tx.indexed("messages", "messages_due")}
      where gateway_id = ${gatewayId} and due_at is not null
      order by priority, due_at limit ${sql.lit(maxCounted)}
    ) as waiting
  `.execute(tx.db);
  return Number(rows[0]?.waiting ?? 0);
}

/**
 * The candidate at this position, in [0, 1), of all weights in sequence. If the daily caps of all are used up, new messages wait for the
 * next day.
 */
function candidateAt(candidates: readonly Candidate[], place: number): Candidate | undefined {
  const free = candidates.map(({ share, left }) => share * Math.max(0, left));
  const weights = free.some((weight) => weight > 0)
    ? free
    : candidates.map(({ share, limit }) => share * limit);
  let rest = place * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return candidates[at] ?? candidates[weights.findLastIndex((weight) => weight > 0)];
}

const keyOf = (spreadId: string, recipient: string) => `${spreadId} ${recipient}`;

/**
 * Chooses a phone's gateway for each recipient and records it: the recipient's existing one, if that can send. Null if no member can send.
 * `point`: where in [0, 1) the choices begin. The spread's lane must be locked.
 */
async function choose(
  tx: Tx,
  spread: Spread,
  recipients: readonly string[],
  { at, point }: { at: number; point: number },
): Promise<Map<string, string> | null> {
  const candidates = await candidatesOf(tx, spread, at);
  if (candidates.length === 0) return null;
  const able = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const people = [...new Set(recipients)];
  const known = await tx.db
    .selectFrom(tx.indexed("spread_choices"))
    .select(["key", "gateway_id", "chosen_at"])
    .where("key", "in", tx.list(people.map((recipient) => keyOf(spread.id, recipient))))
    .execute();
  const kept = new Map(
    known
      .filter(({ gateway_id, chosen_at }) => able.has(gateway_id) && chosen_at >= at - choiceTtlMs)
      .map(({ key, gateway_id }) => [key, gateway_id]),
  );
  const chosen = new Map<string, string>();
  let place = point;
  for (const recipient of people) {
    const habit = kept.get(keyOf(spread.id, recipient));
    const candidate = habit === undefined ? candidateAt(candidates, place) : able.get(habit);
    if (habit === undefined) place = (place + stepOfPoints) % 1;
    if (candidate === undefined) continue;
    candidate.left -= 1;
    chosen.set(recipient, candidate.id);
  }
  const rows = tx.rows(
    "chosen",
    { key: "text", gateway_id: "text", chosen_at: "bigint" },
    [...chosen]
      .map(([recipient, gateway_id]) => ({ key: keyOf(spread.id, recipient), gateway_id, chosen_at: at }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
  await sql`
    insert into spread_choices (key, gateway_id, chosen_at)
    select key, gateway_id, chosen_at from ${rows} where true
    on conflict (key) do update set gateway_id = excluded.gateway_id, chosen_at = excluded.chosen_at
  `.execute(tx.db);
  return chosen;
}

async function lockSpread(tx: Tx, id: string) {
  return await tx.db
    .selectFrom("lanes")
    .select(["id", "fence", "paused_since", "operator_paused_at"])
    .where("id", "=", id)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/** Chooses a phone for each message of a spread. */
export const spreadRouter: Router<Spread> = {
  choose,
  mark: async (tx, spread_id, ids) => {
    await tx.db
      .updateTable(tx.indexed("messages"))
      .set({ spread_id })
      .where("id", "in", tx.list(ids))
      .execute();
  },
};

const noneCanSend = "None of its phones can send.";

/**
 * Assigns to members what is due on the spread's lane, and what is due on gateways that cannot send it and was never handed to their phone.
 * The spread is paused while no member can send. At most `limit` messages from each gateway. Returns how many each member got.
 */
export const distributeSpread = writeOperation(
  "distributeSpread",
  async (
    tx,
    input: {
      spread: Spread;
      at: number;
      point: number;
      priorities: readonly number[];
      limit: number;
      eventId: string;
    },
  ): Promise<{ identifier: string; messages: number }[]> => {
    const { spread, at, eventId } = input;
    const lane = await lockSpread(tx, spread.id);
    if (!lane) return [];
    const able = new Set((await candidatesOf(tx, spread, at)).map(({ id }) => id));
    const pause = { id: spread.id, fence: lane.fence, at, eventId };
    if (able.size === 0 && lane.paused_since === null) {
      const reason = { reason: noneCanSend, pauses: 0 };
      await storePause(tx, { ...pause, ...reason, until: untilConnected });
    } else if (able.size > 0 && lane.paused_since !== null) {
      await storeResume(tx, pause);
    }
    if (able.size === 0) return [];
    const counts = new Map<string, number>();
    const give = async (from: { gatewayId: string; identifier: string }, why: string) => {
      // Everything on its own lane; elsewhere only what came through the spread.
      const own = from.gatewayId === spread.id;
      const rows = await lockDue(
        tx,
        { ...input, laneId: from.gatewayId },
        own ? null : (eb) => eb("spread_id", "=", spread.id),
      );
      const recipients = rows.map(({ recipient }) => recipient);
      const chosen = rows.length === 0 ? null : await choose(tx, spread, recipients, input);
      if (chosen === null) return;
      const groups = Map.groupBy(rows, ({ recipient }) => chosen.get(recipient));
      for (const { gatewayId: to, identifier } of spread.members) {
        const group = groups.get(to);
        if (group === undefined) continue;
        const detail = `${why} to ${identifier}.`;
        await moveLocked(tx, group, { to, at, detail, routeId: spread.id });
        counts.set(to, (counts.get(to) ?? 0) + group.length);
      }
    };
    // Stopped by hand: messages waiting on it stay. Messages that its phones have remain with them.
    if (lane.operator_paused_at === null)
      await give({ gatewayId: spread.id, identifier: spread.identifier }, `Given by ${spread.identifier}`);
    for (const from of [...spread.members, ...spread.others])
      if (!able.has(from.gatewayId)) await give(from, `Moved from ${from.identifier}, which cannot send it,`);
    return spread.members.flatMap(({ gatewayId, identifier }) => {
      const messages = counts.get(gatewayId) ?? 0;
      return messages === 0 ? [] : [{ identifier, messages }];
    });
  },
);

/** Forgets the phones of recipients who got nothing since `before`; returns how many. */
export const deleteSpreadChoices = writeOperation(
  "deleteSpreadChoices",
  async (tx, { before, limit }: { before: number; limit: number }): Promise<number> => {
    const old = await tx.db
      .selectFrom(tx.indexed("spread_choices", "spread_choices_age"))
      .select("key")
      .where("chosen_at", "<", before)
      .orderBy("chosen_at")
      .limit(limit)
      .execute();
    // Checked again: a message may have arrived in the meantime.
    for (const { key } of old)
      await tx.db
        .deleteFrom("spread_choices")
        .where("key", "=", key)
        .where("chosen_at", "<", before)
        .execute();
    return old.length;
  },
);
