// The stored form of a send, and its encoding for the SQLite thread.

import type { Channel } from "#contract/messages/channel.ts";
import type { InputCodec, LongTextsIn, TextPlace } from "#store/database.ts";
import type { UploadedFile } from "#store/email/attachments.ts";
import type { NewMailRecipient } from "#store/email/mail-recipients.ts";
import type { EmailsTable } from "#store/schema/email.ts";
import type { MessagesTable } from "#store/schema/schema.ts";
import type { StatusCallbacksTable } from "#store/schema/webhooks.ts";
import type { NewPayload } from "./contents.ts";
import type { IdempotencyKey } from "./idempotency-keys.ts";
import type { Route } from "./router.ts";

/** The columns in which the messages of a send differ, in the order of their encoding. */
export const messageColumns = [
  "id",
  "gateway_id",
  "gateway_pinned",
  "recipient_raw",
  "recipient",
  "content",
  "body",
  "test",
  "status",
  "due_at",
  "schedule_at",
  "scheduled_for",
  "encoding",
  "segments",
  "cost",
  "reference",
  "metadata",
] as const satisfies readonly (keyof MessagesTable)[];

/** A message to be stored. An email's body is here too, and is stored beside its message. */
export interface NewMessage extends Pick<MessagesTable, (typeof messageColumns)[number]> {
  status: "queued" | "scheduled";
  due_at: number;
}

export const emailColumns = [
  "message_id",
  "subject",
  "sender_name",
  "reply_to",
  "extras",
] as const satisfies readonly (keyof EmailsTable)[];

/** What an email has besides its message. */
export type NewEmail = Pick<EmailsTable, (typeof emailColumns)[number]>;

export interface SendInput {
  requestId: string;
  accountId: string;
  channel: Channel;
  /** Epoch ms of acceptance. */
  at: number;
  priority: number;
  /** The cost of the whole request, and the time from which a monthly allowance counts as renewed. */
  cost: number;
  renewedFrom: number;
  /** Null if the caller gave no key; then every request is new. */
  idempotencyKey: IdempotencyKey | null;
  messages: readonly NewMessage[];
  /** For emails: one for each message. */
  emails?: readonly NewEmail[];
  /** The recipients of mails to several. */
  recipients?: readonly NewMailRecipient[];
  /** For mails that have one. */
  textParts?: readonly { message_id: string; text: string }[];
  /** For messages that have one. */
  payloads?: readonly NewPayload[];
  /** For messages that have one. */
  statusCallbacks?: readonly StatusCallbacksTable[];
  /** Files that were staged for it, in their order. */
  attachments?: readonly UploadedFile[];
  /** The routes among its gateways, and where in [0, 1) their choices begin. */
  routes?: { list: readonly Route[]; point: number };
}

/** Encodes values without field names, which would be half of the text, and long bodies separately. */
export const sendCodec: InputCodec<SendInput> = {
  // Copied as a whole and then replaced: leaving fields out of a copy is slow, and this is the hot path.
  encode: (send: SendInput, texts): EncodedSend => {
    const messages = send.messages.map((message) => {
      const values: CrossingValues = messageValues(message);
      values[bodyAt] = texts.put(message.body);
      return values;
    });
    return send.emails
      ? { ...send, messages, emails: send.emails.map(emailValues) }
      : { ...(send as Omit<SendInput, "emails">), messages };
  },
  decode: (encoded, texts): SendInput => {
    // In place: the values and the objects of 100,000 messages together would take 30 MiB more.
    const send = encoded as { messages: unknown[]; emails?: unknown[] };
    replaceEach(send.messages, (values) => messageOf(values as CrossingValues, texts));
    if (send.emails) replaceEach(send.emails, (values) => emailOf(values as EmailValues));
    return encoded as SendInput;
  },
};

/** Approximate size of its bodies in bytes: two a character, as needed beyond Latin-1. */
export function bytesOfSend(send: Pick<SendInput, "messages" | "textParts" | "attachments">): number {
  const { messages, textParts = [], attachments = [] } = send;
  let characters = 0;
  for (const { content = "" } of attachments) characters += content.length;
  for (const { text } of textParts) characters += text.length;
  for (const { body } of messages) characters += body?.length ?? 0;
  return 2 * characters;
}

/** A send with its messages and emails as arrays of values: a bulk send is sent as text, and names would be half of it. */
type EncodedSend = Omit<SendInput, "messages" | "emails"> & {
  messages: CrossingValues[];
  emails?: EmailValues[];
};

type ValuesOf<R, Columns extends readonly (keyof R)[]> = {
  -readonly [I in keyof Columns]: R[Columns[I]];
};
/** The values of a `NewMessage`, in the order of `messageColumns`. */
export type MessageValues = ValuesOf<NewMessage, typeof messageColumns>;
/** The same, with the index of a long body in place of the body. */
type CrossingValues = { [I in keyof MessageValues]: MessageValues[I] | TextPlace };
const bodyAt = messageColumns.indexOf("body");
type EmailValues = ValuesOf<NewEmail, typeof emailColumns>;

function replaceEach(list: unknown[], replace: (item: unknown) => unknown): void {
  for (let at = 0; at < list.length; at += 1) list[at] = replace(list[at]);
}

// Written out: a loop over the columns made a bulk send an eighth more expensive.
export function messageValues(message: NewMessage): MessageValues {
  const { id, gateway_id, gateway_pinned, recipient_raw, recipient, content, body, test } = message;
  const { status, due_at, schedule_at, scheduled_for, encoding, segments, cost, reference, metadata } =
    message;
  return [
    id,
    gateway_id,
    gateway_pinned,
    recipient_raw,
    recipient,
    content,
    body,
    test,
    status,
    due_at,
    schedule_at,
    scheduled_for,
    encoding,
    segments,
    cost,
    reference,
    metadata,
  ];
}

function messageOf(values: CrossingValues, texts: LongTextsIn): NewMessage {
  // biome-ignore format: one line for each group of columns, as above
  const [
    id, gateway_id, gateway_pinned, recipient_raw, recipient, content, body, test,
    status, due_at, schedule_at, scheduled_for, encoding, segments, cost, reference, metadata,
  ] = values as MessageValues;
  const message: NewMessage = {
    id,
    gateway_id,
    gateway_pinned,
    recipient_raw,
    recipient,
    content,
    body,
    test,
    status,
    due_at,
    schedule_at,
    scheduled_for,
    encoding,
    segments,
    cost,
    reference,
    metadata,
  };
  const place: unknown = body;
  if (Array.isArray(place))
    Object.defineProperty(message, "body", { get: () => texts.get(place as TextPlace), enumerable: true });
  return message;
}

export const emailValues = ({
  message_id,
  subject,
  sender_name,
  reply_to,
  extras,
}: NewEmail): EmailValues => [message_id, subject, sender_name, reply_to, extras];

const emailOf = ([message_id, subject, sender_name, reply_to, extras]: EmailValues): NewEmail => ({
  message_id,
  subject,
  sender_name,
  reply_to,
  extras,
});
