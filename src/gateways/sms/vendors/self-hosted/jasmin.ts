// Jasmin's HTTP API (https://docs.jasminsms.com/en/latest/apis/http/): send, delivery receipts, incoming messages. Answers are texts, and
// Jasmin repeats a callback unless the answer is ACK/Jasmin. Jasmin truncates texts of more than `long_content_max_parts` parts, five by
// default, and reports Success (the truncation itself is unverified).

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const jasmin = defineHttpSms({
  kind: "jasmin",
  title: "Jasmin",
  summary: "SMS through a Jasmin of your own, with delivery receipts and incoming messages.",
  settings: smsSettings(null, {
    username: z.string().min(1).describe("The user name of a Jasmin user."),
    password: secret().describe("The password of that user."),
    from: fromField.optional(),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/send"),
  request: ({ digits, text, hexUcs2, encoding, reportUrl }, { username, password, from }, url) => ({
    url,
    form: {
      username,
      password,
      from,
      to: digits,
      ...(encoding === "ucs2" ? { coding: 8, "hex-content": hexUcs2 } : { coding: 0, content: text }),
      ...(reportUrl === undefined
        ? { dlr: "no" }
        : { dlr: "yes", "dlr-level": 3, "dlr-method": "POST", "dlr-url": reportUrl }),
    },
  }),
  answer: answerFormat({
    vendor: "Jasmin",
    reference: (_json, { body }) =>
      /^Success "([0-9a-f-]{36})"/.exec(body.subarray(0, 64).toString())?.[1] ?? null,
    // No route: a fault of the gateway, not of the message.
    code: (_json, { status }) => (status === 412 ? "no_route" : null),
    faults: { configuration: ["no_route"] },
  }),
  callback: {
    proofs: tokenProofs,
    receipt: {
      reference: "$.id",
      status: "$.message_status",
      words: wordReader({
        sent: ["ESME_ROK", "ACCEPTD", "ENROUTE", "UNKNOWN"],
        delivered: ["DELIVRD"],
        undelivered: ["UNDELIV", "EXPIRED", "REJECTD", "DELETED"],
        failed: ["ESME_R*"],
      }),
      code: "$.err",
    },
    inbound: {
      when: ["$.content"],
      id: "$.id",
      from: "$.from",
      to: "$.to",
      // UCS-2 arrives as bytes of no charset; the hex form shows what they are.
      text: (report) => {
        const hex = textAt(report, "$.binary") ?? "";
        const isUcs2 = textAt(report, "$.coding") === "8" && /^(?:[0-9a-f]{4}){1,2000}$/i.test(hex);
        return isUcs2 ? Buffer.from(hex, "hex").swap16().toString("utf16le") : textAt(report, "$.content");
      },
      withoutPlus: true,
    },
    reply: { contentType: "text/plain", body: "ACK/Jasmin" },
  },
});
