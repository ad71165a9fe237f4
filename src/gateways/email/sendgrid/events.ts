// SendGrid's events (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event): a list of them in each
// call, about different mails. Custom arguments, and so our id, stand among an event's own fields.

import { eventTime, messageIdTag, reasonText } from "#gateways/email/http-mail.ts";
import { clientInfo, type EventIds, eventIds, omitUndefined } from "#gateways/email/mail-event.ts";
import type { Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { type Json, parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";

/** The reports in a call. Events that name no mail, or change nothing, give nothing. */
export function receivedFrom(body: Buffer): Received {
  const events = parseJson(body);
  if (!Array.isArray(events)) return { kind: "malformed", reason: "The callback is no list of events." };
  const receipts: Receipt[] = [];
  const engagements: Engagement[] = [];
  for (const event of events) {
    const named = namesOf(event);
    if (named === null) continue;
    const receipt = receiptOf(event);
    const engagement = engagementOf(event);
    if (receipt !== null) receipts.push({ ...receipt, ...named });
    if (engagement !== null) engagements.push({ ...engagement, ...named });
  }
  return { kind: "received", receipts, inbound: [], engagements };
}

function namesOf(event: Json): EventIds | null {
  const reference = messageIdOf(textAt(event, "$.sg_message_id"));
  const at = eventTime(textAt(event, "$.timestamp"));
  return eventIds(reference, textAt(event, `$.${messageIdTag}`), at);
}

/**
 * The `X-Message-Id` of the answer to the send call, which events extend by the servers that the mail went through
 * (`{id}.filter0425p1mdw1.13037.57168B4A1D.0`, `{id}.recvd-…`). Some of mails that were dropped have no id in front.
 */
function messageIdOf(text: string | null): string | null {
  const [, id = ""] = /^(.{1,200}?)(?:\.(?:filter|recvd).*)?$/s.exec(text ?? "") ?? [];
  return /^[\w.-]+$/.test(id) && !/^(?:filter|recvd)/.test(id) ? id : null;
}

type Report = Omit<Receipt, "reference">;

function receiptOf(event: Json): Report | null {
  switch (textAt(event, "$.event")) {
    case "processed":
      return { status: "sent" };
    case "delivered":
      return { status: "delivered" };
    case "bounce":
      return bounceOf(event);
    case "dropped":
      return dropOf(event);
    default:
      return null;
  }
}

/**
 * `type` is `bounce` for good (but for a passing 4.x.x status) and `expired` for now; `blocked` is about the sender or the
 * content, and says nothing about the address.
 */
function bounceOf(event: Json): Report {
  const status = textAt(event, "$.status") ?? "";
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined;
  const type = textAt(event, "$.type");
  const lasting = type === "bounce" && !code?.startsWith("4");
  return omitUndefined<Report>({
    status: "bounced",
    bounce: type === "blocked" ? undefined : lasting ? "hard" : "soft",
    code,
    reason: reasonText(textAt(event, "$.reason")) ?? reasonText(textAt(event, "$.bounce_classification")),
  });
}

/** SendGrid did not send the mail at all. Only these two of its reasons say that the address takes none. */
function dropOf(event: Json): Report {
  const words = reasonText(textAt(event, "$.reason"));
  const reason = `SendGrid did not send the mail: ${words ?? "no reason given"}.`;
  return words === "Bounced Address" || words === "Invalid"
    ? { status: "bounced", bounce: "hard", code: "dropped", reason }
    : { status: "failed", code: "dropped", reason };
}

const kinds = new Map<string, Engagement["kind"]>([
  ["open", "opened"],
  ["click", "clicked"],
  ["spamreport", "complained"],
  ["unsubscribe", "unsubscribed"],
  ["group_unsubscribe", "unsubscribed"],
  ["deferred", "deferred"],
]);

function engagementOf(event: Json): Omit<Engagement, "reference"> | null {
  const field = (name: string) => textAt(event, `$.${name}`);
  const kind = kinds.get(field("event") ?? "");
  if (kind === undefined) return null;
  const key = field("sg_event_id") ?? "";
  const visit = { url: field("url"), userAgent: field("useragent"), ip: field("ip") };
  return omitUndefined<Omit<Engagement, "reference">>({
    kind,
    key: key === "" || key.length > 255 ? undefined : key,
    reason: kind === "deferred" ? reasonText(field("response") ?? field("reason")) : undefined,
    // Apple's Mail Privacy Protection loads every pixel.
    machine: (kind === "opened" && field("sg_machine_open") === "true") || undefined,
    ...(kind === "opened"
      ? clientInfo({ ...visit, url: null })
      : kind === "clicked"
        ? clientInfo(visit)
        : {}),
  });
}
