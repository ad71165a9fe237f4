// A message as Twilio's API shows it: https://www.twilio.com/docs/messaging/api/message-resource#message-properties

import type { Account } from "#accounts/account.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import { addressOf } from "#contract/twilio/addresses.ts";
import { sidOf } from "#contract/twilio/sids.ts";
import { twilioErrorCode, twilioStatuses } from "#contract/twilio/statuses.ts";
import { twilioVersion } from "#webhooks/twilio-request.ts";
import { type Senders, senderAddress } from "./senders.ts";

/** The path of a message below the address of the API, as Twilio's `uri` has it. */
export const messageUri = (accountSid: string, sid: string) =>
  `/${twilioVersion}/Accounts/${accountSid}/Messages/${sid}.json`;

/** Twilio's dates, which its packages parse exactly so: `Thu, 01 Jan 2026 00:00:00 +0000`. */
export const twilioDate = (instant: string | null): string | null =>
  instant === null ? null : new Date(instant).toUTCString().replace("GMT", "+0000");

/** The record of an SMS or WhatsApp message in Twilio's shape. There are no prices, since a gateway's vendor has them. */
export function messageResource(
  record: Exclude<MessageRecord, { channel: "email" }>,
  { account, accountSid, senders }: { account: Account; accountSid: string; senders: Senders },
) {
  const { channel, gateway_identifier: identifier, error } = record;
  const sid = sidOf("SM", record.id);
  const gateway = account.gateways.find((each) => each.identifier === identifier);
  const code = twilioErrorCode(record.status, error?.code ?? null);
  return {
    sid,
    account_sid: accountSid,
    api_version: twilioVersion,
    body: record.message,
    date_created: twilioDate(record.created_at),
    date_sent: twilioDate(record.sent_at),
    date_updated: twilioDate(record.updated_at),
    direction: "outbound-api",
    error_code: code,
    error_message: code === null ? null : (error?.message ?? null),
    from: senderAddress(channel, identifier, senders),
    messaging_service_sid: gateway === undefined ? null : sidOf("MG", gateway.id),
    num_media: channel === "whatsapp" && record.media !== null ? "1" : "0",
    num_segments: channel === "sms" ? String(record.segments) : "1",
    price: null,
    price_unit: null,
    status: twilioStatuses[record.status] as string,
    subresource_uris: {},
    to: addressOf(channel, record.recipient),
    uri: messageUri(accountSid, sid),
  };
}
