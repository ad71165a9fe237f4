// ClickSend (https://developers.clicksend.com/docs): send, delivery receipts, incoming messages. The verdict is in a 200.
// THROTTLED means that the same text went to the same number a moment ago. Unverified: the numbers and fields of receipts, the fields of
// incoming messages, and COUNTRY_NOT_ENABLED.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { token } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const clicksend = defineHttpSms({
  kind: "clicksend",
  title: "ClickSend",
  summary: "SMS through ClickSend, with delivery receipts and incoming messages.",
  settings: smsSettings("https://rest.clicksend.com", {
    username: z.string().min(1).describe("The user name of the account."),
    api_key: secret().describe("The API key of the account."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/v3/sms/send"),
  auth: ({ username, api_key }) => basic(username, api_key),
  request: ({ id, to, text }, { from }, url) => ({
    url,
    json: { messages: [{ source: "trunkline", from, to, body: text, custom_string: id }] },
  }),
  answer: answerFormat({
    vendor: "ClickSend",
    verdict: { path: "$.data.messages[0].status", accepted: ["SUCCESS"] },
    reference: "$.data.messages[0].message_id",
    // For a 200, it only says that the request was read.
    code: (json, { status }) => (status < 400 ? null : textAt(json, "$.response_code")),
    faults: {
      permanent: ["INVALID_RECIPIENT", "EMPTY_MESSAGE", "MISSING_REQUIRED_FIELDS", "COUNTRY_NOT_ENABLED"],
      configuration: [
        "INSUFFICIENT_CREDIT",
        "INVALID_CREDENTIALS",
        "MISSING_CREDENTIALS",
        "ACCOUNT_NOT_ACTIVATED",
        "INVALID_SENDER_ID",
      ],
      duplicate: ["THROTTLED"],
    },
  }),
  callback: {
    proofs: [token],
    receipt: {
      reference: "$.message_id",
      id: "$.custom_string",
      status: "$.status_code",
      words: wordReader({
        sent: ["300"],
        delivered: ["201"],
        undelivered: ["301"],
        failed: ["302"],
        ignored: ["200"],
      }),
      code: "$.error_code",
      reason: "$.status_text",
    },
    inbound: {
      when: ["$.body"],
      id: "$.message_id",
      from: "$.from",
      to: "$.to",
      text: "$.body",
      replyTo: "$.original_message_id",
    },
  },
});
