// seven (https://docs.seven.io): send, signed delivery reports, incoming messages. The verdict is in a 200. 402 is the reload lock: the
// same text went to the same number a moment ago. Unverified: that refusals of requests come with 200 too.

import { createHash } from "node:crypto";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { hmac } from "#gateways/sms/engine/proof-hmac.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const seven = defineHttpSms({
  kind: "seven",
  title: "seven",
  summary: "SMS through seven (sms77), with signed delivery reports and incoming messages.",
  settings: smsSettings("https://gateway.seven.io", {
    api_key: secret().describe("The API key."),
    signing_secret: secret()
      .optional()
      .describe("The signing secret of the account, which verifies callbacks. Without it they are refused."),
    from: fromField.optional(),
  }),
  url: ({ base_url }) => joinUrl(base_url, "/api/sms"),
  auth: ({ api_key }) => header("x-api-key", api_key),
  request: ({ id, digits, text }, { from }, url) => ({
    url,
    json: { to: digits, from, text, foreign_id: id },
  }),
  answer: answerFormat({
    vendor: "seven",
    verdict: {
      path: "$.success",
      accepted: ["100"],
      entry: { path: "$.messages[0].success", refused: "false", code: "$.messages[0].error" },
    },
    reference: "$.messages[0].id",
    text: "$.messages[0].error_text",
    faults: {
      permanent: [201, 202, 301, 305, 401, 403],
      configuration: [306, 500, 900, 902, 903],
      transient: [600],
      duplicate: [402],
      ambiguous: [700],
    },
  }),
  callback: {
    proofs: [
      hmac({
        secret: ({ signing_secret }) => signing_secret,
        named: "signing secret",
        hash: "sha256",
        encoding: "hex",
        header: "x-signature",
        covers: "call",
        of: ({ headers, method, url, body }) => {
          const { "x-timestamp": time, "x-nonce": nonce } = headers;
          if (time === undefined || nonce === undefined) return null;
          return [[time, nonce, method, url, createHash("md5").update(body).digest("hex")].join("\n")];
        },
        timeHeader: "x-timestamp",
      }),
    ],
    receipt: {
      when: ["$.webhook_event", "dlr"],
      reference: "$.data.msg_id",
      id: "$.data.foreign_id",
      status: "$.data.status",
      words: wordReader({
        sent: ["TRANSMITTED", "ACCEPTED", "BUFFERED"],
        delivered: ["DELIVERED"],
        undelivered: ["NOTDELIVERED", "EXPIRED", "REJECTED"],
        failed: ["FAILED"],
      }),
    },
    inbound: {
      when: ["$.webhook_event", "sms_mo"],
      id: "$.data.id",
      from: "$.data.sender",
      to: "$.data.system",
      text: "$.data.text",
      withoutPlus: true,
    },
  },
});
