// The items that a phone fetches. No process owns the lane of a phone's gateway: the process that serves the phone's request hands over due
// messages in one transaction, under the rows of the phone and of its lanes. Handed-over items are listed only to that phone until it
// reports their outcome: the phone knows each message by its id and sends none twice.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { selectDue, selectNextDue } from "#store/lanes/due.ts";
import { storeResume, untilConnected } from "#store/lanes/lanes.ts";
import { beginAttemptBatches } from "#store/messages/attempts.ts";
import type { PhoneItemsTable } from "#store/schema/phones.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { closeItems, giveUpUnreported, graceMs, openItems } from "./open-items.ts";
import { lockLinkedPhone, lockPhone, reconnectPhone } from "./phones.ts";
import { halvingsAt, readSlowdown, slowedGap } from "./slowdown.ts";

/** A gateway that the phone serves, and how much of it may be handed over now. */
export interface PhoneLine {
  gatewayId: string;
  /** Maximum number of messages that the phone has received and has not reported. */
  ahead: number;
  /** How long after its due time a message may still be sent, ms. */
  keepMs: number;
  /** How long after its due time a message may still be handed over, ms. */
  latenessMs: number;
  /** Interval between two messages, ms, including this time's jitter. */
  gapMs: number;
  /** Whether several messages may be handed over together that the pace would have allowed since the last one: the phone polls rarely. */
  catchesUp: boolean;
  /** Whether the gateway is switched on and the hour allows sending. */
  isOpen: boolean;
  /** The local day, and how many messages may be sent on it; null if there is no cap. */
  day: { name: string; limit: number } | null;
}

/** An item of a phone's list. */
export interface ListedItem
  extends Pick<PhoneItemsTable, "message_id" | "gateway_id" | "transmission" | "handed_at" | "valid_until"> {
  recipient: string;
  body: string;
}

interface PullInput {
  phoneId: string;
  tokenHash: string;
  lines: readonly PhoneLine[];
  /** The order in which the priorities are served. */
  priorities: readonly number[];
  at: number;
  eventId: string;
  newestFirst: boolean;
}

/** The app does not request a second page. */
const maxListed = 100;

/** Hands over what is due and allowed, and lists everything that the phone has not reported. Null if its token is no longer valid. */
export const pullItems = writeOperation(
  "pullItems",
  async (tx, input: PullInput): Promise<ListedItem[] | null> => {
    const { phoneId, tokenHash, at, eventId } = input;
    const phone = await lockLinkedPhone(tx, phoneId, tokenHash);
    if (phone === null) return null;
    await tx.db
      .updateTable("phones")
      .set({ seen_at: Math.max(at, phone.seen_at ?? 0) })
      .where("gateway_id", "=", phoneId)
      .execute();
    const open = await openItems(tx, phoneId);
    const kept = await giveUpUnreported(tx, open, at);
    let handed = 0;
    await reconnectPhone(tx, phone, at, eventId);
    for (const ownPace of input.lines.toSorted((a, b) => (a.gatewayId < b.gatewayId ? -1 : 1))) {
      const lane = await lockLane(tx, ownPace.gatewayId);
      if (!lane) continue;
      const halvings = halvingsAt(await readSlowdown(tx, lane.id), at);
      const line = { ...ownPace, gapMs: slowedGap(ownPace.gapMs, halvings) };
      if (lane.paused_until === untilConnected && lane.operator_paused_at === null) {
        await storeResume(tx, { id: lane.id, fence: lane.fence, at, eventId: `${eventId}_${lane.id}` });
        Object.assign(lane, { paused_until: null, paused_since: null });
      }
      const inHand = kept.filter(({ gateway_id }) => gateway_id === line.gatewayId).length;
      const room = maxListed - kept.length - handed;
      const max = Math.min(room, maxHandover(lane, line, inHand, at));
      if (max > 0) handed += await handOver(tx, input, line, lane, max);
    }
    return await listed(tx, input);
  },
);

