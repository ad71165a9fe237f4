// The formats of what the app sends and receives. It reads JSON with Gson: a missing text becomes null and fails later, a value that it
// cannot decode fails its whole answer, and dates need exactly three digits of a second. It omits null fields. Unknown fields are ignored,
// because newer versions of the app have more.

import { z } from "zod";
import type { AndroidSettings } from "#gateways/sms/android/android.ts";
import { withoutControls } from "#settings/redact.ts";
import type { ListedItem } from "#store/phones/phone-items.ts";
import { itemIdOf, type PhoneReport, phoneStates } from "#store/phones/phone-reports.ts";
import { failureOf } from "./failures.ts";

const maxTextLength = 500;

const lenientText = z
  .string()
  .transform((text) => withoutControls(text, maxTextLength))
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);

const simCard = z
  .object({
    simNumber: z.int().min(1).max(9),
    phoneNumber: lenientText,
    carrierName: lenientText,
    iccid: lenientText,
  })
  .transform(({ simNumber: number, phoneNumber, carrierName: carrier, iccid }) => ({
    number,
    phoneNumber,
    carrier,
    iccid,
  }));

/** A SIM as the app describes it: the texts are masked except for their last four characters. */
export type SimCard = z.output<typeof simCard>;

const description = z
  .object({
    id: z.string().max(64).nullish().catch(null),
    name: lenientText,
    pushToken: z.string().nullish().catch(null),
    simCards: z.array(z.unknown()).max(20).nullish().catch(null),
  })
  .transform(({ id, name, pushToken, simCards }) => ({
    /** The id that the phone got when it was linked. Null for a new phone. */
    id: id ?? null,
    name: name ? name.slice(0, 128) : null,
    usesPush: (pushToken ?? "") !== "",
    /** Null if this version of the app does not report it. A SIM that cannot be read is left out. */
    sims: simCards?.flatMap((card) => simCard.safeParse(card).data ?? []) ?? null,
  }));

export type DeviceDescription = z.output<typeof description>;

/** The body of `POST /device` and `PATCH /device`; null if it is not valid. */
export const readDescription = (body: unknown): DeviceDescription | null =>
  description.safeParse(body).data ?? null;

const report = z.object({
  id: z.string(),
  state: z.unknown(),
  recipients: z.array(z.unknown()).max(100).nullish().catch(null),
});
const recipientReport = z.object({
  phoneNumber: z.string().nullish().catch(null),
  state: z.unknown(),
  error: lenientText,
});

/** More elements than any version of the app sends. */
const maxReports = 500;

/**
 * The body of `PATCH /message`; null if it is not a list. An element that cannot be read is skipped, because a refusal makes the app repeat
 * the whole call. `unread`: their number.
 */
export function readReports(body: unknown): { reports: PhoneReport[]; unread: number } | null {
  if (!Array.isArray(body)) return null;
  const reports = body.slice(0, maxReports).flatMap((element): PhoneReport[] => {
    const read = report.safeParse(element);
    if (!read.success) return [];
    const id = itemOf(read.data.id);
    // An item has one recipient.
    const recipient = recipientReport.safeParse(read.data.recipients?.[0]);
    const word = recipient.success ? recipient.data.state : read.data.state;
    const state = phoneStates.find((known) => known === word);
    if (id === null || state === undefined) return [];
    const failure = state === "Failed" ? failureOf(recipient.data?.error ?? null) : null;
    return [{ ...id, recipient: recipient.data?.phoneNumber ?? null, state, failure }];
  });
  return { reports, unread: body.length - reports.length };
}

function itemOf(id: string): { messageId: string; transmission: number } | null {
  const found = /^(msg_[A-Za-z0-9]{1,40})(?:\.([1-9][0-9]{0,5}))?$/.exec(id);
  if (!found) return null;
  return { messageId: found[1] ?? "", transmission: Number(found[2] ?? 1) };
}

/**
 * An item of `GET /message`. `settings` are those of its gateway, or undefined if they cannot be read. The times are the same in every
 * list, because the app discards old items by them.
 */
export function wireItem(item: ListedItem, settings: AndroidSettings | undefined) {
  return {
    id: itemIdOf(item.message_id, item.transmission),
    textMessage: { text: item.body },
    // For versions before 1.39.1.
    message: item.body,
    phoneNumbers: [item.recipient],
    ...(typeof settings?.sim === "number" && { simNumber: settings.sim }),
    withDeliveryReport: settings?.delivery_reports ?? true,
    validUntil: new Date(item.valid_until).toISOString(),
    priority: 0,
    state: "Pending",
    createdAt: new Date(item.handed_at).toISOString(),
  };
}

