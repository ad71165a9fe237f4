// SMSGlobal REST API (https://www.smsglobal.com/rest-api/): send with a MAC in each request, delivery receipts, incoming messages. It repeats a
// callback until the answer is the word OK. `notifyUrl` works only where the account has it switched on; the receipts of the account are
// read as well. Unverified: the shape of answers, the words of `status`, and the fields of incoming messages. Each part of a long text has
// a receipt of its own, and the first one counts.

import { callbackTokenField } from "#gateways/callback-token.ts";
import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { mac } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const smsglobal = defineHttpSms({
  kind: "smsglobal",
  title: "SMSGlobal",
  summary: "SMS through SMSGlobal, with delivery receipts and incoming messages.",
  settings: smsSettings("https://api.smsglobal.com", {
    api_key: fromField.describe("The REST API key."),
    api_secret: secret().describe("The secret of that key."),
    from: fromField,
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/v2/sms"),
  auth: ({ api_key, api_secret }) => mac(api_key, api_secret),
  request: ({ digits, text, reportUrl }, { from }, url) => ({
    url,
    json: { origin: from, destination: digits, message: text, notifyUrl: reportUrl },
  }),
  answer: answerFormat({
    vendor: "SMSGlobal",
    reference: (json) => textAt(json, "$.messages[0].outgoing_id") ?? textAt(json, "$.messages[0].id"),
    text: "$.errors",
  }),
  callback: {
    proofs: tokenProofs,
    receipt: {
      reference: (report) => textAt(report, "$.outgoing_id") ?? textAt(report, "$.msgid"),
      status: (report) => textAt(report, "$.status") ?? textAt(report, "$.dlrstatus"),
      words: wordReader({
        sent: ["sent", "ACCEPTD"],
        delivered: ["delivered", "DELIVRD"],
        undelivered: ["undelivered", "expired", "UNDELIV", "REJECTD"],
        failed: ["failed"],
        ignored: ["processing", "scheduled"],
      }),
      code: "$.dlr_err",
    },
    inbound: { when: ["$.msg"], from: "$.from", to: "$.to", text: "$.msg", at: "$.date", withoutPlus: true },
    reply: { contentType: "text/plain", body: "OK" },
  },
});
