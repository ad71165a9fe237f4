// Looks up inbound messages, always for one account.

import type { Account } from "#accounts/account.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { receivedDetails } from "#contract/messages/received/details.ts";
import type { ReceivedRecord } from "#contract/messages/received/record.ts";
import { idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { type InboundRow, recentInbound, searchInbound } from "#store/feedback/inbound.ts";
import { findAccountGateway } from "#store/messages/search.ts";
import { normaliseRecipient } from "./channels.ts";

interface ReceivedPage {
  records: ReceivedRecord[];
  nextCursor: string | null;
}

/** A page of the newest inbound messages that the caller may read. All channels if `channel` is null. Null for an invalid cursor. */
export async function received(
  database: Database,
  account: Pick<Account, "id" | "gateways" | "readableGatewayIds">,
  channel: Channel | null,
  query: { limit: number; cursor: string | null },
): Promise<ReceivedPage | null> {
  const { limit, cursor } = query;
  // A cursor is the last id of the previous page, so it reveals nothing new.
  if (cursor !== null && idTime(cursor) === null) return null;
  const input = { accountId: account.id, channel, before: cursor, limit: limit + 1 };
  if (account.readableGatewayIds === undefined)
    return pageOf(await database.run(recentInbound, input), limit);
  const rows: InboundRow[] = [];
  for (const gateway of account.gateways)
    if (channel === null || gateway.channel === channel)
      rows.push(...(await database.run(searchInbound, { ...input, senders: null, gatewayId: gateway.id })));
  return pageOf(
    rows.sort((a, b) => (a.id < b.id ? 1 : -1)),
    limit,
  );
}

type Filtered =
  | ({ kind: "found" } & ReceivedPage)
  /** A filter that can match nothing. */
  | { kind: "invalid"; field: "cursor" | "gateway"; message: string };

/** A page of the newest messages from one person, through one gateway, or both; null for any. */
export async function filteredReceived(
  database: Database,
  account: Pick<Account, "id" | "country">,
  { channel, from, gateway }: { channel: Channel | null; from: string | null; gateway: string | null },
  query: { limit: number; cursor: string | null },
): Promise<Filtered> {
  const { limit, cursor: before } = query;
  if (before !== null && idTime(before) === null)
    return { kind: "invalid", field: "cursor", message: "is not a cursor" };
  let gatewayId: string | null = null;
  if (gateway !== null) {
    const found = await database.run(findAccountGateway, { accountId: account.id, identifier: gateway });
    if (found === null)
      return { kind: "invalid", field: "gateway", message: "is not a gateway of this account" };
    gatewayId = found.id;
  }
  const input = { accountId: account.id, channel, before, limit: limit + 1 };
  const senders = from === null ? null : spellingsOf(from, account.country);
  const rows = await (senders === null && gatewayId === null
    ? database.run(recentInbound, input)
    : database.run(searchInbound, { ...input, senders, gatewayId }));
  return { kind: "found", ...pageOf(rows, limit) };
}

/** As it was written, since a sender may not be a number that can be parsed, and in the form of each channel. */
function spellingsOf(from: string, country: string | null): string[] {
  const written = from.trim();
  const normalised = channels.map((channel) => normaliseRecipient(channel, written, country));
  return [...new Set([written, ...normalised.filter((spelling) => spelling !== null)])];
}

function pageOf(rows: readonly InboundRow[], limit: number): ReceivedPage {
  const page = rows.slice(0, limit);
  return {
    records: page.map(recordOf),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

function recordOf(row: InboundRow): ReceivedRecord {
  return {
    id: row.id,
    channel: row.channel,
    from: row.sender,
    to: row.recipient,
    gateway_identifier: row.identifier,
    message: row.body,
    media: JSON.parse(row.media) as ReceivedRecord["media"],
    in_reply_to: row.in_reply_to,
    opt: row.consent_keyword,
    ...receivedDetails(row.details),
    received_at: new Date(row.received_at).toISOString(),
  };
}
