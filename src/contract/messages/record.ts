// The message record that lookups, cancel and webhooks show. Field names are public: adding one is fine, renaming or
// removing one breaks clients.

import { z } from "zod";
import { statusWord } from "./channel-word.ts";
import { mediaKinds } from "./content.ts";
import { waitingFor } from "./waiting-for.ts";

const instant = z.iso.datetime({ precision: 3 }).meta({ examples: ["2026-03-01T09:30:00.000Z"] });

/** One line of a message's history. */
export const messageEvent = z
  .object({
    at: instant.describe("When it happened (ISO 8601, UTC)."),
    type: z.string().describe("What happened: a status, or a step on the way to one."),
    detail: z.string().nullable().describe("More about the event, in plain words."),
  })
  .meta({ id: "MessageEvent" });
export type MessageEvent = z.output<typeof messageEvent>;

/** Why a message was not sent. */
export const messageError = z
  .object({ code: z.string(), message: z.string() })
  .meta({
    id: "MessageError",
    description: "Why the message was not sent or not delivered, or why the last attempt failed.",
  })
  .nullable();

/** Fields that the records of every channel have. */
const shared = {
  id: z
    .string()
    .describe("The message's id.")
    .meta({ examples: ["msg_01k3j5m8q2x9v7n4c6b0d1f3gh"] }),
  request_id: z.string().describe("The send request that contained the message."),
  status: statusWord.describe("The message's status."),
  test: z.boolean().describe("Whether a sandbox gateway accepted the message, so nothing was sent."),
  gateway_identifier: z
    .string()
    .nullable()
    .describe("The gateway that sends the message; null if it no longer exists."),
  message: z.string().describe("The body."),
  schedule_at: z
    .string()
    .nullable()
    .describe("The `schedule_at` of the request, in the account's time zone; null to send at once."),
  scheduled_for: instant.nullable().describe("The instant that `schedule_at` means; null to send at once."),
  created_at: instant.describe("When the message was accepted."),
  updated_at: instant.describe("When the record last changed."),
  next_attempt_at: instant.nullable().describe("When the next attempt is due; null if none is."),
  waiting_for: waitingFor
    .nullable()
    .optional()
    .describe("Why it waits; null if it does not. Absent in events."),
  sent_at: instant.nullable().describe("When the provider accepted it."),
  delivered_at: instant.nullable().describe("When the provider reported delivery."),
  read_at: instant.nullable().describe("When the recipient read the message, if the channel reports it."),
  attempts: z.int().min(0).describe("Transmissions attempted so far."),
  provider_reference: z.string().nullable().describe("The provider's own id of the message."),
  reference: z.string().nullable().describe("The `reference` of the request."),
  metadata: z.record(z.string(), z.string()).nullable().describe("The `metadata` of the request."),
  error: messageError,
  events: z.array(messageEvent).optional().describe("The timeline; only in the record of a single message."),
};

/** The record of an SMS. */
export const smsRecord = z
  .object({
    ...shared,
    channel: z.literal("sms"),
    number: z
      .string()
      .describe("The number as it was given.")
      .meta({ examples: ["+49 151 23456789"] }),
    recipient: z
      .string()
      .describe("The number in E.164, or a short code.")
      .meta({ examples: ["+4915123456789"] }),
    segments: z.int().min(1).describe("The number of SMS parts, which is the price in credit."),
    encoding: z.enum(["gsm7", "ucs2"]).describe("The encoding that the text needs."),
  })
  .meta({ id: "SmsRecord" });
export type SmsRecord = z.output<typeof smsRecord>;

const listRow = z.object({ id: z.string(), title: z.string(), description: z.string().nullable() });
const listSection = z.object({ title: z.string().nullable(), rows: z.array(listRow).readonly() });

/** The record of a WhatsApp message. */
export const whatsappRecord = z
  .object({
    ...shared,
    channel: z.literal("whatsapp"),
    number: z
      .string()
      .describe("The number as it was given.")
      .meta({ examples: ["+49 151 23456789"] }),
    recipient: z
      .string()
      .describe("The number in E.164.")
      .meta({ examples: ["+4915123456789"] }),
    media: z
      .enum(mediaKinds)
      .nullable()
      .describe("The type of the file at `url`; null if the message has no file."),
    url: z.string().nullable().describe("The URL of the file, as it was given."),
    filename: z.string().nullable().describe("The name of the file, without folders."),
    list: z
      .object({
        header: z.string().nullable(),
        footer: z.string().nullable(),
        button: z.string(),
        sections: z.array(listSection).readonly(),
      })
      .meta({ id: "WhatsappList" })
      .nullable()
      .describe("The list to choose from; null if the message is not a list."),
    template: z
      .object({
        name: z.string(),
        language: z.string(),
        parameters: z
          .union([z.array(z.string()).readonly(), z.record(z.string(), z.string()).readonly()])
          .nullable(),
        components: z
          .array(z.looseObject({ type: z.string() }))
          .readonly()
          .nullable(),
      })
      .meta({ id: "WhatsappTemplateCall" })
      .nullable()
      .describe("The template that was sent instead of the text; null if there is none."),
  })
  .meta({ id: "WhatsappRecord" });
export type WhatsappRecord = z.output<typeof whatsappRecord>;

/** A recipient of a mail to several, and what became of the mail to them. */
const mailRecipient = z
  .object({ email: z.string(), field: z.enum(["to", "cc", "bcc"]), status: statusWord, error: messageError })
  .meta({ id: "MailRecipient" });

/** The record of an email. */
export const emailRecord = z
  .object({
    ...shared,
    channel: z.literal("email"),
    email: z
      .string()
      .describe("The address as it was given.")
      .meta({ examples: ["ada@example.com"] }),
    subject: z.string(),
    sender_name: z.string().nullable().describe("The name in the request; null for the gateway's name."),
    reply_to_email: z.string().nullable(),
    from_email: z.string().nullable(),
    tags: z.array(z.string()),
    text: z.string().optional(),
    names: z
      .record(z.string(), z.string())
      .optional()
      .describe("The names of recipients, by their addresses in lower case; absent without any."),
    recipients: z.array(mailRecipient).describe("Empty for a mail to one recipient."),
    attachments: z
      .array(
        z
          .object({
            filename: z.string(),
            size: z.int().min(0).describe("Bytes."),
            content_type: z.string(),
          })
          .meta({ id: "SentFile" }),
      )
      .describe("The attached files, in order."),
    opened_at: instant
      .nullable()
      .describe(
        "When a person first opened the email, as far as tracking can tell; always null without open tracking.",
      ),
    open_count: z
      .int()
      .min(0)
      .describe("How often the email was opened. Openings by machines are not counted."),
  })
  .meta({ id: "EmailRecord" });
export type EmailRecord = z.output<typeof emailRecord>;

/** The record of a message on any channel; `channel` determines its schema. */
export const messageRecord = z
  .discriminatedUnion("channel", [smsRecord, whatsappRecord, emailRecord])
  .meta({ id: "MessageRecord" });
export type MessageRecord = z.output<typeof messageRecord>;
