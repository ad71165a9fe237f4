// Kannel's smsbox (https://www.kannel.org/userguide.shtml; 1.4.5 was run): send, delivery reports, incoming messages. It answers without an id,
// so reports come to the URL of their message, whose escapes Kannel fills in. A text in our answer to an incoming message would be sent
// back as an SMS, so answers are empty. Unverified: the answers 3 and 503.

import { z } from "zod";
import type { CallbackRequest } from "#gateways/callback.ts";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { documentOf } from "#gateways/sms/engine/callback.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { type Coverage, tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

/**
 * The meaning of `charset=%C`. Kannel 1.4.5 passes UCS-2 on unchanged, and writes the rest in UTF-8; with `mo-recode` it writes everything
 * in UTF-8, where older releases write Latin-1.
 */
const charsets = new Map([
  ["UTF-16BE", "utf-16be"],
  ["UCS-2", "utf-16be"],
  ["ISO-8859-1", "iso-8859-1"],
]);

/** The query, whose text is in the charset that it names: in UTF-8, and so in the parsed query, other bytes are lost. */
function queryDocument(callback: CallbackRequest, covers: Coverage): Json | undefined {
  const document = documentOf(callback, covers);
  const named = textAt(document ?? null, "$.charset")?.toUpperCase() ?? "";
  // Without a charset, the coding decides: 2 is UCS-2.
  const charset = charsets.get(
    named === "" && textAt(document ?? null, "$.coding") === "2" ? "UTF-16BE" : named,
  );
  if (charset === undefined || callback.method !== "GET") return document;
  const bytes = parameterBytes(callback.url, "text");
  return bytes === null
    ? document
    : { ...(document as object), text: new TextDecoder(charset).decode(bytes) };
}

/** The bytes of a parameter of a URL's query, in any charset; null if there is none of that name. */
function parameterBytes(url: string, name: string): Buffer | null {
  const query = url.split("#", 1)[0]?.split("?").slice(1).join("?") ?? "";
  const pair = query.split("&").find((field) => field.startsWith(`${name}=`));
  if (pair === undefined) return null;
  const escaped = pair.slice(name.length + 1).replaceAll("+", " ");
  const bytes = escaped.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1");
}

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
    proofs: tokenProofs,
    document: queryDocument,
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
