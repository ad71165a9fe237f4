// Sinch SMS (https://developers.sinch.com/docs/sms/api-reference/): send, delivery reports, incoming messages. A batch has one recipient, so
// its id is the message's. Callbacks are signed only for accounts that asked for it: with `webhook_secret` every call must be.
// Unverified: the codes of errors, so that their status decides.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { bearer } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { hmac } from "#gateways/sms/engine/proof-hmac.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

const settings = smsSettings("https://us.sms.api.sinch.com", {
  service_plan_id: z
    .string()
    .regex(/^[\w-]{1,64}$/, "Must be the id of a service plan.")
    .describe("The id of the service plan."),
  api_token: secret().describe("The API token of the service plan."),
  webhook_secret: secret()
    .optional()
    .describe(
      "Verifies callbacks, where Sinch signs them for the account. With it unsigned ones are refused.",
    ),
  from: fromField,
  callback_token: callbackTokenField,
});

const signed = hmac<z.output<typeof settings>>({
  secret: ({ webhook_secret }) => webhook_secret,
  named: "webhook secret",
  hash: "sha256",
  encoding: "base64",
  header: "x-sinch-webhook-signature",
  covers: "body",
  of: ({ headers, body }) => {
    const nonce = headers["x-sinch-webhook-signature-nonce"];
    const time = headers["x-sinch-webhook-signature-timestamp"];
    return nonce === undefined || time === undefined ? null : [body, `.${nonce}.${time}`];
  },
  timeHeader: "x-sinch-webhook-signature-timestamp",
});

export const sinch = defineHttpSms({
  kind: "sinch",
  title: "Sinch",
  summary: "SMS through Sinch, with delivery reports and incoming messages.",
  settings,
  url: ({ base_url, service_plan_id }) => joinUrl(base_url, `/xms/v1/${service_plan_id}/batches`),
  auth: ({ api_token }) => bearer(api_token),
  request: ({ digits, text, id, reportUrl }, { from }, url) => ({
    url,
    json: {
      to: [digits],
      from,
      body: text,
      type: "mt_text",
      client_reference: id,
      ...(reportUrl === undefined ? {} : { delivery_report: "per_recipient", callback_url: reportUrl }),
    },
  }),
  answer: answerFormat({ vendor: "Sinch", reference: "$.id", code: "$.code", text: "$.text" }),
  callback: ({ webhook_secret }) => ({
    proofs: webhook_secret === undefined ? tokenProofs : [signed],
    receipt: {
      when: ["$.type", "recipient_delivery_report_sms"],
      reference: "$.batch_id",
      id: "$.client_reference",
      status: "$.status",
      words: wordReader({
        // Unknown is final and says nothing: the message may well have arrived.
        sent: ["Dispatched", "Unknown"],
        delivered: ["Delivered"],
        // The SMSC refused or deleted a message that Sinch had accepted.
        undelivered: ["Failed", "Expired", "Rejected", "Deleted"],
        // It did not reach the SMSC.
        failed: ["Aborted", "Cancelled"],
        ignored: ["Queued"],
      }),
      code: "$.code",
      at: "$.at",
    },
    inbound: {
      when: ["$.type", "mo_text"],
      id: "$.id",
      from: "$.from",
      to: "$.to",
      text: "$.body",
      withoutPlus: true,
    },
  }),
});
