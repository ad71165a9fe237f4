// Mailgun's webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads): one
// signed JSON event a call. The signature stands in the body and covers a time and a token, not the event itself: a
// token that was seen could be sent again with another event, so each is good for one event
// (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks).

import { createHmac } from "node:crypto";
import { bounceOf as verdictOf } from "#contract/messages/bounce-class.ts";
import { eventTime, freshUntil, isFresh, messageIdTag, reasonText } from "#gateways/email/http-mail.ts";
import {
  bareMessageId,
  clientInfo,
  type EventIds,
  eventIds,
  eventKey,
  omitUndefined,
  receivedReports,
} from "#gateways/email/mail-event.ts";
import type { CallbackRequest, Engagement, Receipt, Received } from "#gateways/gateway.ts";
import { type Json, parseJson, parseUnverified, readPath, textAt } from "#gateways/sms/http-api/json-path.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** An event of Mailgun's as receipts and engagements. `key`: the HTTP webhook signing key; `now`: epoch ms. */
export function receiveMailgun({ body }: CallbackRequest, key: string | undefined, now: number): Received {
  if (key === undefined || key === "") {
    return { kind: "not_configured", reason: "The gateway has no webhook signing key." };
  }
  const signature = signatureIn(body, key);
  if (signature === null) return { kind: "forbidden", reason: "The signature is missing or wrong." };
  const signedAt = eventTime(signature.timestamp);
  if (signedAt === undefined || !isFresh(signedAt, now)) {
    return { kind: "forbidden", reason: "The signature is too old." };
  }
  const received = receivedFrom(body);
  const once = { proof: signature.hex, until: freshUntil(signedAt) };
  return received.kind === "received" || received.kind === "malformed"
    ? { ...received, replayGuard: once }
    : received;
}

function receivedFrom(body: Buffer): Received {
  const event = readPath(parseJson(body) ?? null, "$.event-data") ?? null;
  const word = textAt(event, "$.event");
  if (word === null) return { kind: "malformed", reason: "The callback has no event." };
  const reader = readers.get(word);
  if (reader === undefined) return receivedReports([]);
  const names = eventIds(
    bareMessageId(textAt(event, "$.message.headers.message-id")),
    textAt(event, `$.user-variables.${messageIdTag}`),
    eventTime(textAt(event, "$.timestamp")),
  );
  if (names === null) return { kind: "malformed", reason: "The event names no message." };
  return receivedReports([reader(event, names)]);
}

/** A call's signature, the hex of HMAC-SHA256 over a time and a token. Null: not with this key. */
function signatureIn(body: Buffer, key: string): { timestamp: string; hex: string } | null {
  const document = parseUnverified(body) ?? null;
  const [timestamp, token, given] = ["timestamp", "token", "signature"].map(
    (name) => textAt(document, `$.signature.${name}`) ?? "",
  );
  if (!timestamp || !token || !given) return null;
  const wanted = createHmac("sha256", key).update(timestamp).update(token).digest("hex");
  return constantTimeEqual(given, wanted) ? { timestamp, hex: wanted } : null;
}

type Reader = (event: Json, names: EventIds) => Receipt | Engagement;

const readers = new Map<string, Reader>([
  ["delivered", (_event, names) => ({ status: "delivered", ...names })],
  ["failed", (event, names) => failureOf(event, names)],
  [
    "rejected",
    (event, names) =>
      omitUndefined<Receipt>({
        status: "failed",
        ...names,
        code: "rejected",
        reason: reasonText(textAt(event, "$.reject.reason")) ?? "Mailgun refused to send it.",
      }),
  ],
  ["opened", (event, names) => visit("opened", event, names)],
  ["clicked", (event, names) => visit("clicked", event, names)],
  ["unsubscribed", (event, names) => visit("unsubscribed", event, names)],
  [
    "complained",
    (event, names) => omitUndefined<Engagement>({ kind: "complained", ...names, key: keyOf(event) }),
  ],
]);

/** Unique within a day, says Mailgun: enough among the events of one mail. */
const keyOf = (event: Json) => eventKey(textAt(event, "$.id"));

function visit(kind: Engagement["kind"], event: Json, names: EventIds): Engagement {
  return omitUndefined<Engagement>({
    kind,
    ...names,
    key: keyOf(event),
    ...clientInfo({
      url: kind === "clicked" ? textAt(event, "$.url") : null,
      userAgent: textAt(event, "$.client-info.user-agent"),
      ip: textAt(event, "$.ip"),
    }),
    // `apple`, `gmail` or `generic`; empty for a person.
    machine: (textAt(event, "$.client-info.bot") ?? "") === "" ? undefined : true,
  });
}

/** `temporary`: Mailgun goes on trying. Suppressed ones were never sent; the others were refused by the receiving server. */
function failureOf(event: Json, names: EventIds): Receipt | Engagement {
  const word = textAt(event, "$.reason") ?? "";
  const words =
    reasonText(textAt(event, "$.delivery-status.description")) ??
    reasonText(textAt(event, "$.delivery-status.message"));
  if (textAt(event, "$.severity") === "temporary") {
    return omitUndefined<Engagement>({ kind: "deferred", ...names, key: keyOf(event), reason: words });
  }
  const code = /^[\w-]{1,64}$/.test(word) ? word : undefined;
  if (word.startsWith("suppress-")) {
    const reason = words ?? "The address is on Mailgun's suppression list.";
    return omitUndefined<Receipt>({ status: "failed", ...names, code, reason });
  }
  const bounce = bounceOf(event, word);
  return omitUndefined<Receipt>({ status: "bounced", ...names, code, reason: words, bounce });
}

/**
 * Undefined for what is not the address's fault: policy and content by the enhanced code (RFC 3463), `espblock`. Else newer
 * events say the type. Else `bounce` is the answer of the receiving server, hard unless its code speaks of the mailbox's
 * state or the network; `old` and `generic` may pass.
 */
function bounceOf(event: Json, word: string): "hard" | "soft" | undefined {
  const enhanced =
    textAt(event, "$.delivery-status.enhanced-code") ??
    /^\d\.\d{1,3}\.\d{1,3}/.exec(textAt(event, "$.delivery-status.message") ?? "")?.[0] ??
    "";
  if (word === "espblock" || (enhanced !== "" && verdictOf(enhanced, "") === null)) return undefined;
  const type = textAt(event, "$.delivery-status.bounce-type");
  if (type === "hard" || type === "soft") return type;
  if (/^4|^5\.[234]\./.test(enhanced)) return "soft";
  return word === "bounce" || word === "hardfail" ? "hard" : "soft";
}
