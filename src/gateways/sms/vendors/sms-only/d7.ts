// D7 Networks Messaging (https://d7networks.com/docs): send and delivery receipts. Incoming messages are not read: their fields were not
// found. Unverified: the codes of errors, so that their status decides.

import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { bearer } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const d7 = defineHttpSms({
  kind: "d7",
  title: "D7 Networks",
  summary: "SMS through D7 Networks, with delivery receipts.",
  settings: smsSettings("https://api.d7networks.com", {
    api_token: secret().describe("The API token."),
    from: fromField,
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/messages/v1/send"),
  auth: ({ api_token }) => bearer(api_token),
  request: ({ to, text, reportUrl }, { from }, url) => ({
    url,
    json: {
      messages: [{ channel: "sms", recipients: [to], content: text, msg_type: "text", data_coding: "auto" }],
      message_globals: { originator: from, report_url: reportUrl },
    },
  }),
  answer: answerFormat({
    vendor: "D7",
    reference: "$.request_id",
    code: ["$.detail.code", "$.detail[0].type"],
    text: ["$.detail.message", "$.detail[0].msg"],
  }),
  callback: {
    proofs: tokenProofs,
    receipt: {
      reference: "$.request_id",
      status: "$.status",
      words: wordReader({
        sent: ["sent"],
        delivered: ["delivered"],
        // The documentation uses both spellings.
        undelivered: ["undelivered", "un_delivered"],
        ignored: ["scheduled"],
      }),
    },
  },
});