async function lockLane(tx: Tx, id: string): Promise<LanesTable | undefined> {
  return await tx.db
    .selectFrom("lanes")
    .selectAll()
    .where("id", "=", id)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/** The conditions under which a lane may hand over a message. */
const laneColumns = [
  "id",
  "operator_paused_at",
  "paused_since",
  "paused_until",
  "day",
  "day_count",
  "next_at",
] as const;
type LineLane = Pick<LanesTable, (typeof laneColumns)[number]>;

/** How many messages a line may hand over now. After a pause only one is handed over, which shows whether the phone can send again. */
export function maxHandover(lane: LineLane, line: PhoneLine, inHand: number, at: number): number {
  if (!line.isOpen || lane.operator_paused_at !== null || (lane.paused_until ?? 0) > at) return 0;
  const probes = lane.paused_since === null ? Number.POSITIVE_INFINITY : 1 - inHand;
  const sentToday = lane.day === line.day?.name ? lane.day_count : 0;
  const leftToday = line.day === null ? Number.POSITIVE_INFINITY : line.day.limit - sentToday;
  return Math.max(0, Math.min(line.ahead - inHand, leftToday, probes, paced(lane.next_at, line, at)));
}

function paced(nextAt: number | null, { gapMs, catchesUp }: PhoneLine, at: number): number {
  if (gapMs <= 0) return Number.POSITIVE_INFINITY;
  if ((nextAt ?? 0) > at) return 0;
  return catchesUp ? 1 + Math.floor((at - (nextAt ?? 0)) / gapMs) : 1;
}

/** Marks up to `max` due messages `sending` and records that the phone has them; returns how many. */
async function handOver(
  tx: Tx,
  { phoneId, priorities, at }: PullInput,
  line: PhoneLine,
  lane: LanesTable,
  max: number,
): Promise<number> {
  const due: { id: string; due_at: number }[] = [];
  for (const priority of priorities) {
    const query = { laneId: lane.id, priority, now: at, after: null, limit: max - due.length };
    if (query.limit > 0)
      due.push(...(await selectDue<(typeof due)[number]>(tx, "messages", sql`id, due_at`, query)));
  }
  if (due.length === 0) return 0;
  const [result] = await beginAttemptBatches(tx, [
    {
      laneId: lane.id,
      fence: lane.fence,
      ids: due.map(({ id }) => id),
      at,
      lateBefore: at - Math.min(line.keepMs, line.latenessMs),
      day: line.day?.name ?? null,
    },
  ]);
  if (result?.kind !== "begun") return 0;
  const rows = due
    .filter(({ id }) => result.attempts.has(id))
    .map(({ id, due_at }) => ({
      message_id: id,
      gateway_id: lane.id,
      phone_id: phoneId,
      transmission: 1,
      handed_at: at,
      valid_until: due_at + line.keepMs,
      state: "",
      failures: 0,
      open: 1 as const,
    }));
  if (rows.length === 0) return 0;
  await tx.db
    .insertInto("phone_items")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("message_id").doUpdateSet((eb) => ({
        gateway_id: eb.ref("excluded.gateway_id"),
        phone_id: eb.ref("excluded.phone_id"),
        // The phone treats a failure as final for an id, so a retry has a new id.
        transmission: eb("phone_items.transmission", "+", 1),
        handed_at: eb.ref("excluded.handed_at"),
        valid_until: eb.ref("excluded.valid_until"),
        state: "",
        open: 1,
      })),
    )
    .execute();
  if (line.gapMs > 0) {
    await tx.db
      .updateTable("lanes")
      .set({ next_at: at + line.gapMs })
      .where("id", "=", lane.id)
      .execute();
  }
  return rows.length;
}

/** The phone's list. Items whose message has since changed its state are no longer listed. */
async function listed(tx: Tx, { phoneId, newestFirst }: PullInput): Promise<ListedItem[]> {
  const items = await openItems(tx, phoneId);
  if (items.length === 0) return [];
  const messages = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select(["id", "gateway_id", "status", "recipient", "body"])
    .where("id", "in", tx.list(items.map(({ message_id }) => message_id)))
    .execute();
  const byId = new Map(messages.map((message) => [message.id, message]));
  const overtaken: string[] = [];
  const list: ListedItem[] = [];
  for (const item of items) {
    const { message_id, gateway_id, transmission, handed_at, valid_until } = item;
    const message = byId.get(message_id);
    if (message?.status !== "sending") overtaken.push(message_id);
    else {
      const { recipient, body } = message;
      list.push({ message_id, gateway_id, transmission, handed_at, valid_until, recipient, body });
    }
  }
  await closeItems(tx, overtaken);
  if (newestFirst) list.reverse();
  return list.slice(0, maxListed);
}

/** The conditions that determine when a line may next hand over a message. */
export interface LineState {
  lane: LineLane;
  inHand: number;
  /** When the first of the waiting messages is due, epoch ms; null if none waits. */
  dueAt: number | null;
}

/** The lines of a phone, as they are now. */
export const readLines = readOperation(
  "readLines",
  async (
    tx,
    input: { phoneId: string; gatewayIds: readonly string[]; priorities: readonly number[] },
  ): Promise<LineState[]> => {
    const open = await openItems(tx, input.phoneId);
    const lines: LineState[] = [];
    for (const gatewayId of input.gatewayIds) {
      const lane = await tx.db
        .selectFrom("lanes")
        .select(laneColumns)
        .where("id", "=", gatewayId)
        .executeTakeFirst();
      if (!lane) continue;
      const inHand = open.filter(({ gateway_id }) => gateway_id === gatewayId).length;
      // The first of all waiting ones: none was due before time 0.
      const dueAt = await selectNextDue(tx, "messages", {
        laneId: gatewayId,
        priorities: input.priorities,
        now: -1,
      });
      lines.push({ lane, inHand, dueAt });
    }
    return lines;
  },
);

/** Number of items read in one search for phones. */
const lookedAt = 500;

/** Phones with items that have expired at `at`, epoch ms; only those of the 500 oldest items. */
export const findUnreported = readOperation("findUnreported", async (tx, at: number): Promise<string[]> => {
  const rows = await tx.db
    .selectFrom(tx.indexed("phone_items", "phone_items_over"))
    .select("phone_id")
    .where("open", "=", sql.lit(1))
    .where("valid_until", "<=", at - graceMs)
    .orderBy("valid_until")
    .limit(lookedAt)
    .execute();
  return [...new Set(rows.map(({ phone_id }) => phone_id))];
});

/** Ends the wait for a phone's expired items, whether or not the phone polls; returns how many there were. */
export const endUnreported = writeOperation(
  "endUnreported",
  async (tx, { phoneId, at }: { phoneId: string; at: number }): Promise<number> => {
    await lockPhone(tx, phoneId);
    const items = await openItems(tx, phoneId);
    return items.length - (await giveUpUnreported(tx, items, at)).length;
  },
);
