// What must hold when everything has come to rest, after any history. It looks at what the customer was
// told, what the provider saw and what is stored; each broken promise is one line.

import type { Status } from "#contract/messages/channel.ts";
import { groups } from "#contract/messages/states.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import type { EventsTable } from "#store/schema/schema.ts";

export interface Stored {
  message: Pick<
    MessageRow,
    | "id"
    | "account_id"
    | "body"
    | "status"
    | "due_at"
    | "version"
    | "segments"
    | "scheduled_for"
    | "created_at"
    | "resends"
    | "test"
  >;
  events: Pick<EventsTable, "seq" | "type">[];
}

/** A request as the customer saw it: which texts, and the answer (`unknown`: the process died). */
export interface Requested {
  markers: string[];
  result: "accepted" | "refused" | "unknown";
  ids: string[];
}

/** A request as the provider saw it. `certainlyNot`: it answered so that it certainly did not take it. */
export interface Seen {
  id: string;
  at: number;
  certainlyNot: boolean;
}

export interface Evidence {
  requests: Requested[];
  seen: Seen[];
  stored: Stored[];
  /** Ids whose gateways may send an unknown outcome once more. */
  mayRepeat: ReadonlySet<string>;
  /** When a cancellation was confirmed. */
  cancelled: ReadonlyMap<string, number>;
  accounts: {
    id: string;
    opening: number | null;
    remaining: number | null;
    counts: { status: Status; count: number }[];
  }[];
}

const ladder: readonly string[] = ["sent", "failed", "undelivered", "delivered", "bounced", "read"];
const refunding: readonly string[] = groups.notSent;
const pending: readonly string[] = groups.pending;

export function check(evidence: Evidence): string[] {
  const broken: string[] = [];
  const fail = (text: string) => broken.push(text);
  const byId = new Map(evidence.stored.map((each) => [each.message.id, each]));
  const byMarker = Map.groupBy(evidence.stored, ({ message }) => message.body);

  for (const { markers, result, ids } of evidence.requests) {
    const found = markers.map((marker) => byMarker.get(marker)?.length ?? 0);
    for (const [i, count] of found.entries()) if (count > 1) fail(`${markers[i]} is stored ${count} times`);
    if (result === "accepted") {
      for (const id of ids) if (!byId.has(id)) fail(`${id} was accepted and is lost`);
      for (const [i, count] of found.entries())
        if (count === 0) fail(`${markers[i]} was accepted and is lost`);
    } else if (result === "refused" && found.some((count) => count > 0))
      fail(`${markers[0]}: refused, but stored`);
    else if (new Set(found).size > 1) fail(`${markers[0]}: a part of a request is stored`);
  }

  const seenById = Map.groupBy(evidence.seen, ({ id }) => id);
  for (const id of seenById.keys()) if (!byId.has(id)) fail(`${id} was sent, but no process accepted it`);
  for (const { message, events } of evidence.stored) {
    const { id, status } = message;
    const seen = seenById.get(id) ?? [];
    const maybeTaken = seen.filter(({ certainlyNot }) => !certainlyNot).length;
    const max = evidence.mayRepeat.has(id) ? 2 : 1;
    if (maybeTaken > max) fail(`${id} may have been sent ${maybeTaken} times`);
    if (message.resends > max - 1) fail(`${id} was repeated ${message.resends} times`);
    const due = Math.max(message.scheduled_for ?? 0, message.created_at);
    for (const { at } of seen) if (at < due) fail(`${id} was sent ${due - at} ms before its time`);
    const cancelledAt = evidence.cancelled.get(id);
    if (cancelledAt !== undefined && seen.some(({ at }) => at >= cancelledAt))
      fail(`${id} was sent after it was cancelled`);
    if (maybeTaken === 0 && (groups.sent as readonly string[]).includes(status))
      fail(`${id} is ${status}, but was never sent`);
    if (maybeTaken > 0 && status === "cancelled") fail(`${id} is cancelled, but was sent`);

    if (pending.includes(status)) fail(`${id} still is ${status}`);
    if (message.due_at !== null) fail(`${id} is ${status}, and due`);
    if (message.version !== events.length)
      fail(`${id} has ${events.length} events at version ${message.version}`);
    for (const [i, { seq }] of events.entries()) if (seq !== i + 1) fail(`${id} has no event ${i + 1}`);
    if ((events.at(-1)?.type ?? "queued") !== status)
      fail(`${id} is ${status}, its timeline says ${events.at(-1)?.type}`);
    let rank = -1;
    for (const { type } of events) {
      const next = ladder.indexOf(type);
      if (rank >= 0 && next <= rank) fail(`${id} fell from ${ladder[rank]} to ${type}`);
      rank = Math.max(rank, next);
    }
  }

  for (const { id, opening, remaining, counts } of evidence.accounts) {
    const mine = evidence.stored.filter(({ message }) => message.account_id === id);
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    if (total !== mine.length) fail(`${id}: ${mine.length} accepted, ${total} counted`);
    const known = Object.values(groups).flat() as readonly string[];
    for (const { status } of counts) if (!known.includes(status)) fail(`${id}: ${status} is in no group`);
    if (opening === null || remaining === null) continue;
    const reserved = mine.reduce((sum, { message }) => sum + (message.segments ?? 0), 0);
    const returned = mine
      .filter(({ events }) => events.some(({ type }) => refunding.includes(type)))
      .reduce((sum, { message }) => sum + (message.segments ?? 0), 0);
    if (opening - reserved + returned !== remaining)
      fail(`${id}: ${opening} − ${reserved} + ${returned} is not the remaining ${remaining}`);
    if (remaining < 0) fail(`${id}: ${remaining} remain`);
  }
  return broken;
}
