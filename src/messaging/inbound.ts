// Looks up inbound messages, always for one account.

import type { Channel } from "#contract/messages/channel.ts";
import type { ReceivedRecord } from "#contract/messages/received.ts";
import { receivedDetails } from "#contract/messages/received-details.ts";
import { idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { type InboundRow, recentInbound } from "#store/feedback/inbound.ts";

interface ReceivedPage {
  records: ReceivedRecord[];
  nextCursor: string | null;
}

/** A page of the newest inbound messages. `channel` null: of all channels. Null for an invalid cursor. */
export async function received(
  database: Database,
  accountId: string,
  channel: Channel | null,
  query: { limit: number; cursor: string | null },
): Promise<ReceivedPage | null> {
  const { limit, cursor } = query;
  // A cursor is the last id of the previous page, so it reveals nothing new.
  if (cursor !== null && idTime(cursor) === null) return null;
  const rows = await database.run(recentInbound, { accountId, channel, before: cursor, limit: limit + 1 });
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
