// 46elks (https://46elks.com/docs): send, delivery reports, incoming messages. A text in our answer to an incoming message would be sent
// back as an SMS, so answers are empty. Unverified: that a lack of credit is a 403, which pauses the gateway as every 403 does.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const elks = defineHttpSms({
  kind: "46elks",
  title: "46elks",
  summary: "SMS through 46elks, with delivery reports and incoming messages.",
  settings: smsSettings("https://api.46elks.com", {
    api_username: z.string().min(1).describe("The API user name of the account."),
    api_password: secret().describe("The API password of the account."),
    from: fromField,
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/a1/sms"),
  auth: ({ api_username, api_password }) => basic(api_username, api_password),
  request: ({ to, text, reportUrl }, { from }, url) => ({
    url,
    form: { from, to, message: text, whendelivered: reportUrl },
  }),
  answer: answerFormat({ vendor: "46elks", reference: "$.id" }),
  callback: {
    proofs: tokenProofs,
    receipt: {
      reference: "$.id",
      status: "$.status",
      words: wordReader({
        sent: ["sent"],
        delivered: ["delivered"],
        undelivered: ["failed"],
        ignored: ["created"],
      }),
    },
    inbound: { when: ["$.message"], id: "$.id", from: "$.from", to: "$.to", text: "$.message" },
  },
});
