// What an email stores besides its message row: its columns and attachments, which lookups and events show, and its body, which lookups and
// composing read. Rows of other channels pass unchanged and cost no statement: for a page without an email, only the channels of the rows
// are compared.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, type Tx } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import type { AttachmentsTable, EmailBodiesTable, EmailsTable, MailExtras } from "#store/schema/email.ts";
import type { MessagesTable } from "#store/schema/schema.ts";
import { type RecipientColumns, recipientsOf } from "./mail-recipients.ts";

/** A file as lookups show it. */
export type AttachmentHead = Pick<AttachmentsTable, "filename" | "size" | "content_type">;

export type EmailColumns = Pick<
  EmailsTable,
  "subject" | "sender_name" | "reply_to" | "opened_at" | "open_count"
> & {
  /** In the order of the request. */
  attachments: readonly AttachmentHead[];
  extras: MailExtras | null;
  /** In the order of the request; empty for a mail to one. */
  recipients: readonly RecipientColumns[];
  /** The caller's own text part, where bodies are read. */
  text_part?: string | null;
};

/** Most bytes of email bodies in one answer: one may have 5 MiB, and a page of 200 of them would exceed the longest string. */
export const maxPageBodyBytes = 8 * 1024 * 1024;

export interface RowsWithBodies<R> {
  /** The first rows whose bodies fit; at least one. */
  rows: (R & Partial<EmailColumns>)[];
  /** What remains of the bytes; not above 0 if they are used up. */
  bytesLeft: number;
}

/** The size of the bodies of these emails in bytes. Both engines know it without reading them. */
export async function bodyLengths(tx: Tx, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ message_id: string; bytes: number }>`
    select message_id, octet_length(body) + coalesce(octet_length(text_part), 0) as bytes from ${tx.indexed("email_bodies")} where message_id in ${tx.list(ids)}
  `.execute(tx.db);
  return new Map(rows.map((row) => [row.message_id, row.bytes]));
}

/** The rows; emails include their own columns and their bodies. Returns as many, from the first, as fit in `bytes`. */
export async function withEmailBodies<
  R extends { id: string; channel: Channel; request_id: string; body: string },
>(tx: Tx, rows: readonly R[], bytes: number = maxPageBodyBytes): Promise<RowsWithBodies<R>> {
  const emails = rows.filter(({ channel }) => channel === "email");
  if (emails.length === 0) return { rows: [...rows], bytesLeft: bytes };
  const lengthOf = await bodyLengths(
    tx,
    emails.map(({ id }) => id),
  );
  const fitting: R[] = [];
  let bytesLeft = bytes;
  for (const row of rows) {
    const length = lengthOf.get(row.id) ?? 0;
    if (length > bytesLeft && fitting.length > 0) break;
    bytesLeft -= length;
    fitting.push(row);
  }
  const shown = fitting.filter(({ channel }) => channel === "email").map(({ id }) => id);
  const bodies = await tx.db
    .selectFrom(tx.indexed("email_bodies"))
    .select(["message_id", "body", "text_part"])
    .where("message_id", "in", tx.list(shown))
    .execute();
  const bodyOf = new Map(bodies.map(({ message_id, ...texts }) => [message_id, texts]));
  const whole = fitting.map((row) => ({ ...row, ...bodyOf.get(row.id) }));
  return { rows: await withEmailColumns(tx, whole), bytesLeft };
}

/** The rows; emails include their own columns, but not their bodies. */
export async function withEmailColumns<R extends { id: string; channel: Channel; request_id: string }>(
  tx: Tx,
  rows: readonly R[],
): Promise<(R & Partial<EmailColumns>)[]> {
  const emails = rows.filter(({ channel }) => channel === "email");
  if (emails.length === 0) return [...rows];
  const ids = tx.list(emails.map(({ id }) => id));
  const found = await tx.db
    .selectFrom(tx.indexed("emails"))
    .select(["message_id", "subject", "sender_name", "reply_to", "extras", "opened_at", "open_count"])
    .where("message_id", "in", ids)
    .execute();
  const requests = [...new Set(emails.map(({ request_id }) => request_id))];
  const files = await tx.db
    .selectFrom(tx.indexed("attachments", "attachments_request"))
    .select(["request_id", "filename", "size", "content_type"])
    .where("request_id", "in", tx.list(requests))
    .orderBy("request_id")
    .orderBy("position")
    .execute();
  const byRequest = new Map<string | null, AttachmentHead[]>();
  for (const { request_id, ...file } of files) {
    const known = byRequest.get(request_id);
    if (known === undefined) byRequest.set(request_id, [file]);
    else known.push(file);
  }
  const byMessage = new Map(
    found.map(({ message_id, extras, ...columns }) => [message_id, { ...columns, extras: extrasOf(extras) }]),
  );
  const several = [...byMessage].flatMap(([id, { extras }]) =>
    extras?.recipients === undefined ? [] : [id],
  );
  const recipients = await recipientsOf(tx, several);
  return rows.map((row) => {
    const columns = byMessage.get(row.id);
    if (columns === undefined) return row;
    const attachments = byRequest.get(row.request_id) ?? [];
    return { ...row, ...columns, attachments, recipients: recipients.get(row.id) ?? [] };
  });
}

const extrasOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as MailExtras));

export type ComposableEmail = Pick<MessagesTable, "id" | "account_id" | "request_id" | "recipient"> &
  Pick<EmailsTable, "subject" | "sender_name" | "reply_to"> &
  Pick<EmailBodiesTable, "body" | "text_part"> & { extras: MailExtras | null };

/** The mail of a message; null if it has been removed. */
export const readEmail = readOperation(
  "readEmail",
  async (tx, id: string): Promise<ComposableEmail | null> => {
    const compile = () =>
      tx.db
        .selectFrom(tx.indexed("messages"))
        .crossJoin(tx.indexed("emails"))
        .crossJoin(tx.indexed("email_bodies"))
        .whereRef("emails.message_id", "=", "messages.id")
        .whereRef("email_bodies.message_id", "=", "messages.id")
        .select(["messages.id", "messages.account_id", "messages.request_id", "messages.recipient"])
        .select(["emails.subject", "emails.sender_name", "emails.reply_to", "emails.extras"])
        .select(["email_bodies.body", "email_bodies.text_part"])
        .where("messages.id", "=", id)
        .compile();
    const { rows } = await tx.db.executeQuery(compiledOnce(tx, "readEmail", compile, [id]));
    return rows[0] ? { ...rows[0], extras: extrasOf(rows[0].extras) } : null;
  },
);

export type EmailFile = Pick<
  AttachmentsTable,
  "id" | "filename" | "content_type" | "size" | "sha256" | "content_id"
>;

/** The files of a request, in its order. */
export const readEmailFiles = readOperation(
  "readEmailFiles",
  async (tx, requestId: string): Promise<EmailFile[]> =>
    await tx.db
      .selectFrom("attachments")
      .select(["id", "filename", "content_type", "size", "sha256", "content_id"])
      .where("request_id", "=", requestId)
      .orderBy("position")
      .execute(),
);

/** The base64 of at most `limit` pieces of a file, from `seq` on. Several calls, so that no answer is huge. */
export const readFileChunks = readOperation(
  "readFileChunks",
  async (tx, input: { id: string; from: number; limit: number }): Promise<string[]> => {
    const rows = await tx.db
      .selectFrom("attachment_chunks")
      .select("content")
      .where("attachment_id", "=", input.id)
      .where("seq", ">=", input.from)
      .where("seq", "<", input.from + input.limit)
      .orderBy("seq")
      .execute();
    return rows.map(({ content }) => content);
  },
);
