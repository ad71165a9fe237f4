// Kannel's smsbox (https://www.kannel.org/userguide.shtml; 1.4.5 was run): send, delivery reports, incoming messages. It answers without an id,
// so reports come to the URL of their message, whose escapes Kannel fills in. A text in our answer to an incoming message would be sent
// back as an SMS, so answers are empty. Unverified: the answers 3 and 503.

import { z } from "zod";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { unsigned } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const kannel = defineHttpSms({
  kind: "kannel",
  title: "Kannel",
  summary: "SMS through a Kannel of your own, with delivery reports and incoming messages.",
  settings: smsSettings(null, {
    username: z.string().min(1).describe("The user name of a `sendsms-user`."),
    password: secret().describe("The password of that user."),
    from: fromField.optional(),
    smsc: z.string().min(1).optional().describe("The id of the SMSC to send through."),
    callback_token: callbackTokenField,
  }),
  url: ({ base_url }) => joinUrl(base_url, "/cgi-bin/sendsms"),
  request: ({ to, text, encoding, reportUrl }, { username, password, from, smsc }, url) => ({
    method: "GET",
    url,
    query: {
      username,
      password,
      from,
      to,
      text,
      coding: encoding === "ucs2" ? 2 : 0,
      charset: "UTF-8",
      smsc,
      ...(reportUrl === undefined ? {} : { "dlr-mask": 31, "dlr-url": `${reportUrl}&type=%d&answer=%A` }),
    },
  }),
  answer: answerFormat({
    vendor: "Kannel",
    verdict: (_json, { body }) =>
      /^[03]:/.test(body.subarray(0, 8).toString())
        ? { kind: "taken" }
        : { kind: "unreadable", why: ", but not with 0 or 3" },
    reference: null,
    notAcceptedStatuses: [503],
  }),
  callback: {
    proofs: unsigned,
    receipt: {
      status: "$.type",
      words: wordReader({
        sent: ["8"],
        delivered: ["1"],
        undelivered: ["2"],
        failed: ["16"],
        ignored: ["4"],
      }),
      reason: "$.answer",
    },
    inbound: { when: ["$.text"], id: "$.id", from: "$.from", to: "$.to", text: "$.text" },
  },
});
