// Resend's webhooks (https://resend.com/docs/webhooks/event-types): one signed JSON event a call.

import { eventTime, messageIdTag, reasonText } from "#gateways/email/http-mail.ts";
import {
  clientInfo,
  type EventIds,
  eventIds,
  omitUndefined,
  receivedReports,
} from "#gateways/email/mail-event.ts";
import type { CallbackRequest, Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { type Json, parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";
import { svixVerified } from "./svix-signature.ts";

/** An event of Resend's as a receipt or an engagement. `now`: epoch ms. */
export function receiveResend(callback: CallbackRequest, secret: string | undefined, now: number): Received {
  if (secret === undefined || secret === "") {
    return { kind: "not_configured", reason: "The gateway has no webhook secret." };
  }
  const id = svixVerified(callback, secret, now);
  if (id === null) return { kind: "forbidden", reason: "The svix-signature is missing, wrong or too old." };
  const event = parseJson(callback.body) ?? null;
  const type = textAt(event, "$.type");
  if (type === null) return { kind: "malformed", reason: "The callback has no type." };
  const reader = readers.get(type);
  if (reader === undefined) return receivedReports([]);
  const names = eventIds(
    textAt(event, "$.data.email_id"),
    textAt(event, `$.data.tags.${messageIdTag}`),
    // That of the event; the one in `data` is when the mail was made.
    eventTime(textAt(event, "$.created_at")),
  );
  if (names === null) return { kind: "malformed", reason: "The event names no message." };
  return receivedReports([reader(event, names, id)]);
}

type Reader = (event: Json, names: EventIds, key: string) => Receipt | Engagement;

/** `email.sent` and `email.scheduled` say no more than the answer to the request did. */
const readers = new Map<string, Reader>([
  ["email.delivered", (_event, names) => ({ status: "delivered", ...names })],
  ["email.bounced", (event, names) => bounceOf(event, names)],
  ["email.failed", (event, names) => unsent("failed", textAt(event, "$.data.failed.reason"), names)],
  [
    "email.suppressed",
    (event, names) => unsent("suppressed", textAt(event, "$.data.suppressed.message"), names),
  ],
  ["email.delivery_delayed", (_event, names, key) => ({ kind: "deferred", ...names, key })],
  ["email.complained", (_event, names, key) => ({ kind: "complained", ...names, key })],
  ["email.opened", (event, names, key) => visit("opened", event, names, key)],
  ["email.clicked", (event, names, key) => visit("clicked", event, names, key)],
]);

/** Resend took it and did not send it. */
function unsent(code: string, words: string | null, names: EventIds): Receipt {
  return omitUndefined<Receipt>({ status: "failed", ...names, code, reason: reasonText(words) });
}

/**
 * `Permanent` is hard, `Transient` and `Undetermined` are soft. A mail to an address of the suppression list was not
 * sent at all (https://resend.com/docs/dashboard/emails/email-bounces).
 */
function bounceOf(event: Json, names: EventIds): Receipt {
  const subType = textAt(event, "$.data.bounce.subType") ?? "";
  const words = textAt(event, "$.data.bounce.message");
  if (/suppress/i.test(subType)) return unsent("suppressed", words, names);
  return omitUndefined<Receipt>({
    status: "bounced",
    ...names,
    code: /^\w{1,64}$/.test(subType) ? subType : undefined,
    reason: reasonText(words),
    bounce: textAt(event, "$.data.bounce.type") === "Permanent" ? "hard" : "soft",
  });
}

function visit(kind: "opened" | "clicked", event: Json, names: EventIds, key: string): Engagement {
  const click = clientInfo({
    url: textAt(event, "$.data.click.link"),
    userAgent: textAt(event, "$.data.click.userAgent"),
    ip: textAt(event, "$.data.click.ipAddress"),
  });
  return { kind, ...names, key, ...(kind === "clicked" ? click : {}) };
}
