// Searches an account's messages by filters. One page takes a bounded number of short scans and a bounded number of bytes
// of bodies, so it may be shorter than its limit, even empty, and still have a cursor to continue from.

import { type Channel, channels, type Status } from "#contract/messages/channel.ts";
import { idAt, idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { maxPageBodyBytes } from "#store/email/emails.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { findAccountGateway, type SearchPage, searchMessages } from "#store/messages/search.ts";
import { emailAddress, whatsappRecipient } from "./recipients.ts";

export interface MessageFilters {
  channel: Channel | null;
  status: Status | null;
  /** A gateway's identifier. */
  gateway: string | null;
  /** In any spelling. */
  recipient: string | null;
  /** Epoch ms of acceptance: at or after the first, before the second. */
  acceptedFrom: number | null;
  acceptedBefore: number | null;
}

export type Search =
  | { kind: "found"; rows: MessageRow[]; nextCursor: string | null }
  /** A filter that matches nothing. */
  | { kind: "invalid"; field: "gateway" | "recipient" | "cursor"; message: string };

/** A page reads 100,000 rows at most before the caller gets a reply. */
const rowsPerScan = 5_000;
const maxScans = 20;
/** Ids are made shortly after the instant that is stored as acceptance. */
const idSlackMs = 2_000;

/** The newest matching messages before the `cursor` of an earlier page. */
export async function search(
  database: Database,
  account: { id: string; country: string | null },
  filters: MessageFilters,
  page: { limit: number; cursor: string | null },
): Promise<Search> {
  const { status, acceptedFrom, acceptedBefore } = filters;
  // A cursor is an id of the previous page or the end of its last scan, so it reveals nothing new.
  if (page.cursor !== null && idTime(page.cursor) === null)
    return invalid("cursor", "is not a cursor of this list");
  const recipient = filters.recipient === null ? null : recipientOf(filters.recipient, account.country);
  if (filters.recipient !== null && recipient === null)
    return invalid("recipient", "must be a phone number or an email address");
  let searched: readonly Channel[] = filters.channel === null ? channels : [filters.channel];
  let gatewayId: string | null = null;
  if (filters.gateway !== null) {
    const identifier = filters.gateway;
    const gateway = await database.run(findAccountGateway, { accountId: account.id, identifier });
    if (!gateway) return invalid("gateway", "is not a gateway of this account");
    if (!searched.includes(gateway.channel)) return { kind: "found", rows: [], nextCursor: null };
    gatewayId = gateway.id;
    searched = [gateway.channel];
  }
  const end = acceptedBefore === null ? "msg_~" : idAt("msg", acceptedBefore + idSlackMs);
  const rows: MessageRow[] = [];
  let before: string | null = page.cursor !== null && page.cursor < end ? page.cursor : end;
  let bytes = maxPageBodyBytes;
  for (let scan = 0; before !== null && bytes > 0 && rows.length <= page.limit && scan < maxScans; scan++) {
    const found: SearchPage = await database.run(searchMessages, {
      accountId: account.id,
      channels: searched,
      status,
      gatewayId,
      recipient,
      from: acceptedFrom === null ? "msg_" : idAt("msg", acceptedFrom),
      before,
      acceptedFrom,
      acceptedBefore,
      limit: page.limit + 1 - rows.length,
      maxScanned: rowsPerScan,
      bytes,
    });
    rows.push(...found.rows);
    before = found.lookedTo;
    bytes = found.bytesLeft;
  }
  if (rows.length > page.limit) {
    const shown = rows.slice(0, page.limit);
    return { kind: "found", rows: shown, nextCursor: shown.at(-1)?.id ?? null };
  }
  return { kind: "found", rows, nextCursor: before };
}

function invalid(field: "gateway" | "recipient" | "cursor", message: string): Search {
  return { kind: "invalid", field, message };
}

/** In the form that messages hold. */
function recipientOf(text: string, country: string | null): string | null {
  return (text.includes("@") ? emailAddress : whatsappRecipient).normalise(text, country);
}
