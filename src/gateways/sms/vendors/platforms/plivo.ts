// Plivo Messages (https://docs.plivo.com/docs/messaging/api/message): send, signed delivery reports, incoming messages. Errors have no
// codes, so their status decides. Unverified: the answer to a lack of credit (402 is treated as the gateway's fault).

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { basic } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { plivoSignature } from "#gateways/sms/engine/proof-plivo.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

const settings = smsSettings("https://api.plivo.com", {
  auth_id: z
    .string()
    .regex(/^[A-Z0-9]{10,40}$/, "Must be an auth ID, such as MAXXXXXXXXXXXXXXXXXX.")
    .describe("The auth ID of the account."),
  auth_token: secret().describe(
    "The auth token of the account: authenticates requests and verifies callbacks.",
  ),
  from: fromField.optional(),
  powerpack_uuid: z
    .string()
    .min(1)
    .optional()
    .describe("The Powerpack that chooses the sender, instead of `from`."),
  callback_token: callbackTokenField,
}).refine(({ from, powerpack_uuid }) => (from === undefined) !== (powerpack_uuid === undefined), {
  path: ["from"],
  error: "Give either `from` or `powerpack_uuid`.",
});

export const plivo = defineHttpSms({
  kind: "plivo",
  title: "Plivo",
  summary: "SMS through Plivo, with signed delivery reports and incoming messages.",
  settings,
  url: ({ base_url, auth_id }) => joinUrl(base_url, `/v1/Account/${auth_id}/Message/`),
  auth: ({ auth_id, auth_token }) => basic(auth_id, auth_token),
  request: ({ digits, text, reportUrl }, { from, powerpack_uuid }, url) => ({
    url,
    json: {
      src: from,
      powerpack_uuid,
      dst: digits,
      text,
      type: "sms",
      ...(reportUrl === undefined ? {} : { url: reportUrl, method: "POST" }),
    },
  }),
  answer: answerFormat({
    vendor: "Plivo",
    verdict: (json) =>
      textAt(json, "$.message_uuid[0]") === null && textAt(json, "$.invalid_number[0]") !== null
        ? { kind: "refused", code: "invalid_number", fault: "permanent" }
        : { kind: "taken" },
    reference: "$.message_uuid[0]",
    text: "$.error",
  }),
  callback: {
    proofs: [plivoSignature],
    receipt: {
      reference: "$.MessageUUID",
      status: "$.Status",
      words: wordReader({
        sent: ["sent"],
        delivered: ["delivered"],
        read: ["read"],
        undelivered: ["undelivered"],
        failed: ["failed", "rejected"],
        ignored: ["queued"],
      }),
      code: "$.ErrorCode",
      // Insufficient credit.
      accountFaults: { codes: ["900"] },
    },
    inbound: {
      when: ["$.Text"],
      id: "$.MessageUUID",
      from: "$.From",
      to: "$.To",
      text: "$.Text",
      withoutPlus: true,
    },
    reply: { contentType: "application/xml", body: "<Response/>" },
  },
});
