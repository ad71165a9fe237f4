// Vonage Messages API (https://developer.vonage.com/en/api/messages): send, signed status callbacks, incoming messages. There is
// no idempotency key; `client_ref` brings our id back. The older SMS API, which answers 200 to everything, is not offered.

import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { jwt } from "#gateways/sms/engine/proof-jwt.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const vonage = defineHttpSms({
  kind: "vonage",
  title: "Vonage",
  summary: "SMS through Vonage's Messages API, with signed status callbacks and incoming messages.",
  settings: smsSettings("https://api.nexmo.com", {
    api_key: fromField.describe("The API key of the account."),
    api_secret: secret().describe("The API secret of the account."),
    signature_secret: secret()
      .optional()
      .describe(
        "The signature secret of the account, which verifies callbacks. Without it they are refused.",
      ),
    from: fromField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/v1/messages"),
  auth: ({ api_key, api_secret }) => basic(api_key, api_secret),
  request: ({ digits, text, id, callbackUrl }, { from }, url) => ({
    url,
    json: {
      message_type: "text",
      channel: "sms",
      to: digits,
      from: from.replace(/^\+/, ""),
      text,
      client_ref: id,
      sms: { encoding_type: "auto" },
      ...(callbackUrl === null ? {} : { webhook_url: callbackUrl, webhook_version: "v1" }),
    },
  }),
  answer: answerFormat({
    vendor: "Vonage",
    reference: "$.message_uuid",
    // The type is the URL of a page, and the code its fragment.
    code: (json) => /#(\d{1,6})$/.exec(textAt(json, "$.type") ?? "")?.[1] ?? null,
    text: ["$.detail", "$.title"],
    faults: {
      permanent: [1020, 1021, 1022, 1040, 1050, 1090, 1130, 1010],
      configuration: [1060, 1070, 1080, 1120],
      transient: [1000, 1100],
      ambiguous: [1030],
    },
  }),
  callback: {
    proofs: [
      jwt({
        secret: ({ signature_secret }) => signature_secret,
        named: "signature secret",
        header: "authorization",
        payloadHash: "payload_hash",
        maxAgeSeconds: 86_400,
        // After an error on Vonage's side a callback is unsigned; if it is refused with 5xx, it is repeated with a signature.
        unsigned: "unavailable",
      }),
    ],
    receipt: {
      reference: "$.message_uuid",
      id: "$.client_ref",
      status: "$.status",
      words: wordReader({
        sent: ["submitted"],
        delivered: ["delivered"],
        read: ["read"],
        undelivered: ["rejected"],
        failed: ["undeliverable"],
      }),
      code: (report) => /#(\d{1,6})$/.exec(textAt(report, "$.error.type") ?? "")?.[1] ?? null,
      reason: (report) => textAt(report, "$.error.detail") ?? textAt(report, "$.error.title"),
      at: "$.timestamp",
      // Throttled, and no balance or quota.
      accountFaults: { codes: ["1000", "1070"] },
    },
    inbound: {
      when: ["$.message_type", "text"],
      id: "$.message_uuid",
      from: "$.from",
      to: "$.to",
      text: "$.text",
      withoutPlus: true,
    },
  },
});
