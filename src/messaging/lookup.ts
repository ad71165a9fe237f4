// Looks up and cancels messages, always for one account.

import type { Account } from "#accounts/account.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { EmailRecord, MessageRecord } from "#contract/messages/record.ts";
import { idTime } from "#runtime/ids.ts";
import { maxPageBodyBytes } from "#store/email/emails.ts";
import { findMessage, type MessageRow, recentMessages } from "#store/messages/lookup.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { searchMessages } from "#store/messages/search.ts";
import { recordOf } from "./record.ts";
import { readWaiting, type WaitingDeps } from "./waiting.ts";

/** The account, and the only gateways whose messages it may read. */
type Reader = Pick<Account, "id" | "readableGatewayIds">;

/**
 * One message with its timeline; null for an unknown id and for a message of another account or channel (every channel if that is null),
 * or of a gateway whose messages the caller may not read.
 */
export async function lookup(
  deps: WaitingDeps,
  account: Reader,
  channel: Channel | null,
  id: string,
): Promise<MessageRecord | null> {
  if (idTime(id) === null) return null;
  const found = await deps.database.run(findMessage, { accountId: account.id, channel, id });
  if (!found || account.readableGatewayIds?.includes(found.message.gateway_id) === false) return null;
  const waiting = await readWaiting(deps, [found.message]);
  return recordOf(found.message, waiting(found.message), found.events);
}

interface Page {
  records: MessageRecord[];
  nextCursor: string | null;
}

/** A page of the newest messages, shorter than `limit` if bodies are large; null for an invalid cursor. */
export async function recent(
  deps: WaitingDeps,
  account: Account,
  channel: Channel,
  query: { limit: number; cursor: string | null; status: Status | null },
): Promise<Page | null> {
  const { limit, cursor, status } = query;
  // A cursor is the last id of the previous page, so it reveals nothing new.
  if (cursor !== null && idTime(cursor) === null) return null;
  if (account.readableGatewayIds !== undefined)
    return await recentAmong(
      deps,
      account,
      { ...everything, channels: [channel], statuses: status && [status] },
      query,
    );
  const { rows, more } = await deps.database.run(recentMessages, {
    accountId: account.id,
    channel,
    status,
    before: cursor,
    limit,
  });
  return {
    records: await recordsOf(deps, rows),
    nextCursor: more ? (rows.at(-1)?.id ?? null) : null,
  };
}

async function recordsOf(deps: WaitingDeps, rows: readonly MessageRow[]): Promise<MessageRecord[]> {
  const waiting = await readWaiting(deps, rows);
  return rows.map((row) => recordOf(row, waiting(row)));
}

/** The maximum that one scan reads of a gateway, if few of its messages have the status. */
const rowsPerLook = 5_000;

/** What a list is about; a field is null if it does not matter. */
interface Filter {
  /** Never empty. */
  channels: readonly Channel[];
  statuses: readonly Status[] | null;
  gatewayId: string | null;
  /** In the form that messages use. */
  recipient: string | null;
  /** Epoch ms of acceptance: at or after the first, before the second. */
  acceptedFrom: number | null;
  acceptedBefore: number | null;
}

const everything = { gatewayId: null, recipient: null, acceptedFrom: null, acceptedBefore: null };

/**
 * A page of what the caller may read, newest first. It may be short, even empty, and still have a cursor. `cursor`: that of the page before.
 */
export async function recentAmong(
  deps: WaitingDeps,
  account: Account,
  { gatewayId: only, ...filter }: Filter,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<Page> {
  const readable = account.gateways.filter(
    ({ id, channel }) => filter.channels.includes(channel) && (only === null || id === only),
  );
  const gateways = account.readableGatewayIds === undefined ? [only] : readable.map(({ id }) => id);
  const rows: MessageRow[] = [];
  // After the scan that ended first, other gateways have rows that this page does not know.
  let lookedTo: string | null = null;
  for (const gatewayId of gateways) {
    const found = await deps.database.run(searchMessages, {
      ...filter,
      accountId: account.id,
      gatewayId,
      from: "msg_",
      before: cursor ?? "msg_~",
      limit: limit + 1,
      maxScanned: rowsPerLook,
      bytes: Math.ceil(maxPageBodyBytes / gateways.length),
    });
    rows.push(...found.rows);
    if (found.lookedTo !== null && found.lookedTo > (lookedTo ?? "")) lookedTo = found.lookedTo;
  }
  const known = rows.filter(({ id }) => id >= (lookedTo ?? "")).sort((a, b) => (a.id < b.id ? 1 : -1));
  const shown = known.slice(0, limit);
  return {
    records: await recordsOf(deps, shown),
    nextCursor: known.length > limit ? (shown.at(-1)?.id ?? null) : lookedTo,
  };
}

/**
 * The emails that the caller may read, newest first and without their bodies: the newest, or those right after or before the message of an
 * id, that is, older or newer ones. `hasMore`: whether there are more in that direction.
 */
export async function listEmails(
  deps: WaitingDeps,
  account: Account,
  { limit, after, before }: { limit: number; after: string | null; before: string | null },
): Promise<{ records: EmailRecord[]; hasMore: boolean }> {
  const emailGateways = account.gateways.filter(({ channel }) => channel === "email");
  const gateways = account.readableGatewayIds === undefined ? [null] : emailGateways.map(({ id }) => id);
  const rows: MessageRow[] = [];
  for (const gatewayId of gateways) {
    const found = await deps.database.run(searchMessages, {
      ...everything,
      accountId: account.id,
      channels: ["email"],
      statuses: null,
      gatewayId,
      // An id with something behind it is the first that is greater.
      from: before === null ? "msg_" : `${before}~`,
      before: after ?? "msg_~",
      limit: limit + 1,
      // Not used: the index has no row that does not match.
      maxScanned: rowsPerLook,
      bytes: maxPageBodyBytes,
      brief: true,
      ascending: before !== null,
    });
    rows.push(...found.rows);
  }
  rows.sort((a, b) => (a.id < b.id === (before === null) ? 1 : -1));
  const shown = rows.slice(0, limit);
  if (before !== null) shown.reverse();
  const records = (await recordsOf(deps, shown)).flatMap((record) =>
    record.channel === "email" ? [record] : [],
  );
  return { records, hasMore: rows.length > limit };
}

export type Cancelled =
  | { kind: "cancelled"; record: MessageRecord }
  | { kind: "not_cancellable"; status: Status }
  | { kind: "not_found" };

/** Cancels a message that is not being sent yet. Idempotent. `channel` null: of any channel. `by`: the caller, if known. */
export async function cancel(
  deps: WaitingDeps,
  account: Reader,
  channel: Channel | null,
  id: string,
  by?: string,
): Promise<Cancelled> {
  const { database, clock } = deps;
  if (idTime(id) === null) return { kind: "not_found" };
  const { readableGatewayIds: gatewayIds } = account;
  const result = await database.run(cancelMessage, {
    accountId: account.id,
    channel,
    id,
    ...(gatewayIds === undefined ? {} : { gatewayIds }),
    details: {
      at: clock.now(),
      detail: by === undefined ? "Cancelled through the API." : `Cancelled by ${by}.`,
    },
  });
  if (result.kind === "not_found") return result;
  const record = await lookup(deps, account, channel, id);
  if (!record) return { kind: "not_found" };
  return result.kind === "cancelled"
    ? { kind: "cancelled", record }
    : { kind: "not_cancellable", status: record.status };
}
