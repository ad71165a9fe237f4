// Makes the rows of a send by the rules that need its account. The loop is the same for every channel; a channel defines the contents of a
// contact's message. All issues of all contacts are reported together with those found in the body.

import type { Account, AccountGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { Send, SharedDraft } from "#contract/messages/contacts.ts";
import type { ContentKind, MessagePayload } from "#contract/messages/content.ts";
import type { Measure } from "#contract/messages/segments.ts";
import { exceeds } from "#contract/normalise.ts";
import { sentences } from "#contract/wording.ts";
import type { UploadedFile } from "#store/email/attachments.ts";
import type { NewMailRecipient } from "#store/email/mail-recipients.ts";
import type { NewPayload } from "#store/messages/contents.ts";
import type { NewEmail, NewMessage } from "#store/messages/send.ts";
import { createRouter } from "./route.ts";

export interface PrepareTools {
  /** Epoch ms of acceptance. */
  now: number;
  newIds(prefix: string, count: number): string[];
  /** Lets other work run between slices of contacts. */
  yieldToEventLoop(): Promise<void>;
}

/** The rows of a send without issues. */
export interface ReadySend {
  kind: "ready";
  messages: readonly NewMessage[];
  emails?: readonly NewEmail[];
  recipients?: readonly NewMailRecipient[];
  textParts?: readonly { message_id: string; text: string }[];
  payloads?: readonly NewPayload[];
  attachments?: readonly UploadedFile[];
}

/** `invalid`: the issues of the body and those that need the account, together. */
export type PreparedSend = ReadySend | { kind: "invalid"; issues: Issue[] };

/** Contacts prepared before the event loop gets a turn. */
export const sliceSize = 1000;

/** The contents of a contact's message, besides its gateway and its time. `undefined`: the field has an issue. */
interface MessageParts {
  /** The recipient as the caller wrote it. */
  written: string | undefined;
  /** The normalised recipient; null if the channel cannot reach it. */
  recipient: string | null | undefined;
  content: ContentKind;
  body: string | undefined;
  /** The mail's own row. Only emails have one. */
  email?: Omit<NewEmail, "message_id"> | undefined;
  /** The recipients of a mail to several; absent for one. */
  recipients?: readonly Omit<NewMailRecipient, "message_id">[] | undefined;
  /** The caller's own text part. */
  textPart?: string | null | undefined;
  /** The message stays with the gateway that accepted it: others may not be able to send it. */
  stays?: boolean;
  /** Null if there is only the text. */
  payload?: MessagePayload | null;
}

/** How a channel makes messages from contacts. */
interface PrepareRules<Draft extends SharedDraft> {
  channel: Channel;
  partsOf(contact: Draft, country: string | null, send: Send<Draft>): MessageParts;
  /** What the gateway, or the contact as a whole, does not allow. */
  issuesOf?(contact: Draft, index: number, gateway: AccountGateway | null, send: Send<Draft>): Issue[];
  /** Whether a gateway reaches a recipient; by default each reaches all. */
  reaches?(gateway: AccountGateway, recipient: string): boolean;
  /** The maximum length of a gateway's body for the contact, in code points; null (the default) for no limit of its own. */
  maxCharsOf?(gateway: AccountGateway, contact: Draft): number | null;
  /** Measures the texts of one send, which cost a credit per segment; by default a message costs one credit. */
  createMeasurer?(): (text: string, gateway: AccountGateway) => Measure;
}

/** Returns a function that applies the rules that need the account, and makes the rows of a send. It stores nothing. */
export function createPreparer<Draft extends SharedDraft>({
  channel,
  partsOf,
  issuesOf,
  reaches,
  maxCharsOf,
  createMeasurer,
}: PrepareRules<Draft>) {
  return async (
    account: Account,
    send: Send<Draft>,
    { now, newIds, yieldToEventLoop }: PrepareTools,
  ): Promise<PreparedSend> => {
    const issues = [...send.issues];
    const routeOf = createRouter(account, channel, now, issues);
    const measureText = createMeasurer?.();
    const ids = newIds("msg", send.contacts.length);
    const messages: NewMessage[] = [];
    const emails: NewEmail[] = [];
    const payloads: NewPayload[] = [];
    const recipients: NewMailRecipient[] = [];
    const textParts: { message_id: string; text: string }[] = [];
    const refuseNumber = (index: number) => {
      const path = ["contact", index, "number"];
      issues.push({ path, message: sentences.phone(path) });
    };
    for (let index = 0; index < send.contacts.length; index++) {
      if (index > 0 && index % sliceSize === 0) await yieldToEventLoop();
      const contact = send.contacts[index]!;
      const parts = partsOf(contact, account.country, send);
      const { written, recipient, content, body, email, payload } = parts;
      if (recipient === null) refuseNumber(index);
      const { gateway, timing } = routeOf(contact, index, content);
      if (recipient != null && gateway !== null && reaches?.(gateway, recipient) === false)
        refuseNumber(index);
      const maxChars = gateway === null ? null : (maxCharsOf?.(gateway, contact) ?? null);
      if (maxChars !== null && body !== undefined && exceeds(body, maxChars)) {
        const path = ["contact", index, "message"];
        issues.push({ path, message: sentences.atMostCharacters(path, maxChars) });
      }
      if (issuesOf !== undefined) issues.push(...issuesOf(contact, index, gateway, send));
      if (issues.length > 0) continue;
      const isComplete = content !== "email" || email !== undefined;
      const isRouted = gateway !== null && timing !== null;
      if (written === undefined || recipient == null || body === undefined || !isRouted || !isComplete)
        throw new Error("A contact lacks a field, and has no issue.");
      const { encoding = null, segments = null } = measureText?.(body, gateway) ?? {};
      const id = ids[index]!;
      messages.push({
        id,
        gateway_id: gateway.id,
        // For a key that names its gateways: a message that moved could leave them.
        gateway_pinned:
          contact.gateway_identifier === null && account.key?.boundToGateways !== true && !parts.stays
            ? 0
            : 1,
        recipient_raw: written,
        recipient,
        content,
        body,
        test: gateway.test ? 1 : 0,
        status: timing.status,
        due_at: timing.dueAt,
        schedule_at: timing.scheduleAt,
        scheduled_for: timing.scheduledFor,
        encoding,
        segments,
        cost: gateway.test ? 0 : (segments ?? parts.recipients?.length ?? 1),
        reference: contact.reference ?? null,
        metadata: contact.metadata == null ? null : JSON.stringify(contact.metadata),
      });
      if (email !== undefined) emails.push({ message_id: id, ...email });
      for (const each of parts.recipients ?? []) recipients.push({ message_id: id, ...each });
      if (parts.textPart != null) textParts.push({ message_id: id, text: parts.textPart });
      if (payload != null) payloads.push({ message_id: id, payload });
    }
    if (issues.length > 0) return { kind: "invalid", issues };
    return {
      kind: "ready",
      messages,
      ...(emails.length === 0 ? {} : { emails }),
      ...(recipients.length === 0 ? {} : { recipients }),
      ...(textParts.length === 0 ? {} : { textParts }),
      ...(payloads.length === 0 ? {} : { payloads }),
    };
  };
}
