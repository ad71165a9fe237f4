// Textmagic (https://docs.textmagic.com): send, status callbacks, incoming messages. A sender that is not allowed is replaced by another one
// without a word, and a text of more than six parts is refused. Callbacks as JSON or form are read, and not as multipart.
// Unverified: that the letters of the older API still hold.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const textmagic = defineHttpSms({
  kind: "textmagic",
  title: "Textmagic",
  summary: "SMS through Textmagic, with status callbacks and incoming messages.",
  settings: smsSettings("https://rest.textmagic.com", {
    username: z.string().min(1).describe("The user name of the account."),
    api_key: secret().describe("The API key of the account."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/api/v2/messages"),
  auth: ({ username, api_key }) => basic(username, api_key),
  request: ({ digits, text }, { from }, url) => ({
    url,
    json: { text, phones: digits, from, partsCount: 6 },
  }),
  answer: answerFormat({ vendor: "Textmagic", reference: "$.messageId", text: "$.message" }),
  callback: {
    proofs: [token],
    receipt: {
      reference: "$.id",
      status: "$.status",
      words: wordReader({
        sent: ["r", "a", "b", "u"],
        delivered: ["d"],
        undelivered: ["f", "j"],
        failed: ["e"],
        ignored: ["q", "s"],
      }),
    },
    inbound: {
      when: ["$.text"],
      id: "$.id",
      from: "$.sender",
      to: "$.receiver",
      text: "$.text",
      withoutPlus: true,
    },
  },
});
