// A page of an account's messages by what is known of them. The storage is asked in short looks, and the bodies of
// a page have a bound, so a page may come back shorter than it was asked for, even empty, with a place to go on from.

import { normaliseAddress } from "#contract/address.ts";
import { type Channel, channels, type Status } from "#contract/messages/channel.ts";
import { toRecipient } from "#messaging/accept/phone.ts";
import { idAt, idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { bodyBytes } from "#store/email/emails.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { type Found, findOwnGateway, searchMessages } from "#store/messages/search.ts";

export interface MessageFilters {
  channel: Channel | null;
  status: Status | null;
  /** A gateway's identifier. */
  gateway: string | null;
  /** As people write it. */
  recipient: string | null;
  /** Epoch ms of acceptance: from the first on, before the second. */
  acceptedFrom: number | null;
  acceptedBefore: number | null;
}

export type Search =
  | { kind: "found"; rows: MessageRow[]; nextCursor: string | null }
  /** A filter that names nothing. */
  | { kind: "invalid"; field: "gateway" | "recipient" | "cursor"; message: string };

/** Rows of one look, and looks of one page: 100,000 rows at the most before the caller hears something. */
const rowsPerScan = 5_000;
const maxScans = 20;
/** Ids are made a moment after the instant that is kept as their messages' acceptance. */
const idSlackMs = 2_000;

/** The newest messages that fit, before the `cursor` that an earlier page gave. */
export async function search(
  database: Database,
  account: { id: string; country: string | null },
  filters: MessageFilters,
  page: { limit: number; cursor: string | null },
): Promise<Search> {
  const { status, acceptedFrom, acceptedBefore } = filters;
  // A cursor is an id of the page before, or a place that was looked to: it says nothing that the page did not.
  if (page.cursor !== null && idTime(page.cursor) === null)
    return invalid("cursor", "is none that was given");
  const recipient = filters.recipient === null ? null : recipientOf(filters.recipient, account.country);
  if (filters.recipient !== null && recipient === null)
    return invalid("recipient", "must be a phone number or an email address");
  let wanted: readonly Channel[] = filters.channel === null ? channels : [filters.channel];
  let gatewayId: string | null = null;
  if (filters.gateway !== null) {
    const identifier = filters.gateway;
    const gateway = await database.run(findOwnGateway, { accountId: account.id, identifier });
    if (!gateway) return invalid("gateway", "is no gateway of this account");
    if (!wanted.includes(gateway.channel)) return { kind: "found", rows: [], nextCursor: null };
    gatewayId = gateway.id;
    wanted = [gateway.channel];
  }
  const end = acceptedBefore === null ? "msg_~" : idAt("msg", acceptedBefore + idSlackMs);
  const rows: MessageRow[] = [];
  let before: string | null = page.cursor !== null && page.cursor < end ? page.cursor : end;
  let bytes = bodyBytes;
  for (let look = 0; before !== null && bytes > 0 && rows.length <= page.limit && look < maxScans; look++) {
    const found: Found = await database.run(searchMessages, {
      accountId: account.id,
      channels: wanted,
      status,
      gatewayId,
      recipient,
      from: acceptedFrom === null ? "msg_" : idAt("msg", acceptedFrom),
      before,
      acceptedFrom,
      acceptedBefore,
      limit: page.limit + 1 - rows.length,
      most: rowsPerScan,
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

/** As messages have it. */
function recipientOf(text: string, country: string | null): string | null {
  if (text.includes("@")) return normaliseAddress(text.trim());
  return toRecipient(text, country)?.recipient ?? null;
}
