// Creates a message as Twilio's clients ask for it (https://www.twilio.com/docs/messaging/api/message-resource#create-a-message). It is one
// contact of a send, so it is accepted by the same rules as `POST /api/sms/send`.

import type { Account } from "#accounts/account.ts";
import { openStatusCallbacks } from "#configure/status-callbacks.ts";
import type { Issue } from "#contract/issue.ts";
import type { MediaKind } from "#contract/messages/content.ts";
import { readSms, type SmsDraft } from "#contract/messages/sms.ts";
import { readWhatsapp, type WhatsappDraft } from "#contract/messages/whatsapp.ts";
import { idempotencyMismatch, type Problem, problem } from "#contract/problem.ts";
import { spellingOf } from "#contract/spelling.ts";
import { readAddress, type TwilioChannel } from "#contract/twilio/addresses.ts";
import type { TwilioErrorName } from "#contract/twilio/errors.ts";
import { hasScope } from "#http/auth/api-key.ts";
import { idempotencyKey } from "#http/auth/idempotency-key.ts";
import type { Call } from "#http/call.ts";
import type { AcceptResult } from "#messaging/accept/accept.ts";
import { readWallTime } from "#messaging/accept/wall-time.ts";
import { normaliseRecipient } from "#messaging/channels.ts";
import { listSuppressions } from "#store/feedback/suppressions.ts";
import { type StatusCallback, signingToken } from "#webhooks/twilio-request.ts";
import type { TwilioCaller } from "./caller.ts";
import { misspelt, TwilioRefusal } from "./errors.ts";
import type { TwilioForm } from "./form.ts";
import { gatewayFor } from "./senders.ts";

/** A message that was accepted, as its request described it. */
export interface CreatedMessage {
  id: string;
  channel: TwilioChannel;
  status: "queued" | "scheduled";
  /** The recipient's number as it was written. */
  to: string;
  body: string;
  replayed: boolean;
}

/** Parameters that would change what is sent or when, and cannot be followed. What is not named here and not read has no effect. */
const unsupported: readonly string[] = [
  "ApplicationSid",
  "ContentSid",
  "ContentVariables",
  "FallbackFrom",
  "PersistentAction",
];
/** The only values that such a parameter may have, which are Twilio's own defaults. */
const onlyDefault: readonly (readonly [name: string, value: string])[] = [
  ["AddressRetention", "retain"],
  ["ContentRetention", "retain"],
  ["SendAsMms", "false"],
  ["ShortenUrls", "false"],
  ["StatusCallbackMethod", "POST"],
  ["ValidityPeriod", "36000"],
];

const meantBy = spellingOf([
  ...unsupported,
  ...onlyDefault.map(([name]) => name),
  "Body",
  "From",
  "MediaUrl",
  "MessagingServiceSid",
  "ScheduleType",
  "SendAt",
  "StatusCallback",
  "To",
]);

function refuseUnsupported(form: TwilioForm): void {
  for (const name of form.names()) {
    const meant = meantBy(name);
    if (meant !== null) throw misspelt(meant, name);
  }
  const named = unsupported.find((name) => form.get(name) !== null);
  if (named !== undefined)
    throw new TwilioRefusal("invalidParameter", `The parameter ${named} is not supported.`);
  for (const [name, value] of onlyDefault) {
    const text = form.get(name);
    if (text !== null && text.toLowerCase() !== value.toLowerCase())
      throw new TwilioRefusal("invalidParameter", `The parameter ${name} can only be ${value}.`);
  }
}

