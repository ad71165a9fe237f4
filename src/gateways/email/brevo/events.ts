// Brevo's transactional webhooks (https://developers.brevo.com/docs/transactional-webhooks): JSON, one event a call or,
// batched, up to 500 in a list. They are not signed; Brevo sends a token of ours
// (https://developers.brevo.com/docs/username-and-password-authentication).

import { hasValidToken } from "#gateways/email/callback-token.ts";
import { reasonText } from "#gateways/email/http-mail.ts";
import {
  bareMessageId,
  clientInfo,
  type EventIds,
  eventIds,
  omitUndefined,
  receivedReports,
} from "#gateways/email/mail-event.ts";
import type { CallbackRequest, Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { type Json, parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";

/** Events of Brevo's as receipts and engagements. In a list, those that cannot be read are passed over. */
export function receiveBrevo(callback: CallbackRequest, token: string | undefined): Received {
  if (token === undefined || token === "") {
    return { kind: "not_configured", reason: "The gateway has no callback token." };
  }
  if (!hasValidToken(callback, token)) return { kind: "forbidden", reason: "The token is missing or wrong." };
  const document = parseJson(callback.body);
  if (document === undefined) return { kind: "malformed", reason: "The callback is not readable." };
  const events = Array.isArray(document) ? document : [document];
  const reports: (Receipt | Engagement)[] = [];
  let wrong = "The callback has no event.";
  let read = 0;
  for (const event of events) {
    const word = textAt(event, "$.event");
    if (word === null) continue;
    const reader = readers.get(word);
    const names = namesOf(event);
    if (reader !== undefined && names === null) {
      wrong = "The event names no message.";
      continue;
    }
    read += 1;
    if (reader === undefined || names === null) continue;
    reports.push(reader(event, names));
  }
  if (read === 0) return { kind: "malformed", reason: wrong };
  return receivedReports(reports);
}

/** Where our id stands: Brevo hands this header of the mail back in its events. */
export const brevoIdHeader = "X-Mailin-custom";

function namesOf(event: Json): EventIds | null {
  const reference = bareMessageId(textAt(event, "$.message-id"));
  return eventIds(reference, textAt(event, `$.${brevoIdHeader}`), timeOf(textAt(event, "$.ts_epoch")));
}

/** `ts_epoch` is the one time in UTC: in milliseconds, but in seconds in some of Brevo's examples. */
function timeOf(text: string | null): number | undefined {
  if (text === null || !/^\d{9,14}$/.test(text)) return undefined;
  return text.length <= 11 ? Number(text) * 1000 : Number(text);
}

type Reader = (event: Json, names: EventIds) => Receipt | Engagement;

/** `request` and `sent` say no more than the answer to the request did. */
const readers = new Map<string, Reader>([
  ["delivered", (_event, names) => ({ status: "delivered", ...names })],
  ["hard_bounce", (event, names) => bounced("hard", event, names)],
  ["soft_bounce", (event, names) => bounced("soft", event, names)],
  // Not sent: a recipient of the block list, an address or sender that Brevo calls invalid, an error of Brevo's own.
  ["blocked", (event, names) => unsent("blocked", event, names)],
  ["invalid_email", (event, names) => unsent("invalid_email", event, names)],
  ["error", (event, names) => unsent("error", event, names)],
  ["deferred", (event, names) => told("deferred", event, names)],
  ["spam", (event, names) => told("complained", event, names)],
  ["complaint", (event, names) => told("complained", event, names)],
  ["unsubscribed", (event, names) => told("unsubscribed", event, names)],
  ["unsubscribe", (event, names) => told("unsubscribed", event, names)],
  ["unique_opened", (event, names) => visit("opened", event, names)],
  ["opened", (event, names) => visit("opened", event, names)],
  ["unique_proxy_open", (event, names) => ({ ...visit("opened", event, names), machine: true })],
  ["proxy_open", (event, names) => ({ ...visit("opened", event, names), machine: true })],
  ["click", (event, names) => visit("clicked", event, names)],
]);

const wordsIn = (event: Json) => reasonText(textAt(event, "$.reason"));

function bounced(bounce: "hard" | "soft", event: Json, names: EventIds): Receipt {
  const code = `${bounce}_bounce`;
  return omitUndefined<Receipt>({ status: "bounced", ...names, code, reason: wordsIn(event), bounce });
}

function unsent(code: string, event: Json, names: EventIds): Receipt {
  return omitUndefined<Receipt>({ status: "failed", ...names, code, reason: wordsIn(event) });
}

function told(kind: Engagement["kind"], event: Json, names: EventIds): Engagement {
  return omitUndefined<Engagement>({ kind, ...names, reason: wordsIn(event) });
}

/** `sending_ip` is Brevo's own. */
function visit(kind: "opened" | "clicked", event: Json, names: EventIds): Engagement {
  const given = {
    url: kind === "clicked" ? textAt(event, "$.link") : null,
    userAgent: textAt(event, "$.user_agent"),
    ip: textAt(event, "$.ip"),
  };
  return { kind, ...names, ...clientInfo(given) };
}
