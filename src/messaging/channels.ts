// The channels as data: one row for each, so that code for messages of any channel reads the row instead of comparing names. A channel
// consists of its request (contract/messages/), its rules (accept/), its row here and its endpoint (http/routes/messages/).

import type { Account } from "#accounts/account.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { Send, SharedDraft } from "#contract/messages/contacts.ts";
import { type EmailDraft, readEmail, readEmailSlices } from "#contract/messages/email.ts";
import { mailPartsFingerprint } from "#contract/messages/mail/parts.ts";
import type { EmailRecord, SmsRecord, WhatsappRecord } from "#contract/messages/record.ts";
import { readSms, readSmsSlices, type SmsDraft } from "#contract/messages/sms.ts";
import {
  readWhatsapp,
  readWhatsappSlices,
  type WhatsappDraft,
  type WhatsappListDraft,
} from "#contract/messages/whatsapp.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { prepareEmail } from "./accept/email.ts";
import type { PreparedSend, PrepareTools } from "./accept/prepare.ts";
import { prepareSms } from "./accept/sms.ts";
import { prepareWhatsapp } from "./accept/whatsapp.ts";
import { emailAddress, phoneNumber, type RecipientKind, whatsappRecipient } from "./recipients.ts";

type OwnFields<ChannelRecord> = Omit<ChannelRecord, Exclude<keyof SmsRecord & keyof EmailRecord, "channel">>;

/** A channel's fields of the public record, besides those that every channel has. */
type ChannelRecord = OwnFields<SmsRecord> | OwnFields<WhatsappRecord> | OwnFields<EmailRecord>;

/** How a channel's messages are accepted and shown. `Draft`: one of its contacts. */
export interface SendingChannel<Draft extends SharedDraft = SharedDraft> {
  /** Reads a send body; yields between slices of contacts. */
  readSlices(body: unknown, limits: { maxContacts: number }): Generator<void, Send<Draft>, void>;
  read(body: unknown, limits: { maxContacts: number }): Send<Draft>;
  /** Applies the rules that need the account, and makes the rows. Stores nothing. */
  prepare(account: Account, send: Send<Draft>, tools: PrepareTools): Promise<PreparedSend>;
  /** The values by which two contacts are equal. Stored fingerprints are made of them, in this order. */
  fingerprint(contact: Draft): unknown[];
  /** The recipient as the caller wrote it. */
  writtenRecipient(contact: Draft): string | undefined;
  /** The unit of the channel's credit, as replies name it. */
  creditUnit: string;
  record(row: MessageRow): ChannelRecord;
  /** Whether webhook events show the body. */
  bodyInEvents: boolean;
  /** The fields of a test message's contact besides its gateway. */
  testContact(recipient: string, message: string): object;
}

interface MessageChannel {
  recipients: RecipientKind;
  sending: SendingChannel;
}

/** The caller's own reference and metadata: last, and only if there are any, since older fingerprints have none. */
const ownWords = ({ reference, metadata }: SharedDraft): unknown[] =>
  reference == null && metadata == null ? [] : [reference, metadata];

const sms: SendingChannel<SmsDraft> = {
  readSlices: readSmsSlices,
  read: readSms,
  prepare: prepareSms,
  fingerprint: (contact) => [
    contact.number,
    contact.message,
    contact.gateway_identifier,
    contact.schedule_at,
    ...ownWords(contact),
  ],
  writtenRecipient: ({ number }) => number,
  creditUnit: "SMS",
  record: (row) => ({
    channel: "sms",
    number: row.recipient_raw,
    recipient: row.recipient,
    segments: row.segments ?? 1,
    encoding: row.encoding ?? "gsm7",
  }),
  bodyInEvents: true,
  testContact: (number, message) => ({ number, message }),
};

const email: SendingChannel<EmailDraft> = {
  readSlices: readEmailSlices,
  read: readEmail,
  prepare: prepareEmail,
  fingerprint: (contact) => [
    contact.email,
    contact.subject,
    contact.message,
    contact.gateway_identifier,
    contact.sender_name,
    contact.reply_to_email,
    contact.schedule_at,
    ...mailPartsFingerprint(contact),
    ...ownWords(contact),
  ],
  writtenRecipient: (contact) => contact.email,
  creditUnit: "email",
  record: (row) => ({
    channel: "email",
    email: row.recipient_raw,
    subject: row.subject ?? "",
    sender_name: row.sender_name ?? null,
    reply_to_email: row.reply_to ?? null,
    from_email: row.extras?.from ?? null,
    tags: [...(row.extras?.tags ?? [])],
    ...(row.extras?.names === undefined ? {} : { names: { ...row.extras.names } }),
    recipients: (row.recipients ?? []).map(({ field, address, status, error_code, error_message }) => ({
      email: address,
      field,
      status: status ?? row.status,
      error: error_code === null ? null : { code: error_code, message: error_message ?? "" },
    })),
    ...(row.text_part == null ? {} : { text: row.text_part }),
    attachments:
      row.extras?.written?.map(([filename, size, content_type]) => ({ filename, size, content_type })) ??
      (row.attachments ?? []).map(({ filename, size, content_type }) => ({ filename, size, content_type })),
    opened_at: row.opened_at == null ? null : new Date(row.opened_at).toISOString(),
    open_count: row.open_count ?? 0,
  }),
  // A body may be megabytes long.
  bodyInEvents: false,
  testContact: (address, message) => ({ email: address, subject: "Trunkline test message", message }),
};

const whatsapp: SendingChannel<WhatsappDraft | WhatsappListDraft> = {
  readSlices: readWhatsappSlices,
  read: readWhatsapp,
  prepare: prepareWhatsapp,
  fingerprint: (contact) => {
    const { number, message, gateway_identifier, schedule_at } = contact;
    const shared = [number, message, gateway_identifier, schedule_at];
    if ("sections" in contact)
      return [
        ...shared,
        contact.header,
        contact.footer,
        contact.button,
        contact.sections,
        ...ownWords(contact),
      ];
    return [...shared, contact.media, contact.url, contact.filename, contact.template, ...ownWords(contact)];
  },
  writtenRecipient: ({ number }) => number,
  creditUnit: "WhatsApp",
  record: (row) => {
    const media = row.payload?.kind === "media" ? row.payload : null;
    const list = row.payload?.kind === "list" ? row.payload : null;
    const template = row.payload?.kind === "template" ? row.payload : null;
    return {
      channel: "whatsapp",
      number: row.recipient_raw,
      recipient: row.recipient,
      media: media?.media ?? null,
      url: media?.url ?? null,
      filename: media?.filename ?? null,
      list: list && {
        header: list.header,
        footer: list.footer,
        button: list.button,
        sections: list.sections,
      },
      template: template && {
        name: template.name,
        language: template.language,
        parameters: template.parameters,
        components: template.components,
      },
    };
  },
  bodyInEvents: true,
  testContact: (number, message) => ({ number, message }),
};

/** How each channel handles its messages and reads recipients. */
export const messageChannels: Readonly<Record<Channel, MessageChannel>> = {
  sms: { recipients: phoneNumber, sending: sms },
  whatsapp: { recipients: whatsappRecipient, sending: whatsapp },
  email: { recipients: emailAddress, sending: email },
};

/** A recipient in the form that messages and the suppression list use; null if the text is not a recipient. */
export function normaliseRecipient(channel: Channel, written: string, country: string | null): string | null {
  return messageChannels[channel].recipients.normalise(written, country);
}
