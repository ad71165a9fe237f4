// Telnyx Messaging (https://developers.telnyx.com/api/messaging): send, signed delivery reports, incoming messages. Telnyx has no
// idempotency key; our id is part of the URL for reports. Unverified: the codes 20100, 40300, 40305, 40306 and 40310, and how a lack of
// funds is reported.

import { z } from "zod";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { bearer } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { atMessageUrl } from "#gateways/sms/engine/proof.ts";
import { ed25519 } from "#gateways/sms/engine/proof-ed25519.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

const settings = smsSettings("https://api.telnyx.com", {
  api_key: secret().describe("The API v2 key."),
  from: fromField.optional(),
  messaging_profile_id: z
    .string()
    .min(1)
    .optional()
    .describe("The messaging profile, which alphanumeric senders and number pools need."),
  public_key: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, "Must be 32 bytes in base64.")
    .optional()
    .describe("The public key of the portal, which verifies callbacks. Without it they are refused."),
}).refine(({ from, messaging_profile_id }) => from !== undefined || messaging_profile_id !== undefined, {
  path: ["from"],
  error: "Give `from` or `messaging_profile_id`.",
});

export const telnyx = defineHttpSms({
  kind: "telnyx",
  title: "Telnyx",
  summary: "SMS through Telnyx, with signed delivery reports and incoming messages.",
  settings,
  url: ({ base_url }) => joinUrl(base_url, "/v2/messages"),
  auth: ({ api_key }) => bearer(api_key),
  request: ({ to, text, reportUrl }, { from, messaging_profile_id }, url) => ({
    url,
    json: {
      from,
      messaging_profile_id,
      to,
      text,
      type: "SMS",
      ...(reportUrl === undefined ? {} : { webhook_url: reportUrl, use_profile_webhooks: false }),
    },
  }),
  answer: answerFormat({
    vendor: "Telnyx",
    reference: "$.data.id",
    code: "$.errors[0].code",
    text: ["$.errors[0].detail", "$.errors[0].title"],
    faults: {
      opted_out: [40300],
      permanent: [10001, 10002, 10016, 40001, 40008, 40009, 40012, 40310],
      configuration: [10009, 10010, 20100, 40013, 40305, 40306],
      transient: [10011, 40011, 40318],
    },
  }),
  callback: {
    proofs: [
      atMessageUrl(
        ed25519({
          key: ({ public_key }) => public_key,
          named: "public key",
          header: "telnyx-signature-ed25519",
          timeHeader: "telnyx-timestamp",
          separator: "|",
        }),
      ),
    ],
    receipt: {
      when: ["$.data.event_type", "message.sent", "message.finalized"],
      reference: "$.data.payload.id",
      status: "$.data.payload.to[0].status",
      words: wordReader({
        // Unconfirmed is how messages usually end where operators send no receipts.
        sent: ["sent", "delivery_unconfirmed"],
        delivered: ["delivered"],
        undelivered: ["delivery_failed", "expired"],
        failed: ["sending_failed"],
        ignored: ["queued", "sending"],
      }),
      code: "$.data.payload.errors[0].code",
      reason: "$.data.payload.errors[0].detail",
      at: "$.data.occurred_at",
    },
    inbound: {
      when: ["$.data.event_type", "message.received"],
      id: "$.data.payload.id",
      from: "$.data.payload.from.phone_number",
      to: "$.data.payload.to[0].phone_number",
      text: "$.data.payload.text",
    },
  },
});
