// MessageBird SMS (https://developers.messagebird.com/api/sms-messaging/): send, signed status reports, incoming messages. Without
// `reference` MessageBird reports nothing. Unverified: the codes of errors, `statusReason` and `statusErrorCode` of reports, and the
// fields of incoming messages.

import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { jwt } from "#gateways/sms/engine/proof-jwt.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const messagebird = defineHttpSms({
  kind: "messagebird",
  title: "MessageBird",
  summary: "SMS through MessageBird, with signed status reports and incoming messages.",
  settings: smsSettings("https://rest.messagebird.com", {
    access_key: secret().describe("The live access key."),
    signing_key: secret()
      .optional()
      .describe("The signing key of the account, which verifies callbacks. Without it they are refused."),
    from: fromField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/messages"),
  auth: ({ access_key }) => header("authorization", `AccessKey ${access_key}`),
  request: ({ id, digits, text, callbackUrl }, { from }, url) => ({
    url,
    json: {
      originator: from,
      recipients: [digits],
      body: text,
      type: "sms",
      datacoding: "auto",
      reference: id,
      reportUrl: callbackUrl ?? undefined,
    },
  }),
  answer: answerFormat({
    vendor: "MessageBird",
    reference: "$.id",
    code: "$.errors[0].code",
    text: "$.errors[0].description",
    faults: { permanent: [9, 10, 21], configuration: [2, 20, 25, 98], ambiguous: [99] },
  }),
  callback: {
    proofs: [
      jwt({
        secret: ({ signing_key }) => signing_key,
        named: "signing key",
        header: "messagebird-signature-jwt",
        algorithms: ["HS256", "HS384", "HS512"],
        issuer: "MessageBird",
        payloadHash: "payload_hash",
        urlHash: "url_hash",
      }),
    ],
    receipt: {
      reference: "$.id",
      id: "$.reference",
      status: "$.status",
      words: wordReader({
        sent: ["sent"],
        delivered: ["delivered"],
        undelivered: ["expired", "delivery_failed"],
        ignored: ["scheduled", "buffered"],
      }),
      code: "$.statusErrorCode",
      reason: "$.statusReason",
      at: "$.statusDatetime",
    },
    inbound: {
      when: ["$.originator"],
      id: "$.id",
      from: "$.originator",
      to: "$.recipient",
      text: "$.body",
      withoutPlus: true,
    },
  },
});
