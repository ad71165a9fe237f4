// A page of messages, as Twilio's packages read and follow it: https://www.twilio.com/docs/usage/twilios-response#pagination

import type { Account } from "#accounts/account.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { spellingOf } from "#contract/spelling.ts";
import { readAddress, type TwilioChannel } from "#contract/twilio/addresses.ts";
import { idOfSid, sidOf } from "#contract/twilio/sids.ts";
import type { Call } from "#http/call.ts";
import { queryOf } from "#http/request.ts";
import { normaliseRecipient } from "#messaging/channels.ts";
import { recentAmong } from "#messaging/lookup.ts";
import { twilioVersion } from "#webhooks/twilio-request.ts";
import type { TwilioCaller } from "./caller.ts";
import { misspelt, TwilioRefusal } from "./errors.ts";
import { messageResource } from "./resource.ts";
import { gatewayOfSender, type Senders, sendersOf } from "./senders.ts";

const defaultPageSize = 50;
/** Twilio's is 1,000: a message may have 64 KiB here. Packages follow the pages however long they are. */
const maxPageSize = 200;
/** The parameters that the address of the next page repeats. */
const filterNames = ["To", "From", "DateSent", "DateSent<", "DateSent>"] as const;
// Of the three that have the same letters, the last is what another spelling of them is compared to.
const meantBy = spellingOf([...filterNames, "DateSent", "Page", "PageSize", "PageToken"]);

const dayMs = 86_400_000;

/**
 * The instants that a date (`2026-01-31`, UTC) or a time in ISO 8601 means: from, and before. Twilio's packages write the date of
 * `DateSent` as the time at which it begins, so that is a day too.
 */
function rangeOf(name: string, text: string): [from: number, before: number] {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  const at = isDay || isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new TwilioRefusal("invalidParameter", `The ${name} must be a date, such as 2030-01-31.`);
  const lengthMs = isDay || name === "DateSent" ? dayMs : 1000;
  const from = Math.floor(at / lengthMs) * lengthMs;
  return [from, from + lengthMs];
}

function times(query: URLSearchParams): { acceptedFrom: number | null; acceptedBefore: number | null } {
  const froms: number[] = [];
  const befores: number[] = [];
  for (const name of ["DateSent", "DateSent>", "DateSent<"]) {
    const text = query.get(name);
    if (text === null || text === "") continue;
    const [from, before] = rangeOf(name, text);
    if (name !== "DateSent<") froms.push(from);
    if (name !== "DateSent>") befores.push(before);
  }
  return {
    acceptedFrom: froms.length === 0 ? null : Math.max(...froms),
    acceptedBefore: befores.length === 0 ? null : Math.min(...befores),
  };
}

/** Whom a list is about; null if its filters exclude each other. */
function subjectOf(account: Account, query: URLSearchParams, senders: Senders) {
  const to = query.get("To") || null;
  const from = query.get("From") || null;
  let channels: readonly TwilioChannel[] = ["sms", "whatsapp"];
  let recipient: string | null = null;
  let gatewayId: string | null = null;
  if (to !== null) {
    const address = readAddress(to);
    channels = [address.channel];
    recipient = normaliseRecipient(address.channel, address.text, account.country);
    if (recipient === null) throw new TwilioRefusal("invalidTo", "The To must be a valid phone number.");
  }
  if (from !== null) {
    const address = readAddress(from);
    const gateways = account.gateways.filter(({ channel }) => channel === address.channel);
    gatewayId = gatewayOfSender(account, gateways, address.text, senders)?.id ?? null;
    if (gatewayId === null || !channels.includes(address.channel)) return null;
    channels = [address.channel];
  }
  return { channels: channels as readonly Channel[], recipient, gatewayId };
}

function pageSizeOf(query: URLSearchParams): number {
  const text = query.get("PageSize") || String(defaultPageSize);
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw new TwilioRefusal("invalidParameter", "The PageSize must be a number of 1 or more.");
  return Math.min(size, maxPageSize);
}

/** The number of the page, and the message that was the last of the page before. */
function placeOf(query: URLSearchParams): { page: number; cursor: string | null } {
  const text = query.get("Page") || "0";
  const token = query.get("PageToken") || null;
  const page = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  const cursor = token === null ? null : idOfSid("SM", token.slice(2), "msg");
  const isKnown = token === null ? page === 0 : cursor !== null && token.startsWith("PA");
  if (page < 0 || !isKnown)
    throw new TwilioRefusal(
      "invalidParameter",
      "Pages after the first are at the next_page_uri of the page before: Page needs its PageToken.",
    );
  return { page, cursor };
}

/** The page that the query asks for. */
export async function listMessages({ core, request }: Call, { account, accountSid }: TwilioCaller) {
  const query = queryOf(request);
  for (const name of query.keys()) {
    const meant = meantBy(name);
    if (meant !== null) throw misspelt(meant, name);
  }
  const pageSize = pageSizeOf(query);
  const { page, cursor } = placeOf(query);
  const range = times(query);
  const senders = await sendersOf(core, account);
  const subject = subjectOf(account, query, senders);
  const found =
    subject === null
      ? { records: [], nextCursor: null }
      : await recentAmong(
          core,
          account,
          { ...subject, ...range, statuses: null },
          { limit: pageSize, cursor },
        );
  const uri = (number: number, after: string | null) => {
    const next = new URLSearchParams();
    for (const name of filterNames) if (query.get(name)) next.set(name, query.get(name)!);
    next.set("PageSize", String(pageSize));
    next.set("Page", String(number));
    if (after !== null) next.set("PageToken", `PA${sidOf("SM", after)}`);
    return `/${twilioVersion}/Accounts/${accountSid}/Messages.json?${next}`;
  };
  const messages = found.records.flatMap((record) =>
    record.channel === "email" ? [] : [messageResource(record, { account, accountSid, senders })],
  );
  return {
    messages,
    page,
    page_size: pageSize,
    start: page * pageSize,
    end: page * pageSize + Math.max(0, messages.length - 1),
    uri: uri(page, cursor),
    first_page_uri: uri(0, null),
    next_page_uri: found.nextCursor === null ? null : uri(page + 1, found.nextCursor),
    previous_page_uri: null,
  };
}
