// Infobip SMS (https://www.infobip.com/docs/api/channels/sms): send, delivery reports, incoming messages. A 200 may contain a refusal. We
// choose the `messageId`, and Infobip refuses one that it has seen before: a message that may have been sent is sent again. Unverified: how
// long it remembers an id (one hour is assumed), and status ids of the newest list.

import { callbackTokenField } from "#gateways/callback-token.ts";
import { type Json, textAt } from "#gateways/json-path.ts";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { header } from "#gateways/sms/engine/auth.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { tokenProofs } from "#gateways/sms/engine/proof.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

/** The group of a status, except for two that say less: the operator has it (2), and its end was never reported (29). */
function statusWord(json: Json, path: string): string | null {
  const id = textAt(json, `${path}.id`);
  if (id === "2") return "TO_OPERATOR";
  return id === "29" ? "NO_REPORT" : textAt(json, `${path}.groupId`);
}

export const infobip = defineHttpSms({
  kind: "infobip",
  title: "Infobip",
  summary: "SMS through Infobip; a message whose answer was lost is repeated safely.",
  settings: smsSettings(null, {
    api_key: secret().describe("The API key."),
    from: fromField,
    callback_token: callbackTokenField,
  }),
  onUnknown: "resend",
  idempotencyWindowMs: 3_600_000,
  url: ({ base_url }) => joinUrl(base_url, "/sms/3/messages"),
  auth: ({ api_key }) => header("authorization", `App ${api_key}`),
  request: ({ id, digits, text, reportUrl }, { from }, url) => ({
    url,
    json: {
      messages: [
        {
          sender: from,
          destinations: [{ to: digits, messageId: id }],
          content: { text },
          ...(reportUrl === undefined
            ? {}
            : {
                webhooks: {
                  delivery: { url: reportUrl, notify: true },
                  contentType: "application/json",
                  callbackData: id,
                },
              }),
        },
      ],
    },
  }),
  answer: answerFormat({
    vendor: "Infobip",
    verdict: { path: "$.messages[0].status.groupId", accepted: ["1", "3"] },
    reference: "$.messages[0].messageId",
    code: ["$.messages[0].status.id", "$.requestError.serviceException.messageId", "$.errorCode"],
    text: ["$.messages[0].status.description", "$.requestError.serviceException.text", "$.description"],
    faults: {
      permanent: [6, 8, 10, 14, 19, 24, 25, 51, 52],
      configuration: [11, 12, 13, 17, 18],
      // 100: the platform rejected it, as malformed or because one of its services is unavailable for now.
      transient: [16, 20, 21, 28, 100],
      duplicate: [23],
    },
    receipt: (json) => (statusWord(json, "$.messages[0].status") === "3" ? { status: "delivered" } : null),
  }),
  callback: {
    proofs: tokenProofs,
    items: "$.results",
    receipt: {
      reference: "$.messageId",
      id: "$.callbackData",
      status: (report) => statusWord(report, "$.status"),
      words: wordReader({
        sent: ["TO_OPERATOR", "NO_REPORT"],
        delivered: ["3"],
        undelivered: ["2", "4"],
        failed: ["5"],
        ignored: ["0", "1"],
      }),
      code: "$.error.name",
      reason: "$.error.description",
      at: "$.doneAt",
      // REJECTED_NOT_ENOUGH_CREDITS.
      accountFaults: { code: "$.status.id", codes: ["12"] },
    },
    inbound: {
      when: ["$.receivedAt"],
      id: "$.messageId",
      from: "$.from",
      to: "$.to",
      text: "$.text",
      withoutPlus: true,
    },
  },
});
