// BulkSMS JSON API (https://www.bulksms.com/developer/json/v1/): send, delivery reports, incoming messages. It removes duplicates for about
// 12 h by a number, which is derived from our id. By default long texts are truncated or refused, so each request says how many parts there
// may be. Registering a webhook tests it with an empty list.

import { createHash } from "node:crypto";
import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

/** A positive number of 63 bits. */
const numberOf = (id: string) =>
  String(createHash("sha256").update(id).digest().readBigUInt64BE() & 0x7fff_ffff_ffff_ffffn);

export const bulksms = defineHttpSms({
  kind: "bulksms",
  title: "BulkSMS",
  summary: "SMS through BulkSMS; a message whose answer was lost is repeated safely.",
  settings: smsSettings("https://api.bulksms.com", {
    token_id: z.string().min(1).describe("The id of an API token."),
    token_secret: secret().describe("The secret of that token."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  onUnknown: "resend",
  idempotencyWindowMs: 11 * 3_600_000,
  url: ({ base_url }) => joinUrl(base_url, "/v1/messages"),
  auth: ({ token_id, token_secret }) => basic(token_id, token_secret),
  request: ({ id, to, text, segments }, { from }, url) => ({
    url,
    query: { "deduplication-id": numberOf(id), "auto-unicode": true },
    json: { to, body: text, from, longMessageMaxParts: Math.max(3, segments) },
  }),
  answer: answerFormat({ vendor: "BulkSMS", reference: "$[0].id", text: ["$.detail", "$.title"] }),
  callback: {
    proofs: [token],
    receipt: {
      when: ["$.type", "SENT"],
      reference: "$.id",
      status: "$.status.id",
      words: wordReader({
        sent: ["SENT.*", "UNKNOWN.*"],
        delivered: ["DELIVERED.*"],
        undelivered: ["FAILED.EXPIRED", "FAILED.HANDSET_ERROR"],
        failed: ["FAILED.*"],
        ignored: ["ACCEPTED.*", "SCHEDULED.*"],
      }),
      code: "$.status.subtype",
    },
    inbound: {
      when: ["$.type", "RECEIVED"],
      id: "$.id",
      from: "$.from",
      to: "$.to",
      text: "$.body",
      replyTo: "$.relatedSentMessageId",
      withoutPlus: true,
    },
  },
});
