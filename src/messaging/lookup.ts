// Looks up and cancels messages, always for one account.

import type { Account } from "#accounts/account.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import type { Core } from "#core/core.ts";
import { idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { findMessage, recentMessages } from "#store/messages/lookup.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { recordOf } from "./record.ts";

/** One message with its timeline; null for an unknown id and for a message of another account or channel (null: of every channel). */
export async function lookup(
  database: Database,
  account: Pick<Account, "id">,
  channel: Channel | null,
  id: string,
): Promise<MessageRecord | null> {
  if (idTime(id) === null) return null;
  const found = await database.run(findMessage, { accountId: account.id, channel, id });
  return found ? recordOf(found.message, found.events) : null;
}

interface Page {
  records: MessageRecord[];
  nextCursor: string | null;
}

/** A page of the newest messages, shorter than `limit` where bodies are large; null for an invalid cursor. */
export async function recent(
  database: Database,
  account: Account,
  channel: Channel,
  query: { limit: number; cursor: string | null; status: Status | null },
): Promise<Page | null> {
  const { limit, cursor, status } = query;
  // A cursor is the last id of the previous page, so it reveals nothing new.
  if (cursor !== null && idTime(cursor) === null) return null;
  const { rows, more } = await database.run(recentMessages, {
    accountId: account.id,
    channel,
    status,
    before: cursor,
    limit,
  });
  return {
    records: rows.map((row) => recordOf(row)),
    nextCursor: more ? (rows.at(-1)?.id ?? null) : null,
  };
}

export type Cancelled =
  | { kind: "cancelled"; record: MessageRecord }
  | { kind: "not_cancellable"; status: Status }
  | { kind: "not_found" };

/** Cancels a message that is not being sent yet. Idempotent. `channel` null: of any channel. `by`: who asks, where that is known. */
export async function cancel(
  deps: Pick<Core, "clock" | "database" | "signals">,
  account: Pick<Account, "id">,
  channel: Channel | null,
  id: string,
  by?: string,
): Promise<Cancelled> {
  const { database, clock } = deps;
  if (idTime(id) === null) return { kind: "not_found" };
  const result = await database.run(cancelMessage, {
    accountId: account.id,
    channel,
    id,
    details: {
      at: clock.now(),
      detail: by === undefined ? "Cancelled through the API." : `Cancelled by ${by}.`,
    },
  });
  if (result.kind === "not_found") return result;
  deps.signals.emit("eventsRecorded");
  deps.signals.emit("changed", account.id, "messages");
  const record = await lookup(database, account, channel, id);
  if (!record) return { kind: "not_found" };
  return result.kind === "cancelled"
    ? { kind: "cancelled", record }
    : { kind: "not_cancellable", status: record.status };
}
