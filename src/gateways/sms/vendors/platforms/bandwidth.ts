// Bandwidth Messaging v2 (https://dev.bandwidth.com/apis/messaging/): send, events, incoming messages. Events go to the application's
// address with the user name and password that were entered there; `callback_token` is that password. OAuth2 is not offered.
// Unverified: that every event carries `tag`.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const bandwidth = defineHttpSms({
  kind: "bandwidth",
  title: "Bandwidth",
  summary: "SMS through Bandwidth, with delivery events and incoming messages.",
  settings: smsSettings("https://messaging.bandwidth.com", {
    account_id: z
      .string()
      .regex(/^\w{1,40}$/, "Must be an account id.")
      .describe("The id of the account."),
    application_id: z
      .string()
      .min(1)
      .describe("The messaging application, whose address receives the events."),
    username: z.string().min(1).describe("The user name of the API credentials."),
    password: secret().describe("The password of the API credentials."),
    from: fromField,
    callback_token: callbackTokenField,
  }),
  url: ({ base_url, account_id }) => joinUrl(base_url, `/api/v2/users/${account_id}/messages`),
  auth: ({ username, password }) => basic(username, password),
  request: ({ id, to, text }, { application_id, from }, url) => ({
    url,
    json: { applicationId: application_id, to: [to], from, text, tag: id },
  }),
  answer: answerFormat({
    vendor: "Bandwidth",
    reference: "$.id",
    code: "$.type",
    text: ["$.fieldErrors[0].description", "$.description"],
  }),
  callback: {
    proofs: [token],
    receipt: {
      reference: "$.message.id",
      id: "$.message.tag",
      status: "$.type",
      words: wordReader({
        sent: ["message-sent"],
        delivered: ["message-delivered"],
        undelivered: ["message-failed"],
        ignored: ["message-sending"],
      }),
      code: "$.errorCode",
      reason: "$.description",
      at: "$.time",
    },
    inbound: {
      when: ["$.type", "message-received"],
      id: "$.message.id",
      from: "$.message.from",
      to: "$.to",
      text: "$.message.text",
    },
  },
});
