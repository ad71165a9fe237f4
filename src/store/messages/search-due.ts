// The account's waiting messages in the order in which they are due. Merges each gateway's ranges of the due index, so that only waiting
// rows are read.

import type { Channel, Status } from "#contract/messages/channel.ts";
import { readOperation } from "#store/database.ts";
import { withContentColumns } from "./contents.ts";
import { identifierOfGateway, type MessageRow } from "./lookup.ts";

/** A position in the list: after the message with this id, which is due then (epoch ms). */
export interface DuePlace {
  dueAt: number;
  id: string;
}

export interface SearchDueInput {
  accountId: string;
  channels: readonly Channel[];
  statuses: readonly Status[] | null;
  /** Null for any. */
  gatewayId: string | null;
  requestId: string | null;
  test: boolean | null;
  /** Epoch ms: due at or after the first, before the second. */
  from: number;
  before: number;
  after: DuePlace | null;
  priorities: readonly number[];
  limit: number;
  /** Most rows to read of each gateway and priority. */
  maxScanned: number;
}

export interface DuePage {
  /** Without the bodies of emails. */
  rows: MessageRow[];
  /** Where the search stopped; null if there is nothing more. */
  lookedTo: DuePlace | null;
}

const inOrder = (one: DuePlace, other: DuePlace) =>
  one.dueAt - other.dueAt || (one.id < other.id ? -1 : Number(one.id > other.id));

/** One page of waiting messages, soonest due first. */
export const searchDue = readOperation("searchDue", async (tx, input: SearchDueInput): Promise<DuePage> => {
  const { accountId, gatewayId, from, before, after, maxScanned } = input;
  let of = tx.db
    .selectFrom(tx.indexed("gateways", "gateways_account"))
    .select(["id", "channel"])
    .where("account_id", "=", accountId);
  if (gatewayId !== null) of = of.where("id", "=", gatewayId);
  const gateways = (await of.execute()).filter(({ channel }) => input.channels.includes(channel));
  const found: DuePlace[] = [];
  /** Positions at which ranges were left before their end: rows due after the earliest of them are not complete yet. */
  const ends: DuePlace[] = [];
  for (const gateway of gateways) {
    for (const priority of input.priorities) {
      let query = tx.db
        .selectFrom(tx.indexed("messages", "messages_due"))
        .select(["id", "due_at", "status", "request_id", "test"])
        .where("gateway_id", "=", gateway.id)
        .where("priority", "=", priority)
        .where("due_at", ">=", from)
        .where("due_at", "<", before);
      if (after !== null)
        query = query.where((eb) => eb(eb.refTuple("due_at", "id"), ">", eb.tuple(after.dueAt, after.id)));
      const stretch = await query.orderBy("due_at").orderBy("id").limit(maxScanned).execute();
      for (const row of stretch) {
        if (input.statuses !== null && !input.statuses.includes(row.status)) continue;
        if (input.requestId !== null && row.request_id !== input.requestId) continue;
        if (input.test !== null && row.test !== Number(input.test)) continue;
        found.push({ dueAt: row.due_at ?? 0, id: row.id });
      }
      const last = stretch.at(-1);
      if (last && stretch.length >= maxScanned) ends.push({ dueAt: last.due_at ?? 0, id: last.id });
    }
  }
  const [end = null] = ends.sort(inOrder);
  const known = found.sort(inOrder).filter((place) => end === null || inOrder(place, end) <= 0);
  const shown = known.slice(0, input.limit);
  const lookedTo = known.length > input.limit ? (shown.at(-1) ?? null) : end;
  if (shown.length === 0) return { rows: [], lookedTo };
  const rows = await tx.db
    .selectFrom(tx.indexed("messages"))
    .selectAll("messages")
    .select(identifierOfGateway)
    .where("messages.id", "in", tx.list(shown.map(({ id }) => id)))
    .execute();
  const byId = new Map((await withContentColumns(tx, rows)).map((row) => [row.id, row as MessageRow]));
  return { rows: shown.flatMap(({ id }) => byId.get(id) ?? []), lookedTo };
});
