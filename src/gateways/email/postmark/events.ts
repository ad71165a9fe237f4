// Postmark's webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview): one JSON event a call, not signed
// ("Postmark does not currently support HMAC webhook signature verification"), so a token tells them from forgeries.

import { hasValidToken } from "#gateways/email/callback-token.ts";
import { eventTime, messageIdTag, reasonText } from "#gateways/email/http-mail.ts";
import {
  clientInfo,
  type EventIds,
  eventIds,
  eventKey,
  omitUndefined,
  receivedReports,
} from "#gateways/email/mail-event.ts";
import type { CallbackRequest, Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { type Json, parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";

/** An event of Postmark's as a receipt or an engagement. */
export function receivePostmark(callback: CallbackRequest, token: string | undefined): Received {
  if (token === undefined || token === "") {
    return { kind: "not_configured", reason: "The gateway has no callback token." };
  }
  if (!hasValidToken(callback, token)) return { kind: "forbidden", reason: "The token is missing or wrong." };
  const event = parseJson(callback.body) ?? null;
  const word = textAt(event, "$.RecordType");
  if (word === null) return { kind: "malformed", reason: "The callback has no RecordType." };
  const reader = readers.get(word);
  if (reader === undefined) return receivedReports([]);
  const at = ["DeliveredAt", "BouncedAt", "ReceivedAt", "ChangedAt"].map((name) =>
    eventTime(textAt(event, `$.${name}`)),
  );
  const names = eventIds(
    textAt(event, "$.MessageID"),
    textAt(event, `$.Metadata.${messageIdTag}`),
    at.find((time) => time !== undefined),
  );
  if (names === null) return { kind: "malformed", reason: "The event names no message." };
  const report = reader(event, names);
  return receivedReports(report === null ? [] : [report]);
}

type Reader = (event: Json, names: EventIds) => Receipt | Engagement | null;

const readers = new Map<string, Reader>([
  ["Delivery", (_event, names) => ({ status: "delivered", ...names })],
  ["Bounce", bounceOf],
  [
    "SpamComplaint",
    (event, names) =>
      omitUndefined<Engagement>({ kind: "complained", ...names, key: keyOf(event), reason: wordsIn(event) }),
  ],
  ["Open", (event, names) => visit("opened", event, names)],
  ["Click", (event, names) => visit("clicked", event, names)],
  [
    // Suppressions by a bounce or a complaint have events of their own, and those by hand are not the recipient's.
    "SubscriptionChange",
    (event, names) =>
      textAt(event, "$.SuppressSending") === "true" &&
      textAt(event, "$.SuppressionReason") === "ManualSuppression" &&
      textAt(event, "$.Origin") === "Recipient"
        ? { kind: "unsubscribed", ...names }
        : null,
  ],
]);

/**
 * Bounce types (https://postmarkapp.com/developer/api/bounce-api#bounce-types). `failed`: Postmark never sent it.
 * `bounced`: for a reason that is not the address's. `silent`: an answer of the recipient's side to a mail that did arrive.
 */
const bounceTypes = new Map<string, "hard" | "soft" | "bounced" | "failed" | Engagement["kind"] | "silent">([
  ["HardBounce", "hard"],
  ["BadEmailAddress", "hard"],
  ["SoftBounce", "soft"],
  ["Blocked", "bounced"], // by the provider, for its content or its sender
  ["DMARCPolicy", "bounced"],
  ["SpamNotification", "bounced"], // called spam by a filter, not by the recipient
  ["VirusNotification", "bounced"],
  ["Unknown", "soft"],
  ["Transient", "deferred"],
  ["DnsError", "deferred"], // a temporary one
  ["ManuallyDeactivated", "failed"],
  ["Unconfirmed", "failed"],
  ["SMTPApiError", "failed"],
  ["TemplateRenderingFailed", "failed"],
  ["SpamComplaint", "complained"],
  ["Unsubscribe", "unsubscribed"],
  ["AutoResponder", "silent"],
  ["AddressChange", "silent"],
  ["ChallengeVerification", "silent"],
  ["OpenRelayTest", "silent"],
  ["Subscribe", "silent"],
  ["InboundError", "silent"],
]);

/** A type that is new is hard where Postmark gave the address up for it. */
function bounceOf(event: Json, names: EventIds): Receipt | Engagement | null {
  const type = textAt(event, "$.Type") ?? "";
  const meaning = bounceTypes.get(type) ?? (textAt(event, "$.Inactive") === "true" ? "hard" : "soft");
  const code = /^\w{1,64}$/.test(type) ? type : undefined;
  const reason = wordsIn(event);
  switch (meaning) {
    case "hard":
    case "soft":
      return omitUndefined<Receipt>({ status: "bounced", ...names, code, reason, bounce: meaning });
    case "bounced":
    case "failed":
      return omitUndefined<Receipt>({ status: meaning, ...names, code, reason });
    case "silent":
      return null;
    default:
      return omitUndefined<Engagement>({ kind: meaning, ...names, key: keyOf(event), reason });
  }
}

/** The receiving server's words tell more than Postmark's description of the type. */
const wordsIn = (event: Json) =>
  reasonText(textAt(event, "$.Details")) ?? reasonText(textAt(event, "$.Description"));

/** Bounces and complaints have ids. */
const keyOf = (event: Json) => eventKey(textAt(event, "$.ID"));

function visit(kind: "opened" | "clicked", event: Json, names: EventIds): Engagement {
  const given = {
    url: kind === "clicked" ? textAt(event, "$.OriginalLink") : null,
    userAgent: textAt(event, "$.UserAgent"),
    ip: textAt(event, "$.Geo.IP"),
  };
  return { kind, ...names, ...clientInfo(given) };
}
