// Clickatell One API (https://docs.clickatell.com/channels/one-api/): send, status callbacks, incoming messages. A 207 may hold a refusal.
// Unverified: the address, the bare key in the header, the shape of answers, and the envelope of callbacks; statuses are read with it and
// without it.

import { callbackTokenField } from "#gateways/callback-token.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

const update = (name: string) => (report: Json) =>
  textAt(report, `$.event.messageStatusUpdate[0].${name}`) ?? textAt(report, `$.${name}`);

export const clickatell = defineHttpSms({
  kind: "clickatell",
  title: "Clickatell",
  summary: "SMS through Clickatell's One API, with status callbacks and incoming messages.",
  settings: smsSettings("https://platform.clickatell.com", {
    api_key: secret().describe("The API key of the integration."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/v1/message"),
  auth: ({ api_key }) => header("authorization", api_key),
  request: ({ id, digits, text }, { from }, url) => ({
    url,
    json: { messages: [{ channel: "sms", to: digits, from, content: text, clientMessageId: id }] },
  }),
  answer: answerFormat({
    vendor: "Clickatell",
    verdict: { path: "$.messages[0].accepted", accepted: ["true"] },
    reference: "$.messages[0].apiMessageId",
    code: ["$.messages[0].error.code", "$.error.code"],
    text: ["$.messages[0].error.description", "$.error.description"],
    faults: {
      opted_out: [26],
      permanent: [21, 22, 23, 24, 25, 27, 30, 40, 100],
      // 110 and 111 are limits of the account in the USA.
      configuration: [1, 2, 3, 7, 20, 38, 39, 44, 45, 46, 110, 111],
      transient: [19, 43],
      ambiguous: [18],
    },
  }),
  callback: {
    proofs: [token],
    receipt: {
      reference: update("messageId"),
      id: update("clientMessageId"),
      status: update("statusCode"),
      words: wordReader({
        sent: ["1", "4"],
        delivered: ["5"],
        read: ["6"],
        undelivered: ["20", "23", "29"],
        failed: ["21", "22", "25", "26", "27", "28", "100"],
        ignored: ["2", "3"],
      }),
      code: update("status"),
      reason: update("statusDescription"),
    },
    inbound: {
      when: ["$.event.moText[0].messageId"],
      id: "$.event.moText[0].messageId",
      from: "$.event.moText[0].from",
      to: "$.event.moText[0].to",
      text: "$.event.moText[0].content",
      withoutPlus: true,
    },
  },
});
