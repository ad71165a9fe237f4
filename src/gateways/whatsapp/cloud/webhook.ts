// Meta's webhooks (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview): up to 1000 updates and 3
// MB in one call, repeated for days, in any order. A call that is not answered with 200 is repeated as a whole, so an unknown update is
// skipped and counted, never refused.

import type { AccountUpdate, IgnoredUpdate, InboundMessage, Receipt, Received } from "#gateways/callback.ts";
import { type Json, parseWithin, referenceFrom } from "#gateways/json-path.ts";
import type { FinalReceipt, ReceiptStatus } from "#gateways/outcome.ts";
import {
  accountUpdateFrom,
  accountUpdateOfError,
  accountUpdateOfFailure,
  newestOf,
} from "./account-updates.ts";
import { windowClosed } from "./errors.ts";
import { inboundFrom } from "./inbound.ts";
import { field, list, text, timeMs, valueAt } from "./json.ts";
import { preferenceFrom } from "./preferences.ts";
import type { CloudSettings } from "./settings.ts";
import { identityChangeFrom, systemType } from "./system-messages.ts";

/** A thousand updates with errors, prices and contacts have about 60,000 values. */
const bounds = { maxDepth: 32, maxValues: 200_000, maxContainers: 60_000 };

/** Meta's ids in a gateway's settings. */
type Addressed = Pick<CloudSettings, "phone_number_id"> &
  Partial<Pick<CloudSettings, "business_account_id" | "direct_send" | "outside_window">>;

/** What a verified call says about the number and about its account. `receivedAt`: epoch ms. */
export function readWebhook(body: Buffer, settings: Addressed, receivedAt: number): Received {
  const { phone_number_id: phoneNumberId, business_account_id: accountId } = settings;
  const document = parseWithin(body, bounds);
  if (field(document, "entry") === undefined)
    return { kind: "malformed", reason: "The call has no entries." };
  const receipts: Receipt[] = [];
  const inbound: InboundMessage[] = [];
  const ignored: IgnoredUpdate[] = [];
  const updates: AccountUpdate[] = [];
  for (const { entry, change } of changesIn(document)) {
    const value = field(change, "value");
    const about = text(field(change, "field"));
    if (about === "user_preferences") {
      if (text(valueAt(value, "metadata", "phone_number_id")) !== phoneNumberId) {
        ignored.push("other_number");
        continue;
      }
      for (const preference of list(field(value, "user_preferences"))) {
        const received = preferenceFrom(preference, value);
        if (received === null) ignored.push("unknown");
        else inbound.push(received);
      }
      continue;
    }
    if (about !== "messages") {
      const update = accountUpdateFrom(about, value, timeMs(field(entry, "time")));
      if (update === null) ignored.push("unknown");
      else if (text(field(entry, "id")) !== accountId) ignored.push("other_account");
      else updates.push(update);
      continue;
    }
    const statuses = list(field(value, "statuses"));
    const messages = list(field(value, "messages"));
    const errors = list(field(value, "errors"));
    if (text(valueAt(value, "metadata", "phone_number_id")) !== phoneNumberId) {
      for (let left = Math.max(statuses.length + messages.length, 1); left > 0; left--)
        ignored.push("other_number");
      continue;
    }
    const contacts = list(field(value, "contacts"));
    const displayNumber = text(valueAt(value, "metadata", "display_phone_number"));
    for (const status of statuses) {
      const receipt = receiptFrom(status, settings);
      if (receipt === null) ignored.push("unknown");
      else receipts.push(receipt);
      const held = accountUpdateOfFailure(status);
      if (held !== null) updates.push(held);
    }
    for (const message of messages) {
      const isSystem = text(field(message, "type")) === systemType;
      const received = isSystem
        ? identityChangeFrom(message, displayNumber)
        : inboundFrom(message, contacts, displayNumber);
      if (received === null) ignored.push("unknown");
      else inbound.push(received);
    }
    for (const error of errors)
      updates.push(accountUpdateOfError(error, timeMs(field(entry, "time")) ?? receivedAt));
    if (statuses.length + messages.length + errors.length === 0) ignored.push("unknown");
  }
  return {
    kind: "received",
    receipts,
    inbound,
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(updates.length === 0 ? {} : { accountUpdates: newestOf(updates) }),
  };
}

function* changesIn(document: Json | undefined): Generator<{ entry: Json; change: Json }> {
  for (const entry of list(field(document, "entry")))
    for (const change of list(field(entry, "changes"))) yield { entry, change };
}

const statuses = new Map<string, ReceiptStatus>([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  // The recipient listened to a voice message.
  ["played", "read"],
  // Meta accepted the message before, so this is about its delivery.
  ["failed", "undelivered"],
]);

/** Null for a status that is unknown, or that names no message. */
function receiptFrom(status: Json, settings: Addressed): Receipt | null {
  const word = statuses.get(text(field(status, "status")));
  const reference = referenceFrom(text(field(status, "id")));
  const data = text(field(status, "biz_opaque_callback_data"));
  const messageId = /^msg_[\w-]{1,60}$/.test(data) ? data : undefined;
  if (word === undefined || (reference === null && messageId === undefined)) return null;
  const time = timeMs(field(status, "timestamp"));
  return {
    ...(word === "undelivered" ? failure(status, settings) : { status: word }),
    reference,
    ...(messageId === undefined ? {} : { messageId }),
    ...(time === undefined ? {} : { at: time }),
  };
}

function failure(status: Json, { direct_send, outside_window }: Addressed): FinalReceipt {
  const [error] = list(field(status, "errors"));
  const code = text(field(error, "code"));
  const title = text(field(error, "message")) || text(field(error, "title"));
  const details = text(valueAt(error, "error_data", "details"));
  const reason = [title, details === title ? "" : details].filter((words) => words !== "").join(" · ");
  const hasOtherForm = outside_window === "template" || (direct_send ?? null) !== null;
  return {
    status: code === windowClosed && hasOtherForm ? "returned" : "undelivered",
    ...(/^\d{1,9}$/.test(code) ? { code } : {}),
    ...(reason === "" ? {} : { reason }),
  };
}
