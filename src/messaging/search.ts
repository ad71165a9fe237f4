// Searches an account's messages by filters. One page takes a bounded number of short scans and a bounded number of bytes of bodies, so it
// may be shorter than its limit, even empty, and still have a cursor to continue from.

import { type Channel, channels, type Status } from "#contract/messages/channel.ts";
import { priorities } from "#queue/priority.ts";
import { idAt, idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import { maxPageBodyBytes } from "#store/email/emails.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { findRequest } from "#store/messages/requests.ts";
import {
  findAccountGateway,
  findReferenced,
  type Narrowing,
  type SearchPage,
  searchMessages,
} from "#store/messages/search.ts";
import { type DuePlace, searchDue } from "#store/messages/search-due.ts";
import { emailAddress, whatsappRecipient } from "./recipients.ts";
import { idSlackMs, messagesAround } from "./requests.ts";

export interface MessageFilters {
  channel: Channel | null;
  statuses: readonly Status[] | null;
  /** A gateway's identifier. */
  gateway: string | null;
  /** An address or a number in any spelling. */
  recipient: string | null;
  /** Epoch ms of acceptance: at or after the first, before the second. */
  acceptedFrom: number | null;
  acceptedBefore: number | null;
  /** The id of a request. */
  request?: string | undefined;
  test?: boolean | undefined;
  /** The error code of messages. */
  error?: string | undefined;
  /** The caller's own reference of a message, or the provider's id. */
  reference?: string | undefined;
  /** Whether they came from a restored backup and wait for an operator's decision. */
  held?: boolean | undefined;
}

/** Epoch ms: due at or after the first, before the second; null for no limit. */
interface DueRange {
  from: number | null;
  before: number | null;
}

type SearchField = "gateway" | "recipient" | "request" | "cursor" | "order";

type Search =
  | {
      kind: "found";
      rows: MessageRow[];
      nextCursor: string | null;
      /**
       * How far the page got: the acceptance of a message, or, with the soonest first, when one is due; epoch ms. Null if it covered
       * everything.
       */
      searchedUntil: number | null;
    }
  /** A filter that matches nothing. */
  | { kind: "invalid"; field: SearchField; message: string };

/** A page reads at most 100,000 rows before the caller gets a reply. */
const rowsPerScan = 5_000;
const maxScans = 20;
/** No index contains the error code: in a million messages one scan takes some 140 ms, and 20 scans blocked the reader for 3 s. */
const maxErrorScans = 1;

/** The newest matching messages before the `cursor` of an earlier page. */
export async function search(
  database: Database,
  account: { id: string; country: string | null },
  filters: MessageFilters,
  page: { limit: number; cursor: string | null; brief?: boolean },
): Promise<Search> {
  const { statuses, acceptedFrom, acceptedBefore, test, error, held } = filters;
  // A cursor is an id of the previous page or the end of its last scan, so it reveals nothing new.
  if (page.cursor !== null && idTime(page.cursor) === null)
    return invalid("cursor", "is not a cursor of this list");
  const recipient = filters.recipient === null ? null : recipientOf(filters.recipient, account.country);
  if (filters.recipient !== null && recipient === null) {
    const advice = whatsappRecipient.adviceOn(filters.recipient, account.country);
    const message = "must be a phone number or an email address";
    return invalid("recipient", advice === "" ? message : `${message}. ${advice}`);
  }
  const place = await placeOf(database, account, filters);
  if ("kind" in place) return place;
  const { channels: searched, gatewayId, requestedAt } = place;
  const narrowing: Narrowing = {};
  let from = acceptedFrom === null ? "msg_" : idAt("msg", acceptedFrom);
  let end = acceptedBefore === null ? "msg_~" : idAt("msg", acceptedBefore + idSlackMs);
  if (filters.request !== undefined && requestedAt !== null) {
    // The ids of a request's messages are close to its time, so it needs no index.
    narrowing.requestId = filters.request;
    const around = messagesAround(requestedAt);
    from = later(from, around.from);
    end = earlier(end, around.before);
  }
  if (test !== undefined) narrowing.test = test;
  if (error !== undefined) narrowing.errorCode = error;
  if (held !== undefined) narrowing.held = held;
  if (filters.reference !== undefined) {
    const { reference } = filters;
    narrowing.ids = await database.run(findReferenced, { accountId: account.id, reference, limit: 200 });
    if (narrowing.ids.length === 0) return foundBefore([], null);
  }
  const isNarrowed = Object.keys(narrowing).length > 0;
  const rows: MessageRow[] = [];
  let before: string | null = page.cursor !== null && page.cursor < end ? page.cursor : end;
  let bytes = maxPageBodyBytes;
  const scans = error === undefined ? maxScans : maxErrorScans;
  for (let scan = 0; before !== null && bytes > 0 && rows.length <= page.limit && scan < scans; scan++) {
    const found: SearchPage = await database.run(searchMessages, {
      accountId: account.id,
      channels: searched,
      statuses,
      gatewayId,
      recipient,
      from,
      before,
      acceptedFrom,
      acceptedBefore,
      limit: page.limit + 1 - rows.length,
      maxScanned: rowsPerScan,
      bytes,
      ...(isNarrowed ? { narrowing } : {}),
      ...(page.brief === true ? { brief: true } : {}),
    });
    rows.push(...found.rows);
    before = found.lookedTo;
    bytes = found.bytesLeft;
  }
  if (rows.length > page.limit) {
    const shown = rows.slice(0, page.limit);
    return foundBefore(shown, shown.at(-1)?.id ?? null);
  }
  return foundBefore(rows, before);
}

/** A page, newest first. `before`: the id where it ended. */
function foundBefore(rows: MessageRow[], before: string | null): Search {
  return {
    kind: "found",
    rows,
    nextCursor: before,
    // Ids sort by the time in them, which is that of the acceptance except for a moment.
    searchedUntil: before === null ? null : idTime(before),
  };
}

const later = (one: string, other: string) => (one > other ? one : other);
const earlier = (one: string, other: string) => (one < other ? one : other);

/** The channels, gateway and request that the filters name; a result, if they name nothing. */
async function placeOf(
  database: Database,
  account: { id: string },
  filters: Pick<MessageFilters, "channel" | "gateway" | "request">,
): Promise<Search | { channels: readonly Channel[]; gatewayId: string | null; requestedAt: number | null }> {
  let searched: readonly Channel[] = filters.channel === null ? channels : [filters.channel];
  let gatewayId: string | null = null;
  let requestedAt: number | null = null;
  if (filters.gateway !== null) {
    const identifier = filters.gateway;
    const gateway = await database.run(findAccountGateway, { accountId: account.id, identifier });
    if (!gateway) return invalid("gateway", "is not a gateway of this account");
    if (!searched.includes(gateway.channel)) return foundBefore([], null);
    gatewayId = gateway.id;
    searched = [gateway.channel];
  }
  if (filters.request !== undefined) {
    const request = await database.run(findRequest, { accountId: account.id, id: filters.request });
    requestedAt = request?.created_at ?? null;
    if (requestedAt === null) return invalid("request", "is not a request of this account");
  }
  return { channels: searched, gatewayId, requestedAt };
}

/** Rows of one gateway and priority that one page reads; each is narrow, and in one index. */
const dueRowsPerStretch = 500;

/** The waiting messages, soonest due first, after the `cursor` of an earlier page. Emails come without their bodies. */
export async function searchDueMessages(
  database: Database,
  account: { id: string },
  filters: MessageFilters,
  range: DueRange,
  page: { limit: number; cursor: string | null },
): Promise<Search> {
  const after = page.cursor === null ? null : duePlaceOf(page.cursor);
  if (page.cursor !== null && after === null) return invalid("cursor", "is not a cursor of this list");
  const { recipient, error, reference, held, acceptedFrom, acceptedBefore } = filters;
  if ([recipient, acceptedFrom, acceptedBefore].some((value) => value !== null) || error !== undefined)
    return invalid("order", `\`due\` goes with ${dueFilters} alone`);
  if (reference !== undefined || held !== undefined)
    return invalid("order", `\`due\` goes with ${dueFilters} alone`);
  const place = await placeOf(database, account, filters);
  if ("kind" in place) return place;
  const { rows, lookedTo } = await database.run(searchDue, {
    accountId: account.id,
    channels: place.channels,
    statuses: filters.statuses,
    gatewayId: place.gatewayId,
    requestId: filters.request ?? null,
    test: filters.test ?? null,
    from: range.from ?? 0,
    before: range.before ?? Number.MAX_SAFE_INTEGER,
    after,
    priorities,
    limit: page.limit,
    maxScanned: Math.max(dueRowsPerStretch, page.limit + 1),
  });
  return {
    kind: "found",
    rows,
    nextCursor: lookedTo === null ? null : `${lookedTo.dueAt}_${lookedTo.id}`,
    searchedUntil: lookedTo?.dueAt ?? null,
  };
}

const dueFilters = "channel, status, gateway, request, test, due_from and due_to";

function duePlaceOf(cursor: string): DuePlace | null {
  const parts = /^(\d{1,15})_(msg_.+)$/.exec(cursor);
  const [, dueAt = "", id = ""] = parts ?? [];
  return idTime(id) === null ? null : { dueAt: Number(dueAt), id };
}

function invalid(field: SearchField, message: string): Search {
  return { kind: "invalid", field, message };
}

/** In the form that messages use. */
function recipientOf(text: string, country: string | null): string | null {
  return (text.includes("@") ? emailAddress : whatsappRecipient).normalise(text, country);
}
