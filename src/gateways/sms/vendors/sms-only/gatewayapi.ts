// GatewayAPI, its REST API (https://gatewayapi.com/docs/apis/rest/): send, signed status notifications, incoming messages. The signature is
// a token whose claims are the event: the body is not authenticated and not read. The API sends GSM-7 unless the request says otherwise.
// Unverified: the status words, and the codes of errors, so that their status decides.

import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { jwt } from "#gateways/sms/engine/proof-jwt.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const gatewayapi = defineHttpSms({
  kind: "gatewayapi",
  title: "GatewayAPI",
  summary: "SMS through GatewayAPI, with signed status notifications and incoming messages.",
  settings: smsSettings("https://gatewayapi.com", {
    token: secret().describe("The API token."),
    webhook_secret: secret()
      .optional()
      .describe("The secret of the webhook, which verifies callbacks. Without it they are refused."),
    from: fromField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/rest/mtsms"),
  auth: ({ token }) => header("authorization", `Token ${token}`),
  request: ({ id, digits, text, encoding, callbackUrl }, { from }, url) => ({
    url,
    json: {
      // A plus counts among the 15 characters of a sender.
      sender: from.replace(/^\+(?=\d+$)/, ""),
      message: text,
      recipients: [{ msisdn: Number(digits) }],
      userref: id,
      encoding: encoding === "ucs2" ? "UCS2" : undefined,
      callback_url: callbackUrl ?? undefined,
    },
  }),
  answer: answerFormat({
    vendor: "GatewayAPI",
    reference: "$.ids[0]",
    code: "$.code",
    text: "$.message",
  }),
  callback: {
    proofs: [
      jwt({
        secret: ({ webhook_secret }) => webhook_secret,
        named: "webhook secret",
        header: "x-gwapi-signature",
        claimsAreEvent: true,
      }),
    ],
    receipt: {
      reference: "$.id",
      id: "$.userref",
      status: "$.status",
      words: wordReader({
        sent: ["ENROUTE", "ACCEPTED", "UNKNOWN"],
        delivered: ["DELIVERED"],
        undelivered: ["EXPIRED", "UNDELIVERABLE", "REJECTED"],
        failed: ["SKIPPED", "DELETED"],
        ignored: ["SCHEDULED", "BUFFERED"],
      }),
      code: "$.code",
      reason: "$.error",
      at: "$.time",
    },
    inbound: {
      when: ["$.receiver"],
      id: "$.id",
      from: "$.msisdn",
      to: "$.receiver",
      text: "$.message",
      withoutPlus: true,
    },
  },
});