/** The body of a phone's callback. */
type PhoneEvent =
  | {
      kind: "message";
      sender: string;
      recipient: string | null;
      sim: number | null;
      text: string;
      /** When it was received by the phone's clock, epoch ms; null if the phone does not report it. */
      receivedAt: number | null;
      /** An id that a repetition of the same message shares. */
      identity: string;
    }
  | { kind: "ping"; battery: number | null }
  | { kind: "other" };

const envelope = z.object({
  id: z.string().min(1).max(200),
  event: z.string().max(100),
  deviceId: z.string().max(200),
  payload: z.record(z.string(), z.unknown()),
});
const received = z.object({
  messageId: z.string().max(200).nullish().catch(null),
  sender: z.string().max(200).nullish().catch(null),
  phoneNumber: z.string().max(200).nullish().catch(null),
  recipient: z.string().max(200).nullish().catch(null),
  simNumber: z.int().nullish().catch(null),
  message: z.string().max(100_000),
  receivedAt: z.string().max(100).nullish().catch(null),
});
const health = z.object({
  checks: z.record(z.string(), z.object({ observedValue: z.unknown() })).catch({}),
});

/** The body of a phone's callback; null if it is not valid. */
export function readEvent(body: unknown): PhoneEvent | null {
  const read = envelope.safeParse(body);
  if (!read.success) return null;
  const { id, event, payload } = read.data;
  if (event === "sms:received") {
    const message = received.safeParse(payload);
    // Before 1.54 the sender is `phoneNumber`.
    const sender = message.data?.sender ?? message.data?.phoneNumber;
    if (!message.success || !sender) return null;
    const { messageId, recipient, simNumber, message: text, receivedAt } = message.data;
    // The app's own id of a message is short and not unique, and a message that it reads again has another envelope.
    const identity = messageId ? JSON.stringify([messageId, sender, receivedAt, text]) : id;
    const to = { sender, recipient: recipient ?? null, sim: simNumber ?? null };
    const at = Date.parse(receivedAt ?? "");
    const time = at >= 0 && at < 1e15 ? at : null;
    return { kind: "message", ...to, text, receivedAt: time, identity };
  }
  if (event === "system:ping") {
    const found = health.safeParse(payload.health);
    const level = found.data?.checks["battery:level"]?.observedValue;
    const battery = typeof level === "number" && level >= 0 && level <= 100 ? Math.round(level) : null;
    return { kind: "ping", battery };
  }
  return { kind: "other" };
}

/** The version in the app's `User-Agent`; null if the header is not the app's, as on its event stream. */
export function appVersion(userAgent: string | undefined): string | null {
  return /^me\.capcom\.smsgateway\/([0-9A-Za-z.+-]{1,30})$/.exec(userAgent ?? "")?.[1] ?? null;
}

/** Whether a version is at least this one; false for one that cannot be read. */
export function isAtLeast(version: string, minimum: readonly [number, number, number]): boolean {
  const found = /^(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?/.exec(version);
  if (!found) return false;
  const parts = [found[1], found[2], found[3] ?? "0"].map(Number);
  for (const [i, expected] of minimum.entries()) {
    const part = parts[i] ?? 0;
    if (part !== expected) return part > expected;
  }
  return true;
}

/**
 * Whether a version may report a received message twice, with different ids and times: it reads its inbox in addition to Android's
 * notifications.
 */
export const reportsTwice = (version: string | null): boolean =>
  version !== null && isAtLeast(version, [1, 66, 0]) && !isAtLeast(version, [1, 67, 0]);

/** `GET /settings`. A section must never be null. */
export function settingsOf(phone: { signingKey: string; pingS: number | null; needsInternet: boolean }) {
  return {
    gateway: { notification_channel: "SSE_ONLY" },
    // We control the pace, and a phone that forgets a message would send it again if it is listed once more.
    messages: { processing_order: "FIFO", limit_period: "Disabled", log_lifetime_days: null },
    webhooks: { signing_key: phone.signingKey, internet_required: phone.needsInternet },
    ping: { interval_seconds: phone.pingS },
  };
}

/** `GET /webhooks`. An event that a version does not know stops all of them, so only events that all versions know are listed. */
export function webhooksOf(phone: { id: string; url: string; pings: boolean }) {
  const tail = phone.id.slice(-12);
  const hooks = [{ id: `wh-sms-received-${tail}`, url: phone.url, event: "sms:received" }];
  if (phone.pings) hooks.push({ id: `wh-ping-${tail}`, url: phone.url, event: "system:ping" });
  return hooks;
}
