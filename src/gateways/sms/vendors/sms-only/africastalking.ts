// Africa's Talking SMS (https://developers.africastalking.com/docs/sms/overview): send, delivery reports, incoming messages, and
// opt-outs (http://docs.africastalking.com/sms/notifications), which name the sender and the person alone. The verdict is in a 201.
// Unverified: that 409 means do-not-disturb, and that a refused entry has the id "None".

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const africastalking = defineHttpSms({
  kind: "africastalking",
  title: "Africa's Talking",
  summary: "SMS through Africa's Talking, with delivery reports and incoming messages.",
  settings: smsSettings("https://api.africastalking.com", {
    username: z
      .string()
      .min(1)
      .describe("The user name of the application; `sandbox` with the sandbox's address."),
    api_key: secret().describe("The API key of the application."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/version1/messaging"),
  auth: ({ api_key }) => header("apikey", api_key),
  request: ({ to, text }, { username, from }, url) => ({
    url,
    form: { username, to, message: text, from, bulkSMSMode: 1, enqueue: 1 },
  }),
  answer: answerFormat({
    vendor: "Africa's Talking",
    verdict: { path: "$.SMSMessageData.Recipients[0].statusCode", accepted: ["100", "101", "102"] },
    reference: (json) => {
      const id = textAt(json, "$.SMSMessageData.Recipients[0].messageId");
      return id === "None" ? null : id;
    },
    // Without recipients the refusal is a word, such as InvalidSenderId.
    code: ["$.SMSMessageData.Recipients[0].statusCode", "$.SMSMessageData.Message"],
    text: ["$.SMSMessageData.Recipients[0].status", "$.SMSMessageData.Message"],
    faults: {
      permanent: [403, 404, 409, 502],
      opted_out: [406],
      configuration: [401, 402, 405, "InvalidSenderId"],
      transient: [407, 500, 501],
    },
  }),
  callback: {
    proofs: [token],
    receipt: {
      reference: "$.id",
      status: "$.status",
      words: wordReader({
        sent: ["Sent", "Submitted", "Buffered"],
        delivered: ["Success"],
        undelivered: ["Rejected", "Failed"],
      }),
      code: "$.failureReason",
      reason: "$.failureReason",
    },
    optOut: { when: ["$.senderId"], from: "$.phoneNumber", to: "$.senderId" },
    inbound: { when: ["$.text"], id: "$.id", from: "$.from", to: "$.to", text: "$.text" },
  },
});