/** The type of a file by the ending of its URL's path; a document where that says nothing. */
function mediaOf(url: string): { media: MediaKind; filename: string | null } {
  const name = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (["jpg", "jpeg", "png"].includes(ending)) return { media: "image", filename: null };
  if (["mp3", "ogg", "opus", "amr", "aac", "m4a"].includes(ending)) return { media: "audio", filename: null };
  if (["mp4", "3gp"].includes(ending)) return { media: "video", filename: null };
  return { media: "document", filename: name === "" ? null : decodedName(name) };
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const timeFaults = {
  malformed: "must be ISO 8601, such as 2030-01-31T09:00:00Z.",
  past: "must be in the future.",
  repeated: "is in the hour that the clocks of the account's time zone repeat: give another time.",
};

/** The account's wall time of `SendAt`; null to send at once. */
function scheduleOf(form: TwilioForm, { timeZone }: Account, now: number): string | null {
  const type = form.get("ScheduleType");
  const sendAt = form.get("SendAt")?.trim() ?? null;
  if (type !== null && type !== "fixed")
    throw new TwilioRefusal("invalidParameter", "The ScheduleType can only be fixed.");
  if (sendAt === null) {
    if (type === null) return null;
    throw new TwilioRefusal("invalidSendAt", "A ScheduleType needs a SendAt.");
  }
  const read = readWallTime(sendAt, { timeZone, now });
  if ("local" in read) return read.local;
  throw new TwilioRefusal("invalidSendAt", `The SendAt ${timeFaults[read.fault]}`);
}

function callbackOf(form: TwilioForm, call: Call, { key, accountSid }: TwilioCaller): StatusCallback | null {
  const url = form.get("StatusCallback")?.trim() ?? null;
  if (url === null) return null;
  const reason =
    url.length > 4000 ? "it is longer than 4000 characters" : call.core.outbound.rejectReason(url);
  if (reason !== null)
    throw new TwilioRefusal("invalidStatusCallback", `The StatusCallback is refused: ${reason}.`);
  return { url, token: signingToken(key), accountSid, from: form.get("From")?.trim() ?? null };
}

/** What a field of a contact is called here, and the error that it stands for. */
const fields: Readonly<Record<string, readonly [parameter: string, error: TwilioErrorName]>> = {
  number: ["To", "invalidTo"],
  message: ["Body", "invalidParameter"],
  gateway_identifier: ["From", "noSender"],
  schedule_at: ["SendAt", "invalidSendAt"],
  media: ["MediaUrl", "invalidMediaUrl"],
  url: ["MediaUrl", "invalidMediaUrl"],
  filename: ["MediaUrl", "invalidMediaUrl"],
};

function refusalOf({ path, message }: Issue): TwilioRefusal {
  const field = String(path.at(-1));
  const [parameter, error] = fields[field] ?? [field, "invalidParameter"];
  const isLength = field === "message" && message.includes("must not be greater than");
  return new TwilioRefusal(
    isLength ? "bodyTooLong" : error,
    message.replaceAll(`contact.0.${field}`, parameter).replaceAll("contact.0.", ""),
  );
}

/** The contact of the message; throws the refusal of the first thing that is wrong. */
function contactOf(
  channel: TwilioChannel,
  fields: { number: string; gateway_identifier: string | null; schedule_at: string | null },
  { body, mediaUrls }: { body: string | null; mediaUrls: readonly string[] },
): SmsDraft | WhatsappDraft {
  if (mediaUrls.length > 1) throw new TwilioRefusal("tooManyMedia", "A message can have one MediaUrl.");
  const [url] = mediaUrls;
  if (body === null && url === undefined)
    throw new TwilioRefusal("bodyRequired", "A message needs a Body or a MediaUrl.");
  if (channel === "sms") {
    if (url !== undefined) throw new TwilioRefusal("noMms", "Files can be sent by WhatsApp, not by SMS.");
    const { contacts, issues } = readSms({ contact: [{ ...fields, message: body }] }, { maxContacts: 1 });
    if (issues[0] !== undefined) throw refusalOf(issues[0]);
    return contacts[0]!;
  }
  // A file needs no text here; the placeholder passes the rules in its place.
  const contact = {
    ...fields,
    message: body ?? "-",
    ...(url === undefined ? {} : { url, ...mediaOf(url) }),
  };
  const { contacts, issues } = readWhatsapp({ contact: [contact] }, { maxContacts: 1 });
  if (issues[0] !== undefined) throw refusalOf(issues[0]);
  return { ...contacts[0]!, ...(body === null ? { message: "" } : {}) } as WhatsappDraft;
}

/** Twilio refuses a recipient who has opted out at once. One who opts out later gets nothing either: sending looks again. */
async function refuseOptedOut(
  { core }: Call,
  { id, country }: Account,
  channel: TwilioChannel,
  number: string,
): Promise<void> {
  const recipient = normaliseRecipient(channel, number, country);
  if (recipient === null) return;
  const input = { accountId: id, channels: [channel], recipients: [recipient], after: null, limit: 1 };
  if ((await core.database.run(listSuppressions, input)).length > 0)
    throw new TwilioRefusal("optedOut", "The recipient is on the account's suppression list.");
}

/** Accepts a message, or refuses it with Twilio's error for the first thing that is wrong. */
export async function createMessage(
  call: Call,
  caller: TwilioCaller,
  form: TwilioForm,
): Promise<CreatedMessage | Problem> {
  const { core, request, requestId } = call;
  const { account } = caller;
  const address = form.get("To");
  if (address === null) throw new TwilioRefusal("toRequired", "A To is required.");
  const { channel, text: number } = readAddress(address);
  if (!hasScope(account, `send:${channel}`))
    throw new TwilioRefusal("forbidden", `The API key may not send by ${channel}.`);
  refuseUnsupported(form);
  const body = form.get("Body");
  const mediaUrls = form.all("MediaUrl");
  const content = mediaUrls.length > 0 ? "media" : "text";
  const sender = {
    channel,
    content,
    from: form.get("From"),
    service: form.get("MessagingServiceSid"),
  } as const;
  const named = {
    number,
    schedule_at: scheduleOf(form, account, core.clock.now()),
    gateway_identifier: await gatewayFor(core, account, sender),
  };
  const contact = contactOf(channel, named, { body, mediaUrls });
  const statusCallback = callbackOf(form, call, caller);
  const key = idempotencyKey(request);
  if (typeof key === "object" && key !== null) throw new TwilioRefusal("invalidParameter", key.message);
  await refuseOptedOut(call, account, channel, number);
  if (statusCallback !== null) await openStatusCallbacks(core, account.id);
  const result = await core.acceptance.send({
    account,
    requestId,
    channel,
    send: { contacts: [contact], issues: [] },
    upload: null,
    idempotency: key === null ? null : { path: "/api/twilio/Messages.json", key },
    ...(statusCallback === null ? {} : { statusCallback }),
  });
  if (result.kind !== "accepted" && result.kind !== "replayed") return refusal(result);
  const [id, status] = [result.ids[0]!, result.statuses[0]!];
  return { id, channel, status, to: number, body: body ?? "", replayed: result.kind === "replayed" };
}

/** The answer to a message that was not accepted. */
function refusal(result: Exclude<AcceptResult, { kind: "accepted" | "replayed" }>): Problem {
  switch (result.kind) {
    case "invalid":
      throw refusalOf(result.issues[0]!);
    case "mismatch":
      return idempotencyMismatch();
    case "in_progress":
      return problem("idempotency_in_progress", { retryAfterMs: 1_000 });
    case "insufficient_credit":
      return problem("insufficient_credit", {
        message: `This message needs ${result.needed} credits, and ${result.remaining} remain. It was not accepted.`,
      });
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
  }
}
