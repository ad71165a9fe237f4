// A mail that is about to go out: its body, which its lane did not read ahead, and its files.

import { readOperation } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import type { AttachmentsTable, EmailBodiesTable, EmailsTable } from "#store/schema/email.ts";
import type { MessagesTable } from "#store/schema/schema.ts";

export type Mail = Pick<MessagesTable, "id" | "account_id" | "request_id" | "recipient"> &
  Pick<EmailsTable, "subject" | "sender_name" | "reply_to"> &
  Pick<EmailBodiesTable, "body">;

/** The mail of a message; null when it has been removed. */
export const readMail = readOperation("readMail", async (tx, id: string): Promise<Mail | null> => {
  const looking = () =>
    tx.db
      .selectFrom(tx.indexed("messages"))
      .crossJoin(tx.indexed("emails"))
      .crossJoin(tx.indexed("email_bodies"))
      .whereRef("emails.message_id", "=", "messages.id")
      .whereRef("email_bodies.message_id", "=", "messages.id")
      .select(["messages.id", "messages.account_id", "messages.request_id", "messages.recipient"])
      .select(["emails.subject", "emails.sender_name", "emails.reply_to", "email_bodies.body"])
      .where("messages.id", "=", id)
      .compile();
  const { rows } = await tx.db.executeQuery(compiledOnce(tx, "readMail", looking, [id]));
  return rows[0] ?? null;
});

export type MailFile = Pick<AttachmentsTable, "id" | "filename" | "content_type" | "size" | "sha256">;

/** The files of a request, in its order. */
export const readMailFiles = readOperation(
  "readMailFiles",
  async (tx, requestId: string): Promise<MailFile[]> =>
    await tx.db
      .selectFrom("attachments")
      .select(["id", "filename", "content_type", "size", "sha256"])
      .where("request_id", "=", requestId)
      .orderBy("position")
      .execute(),
);

/** The base64 of a file's pieces from `seq` on, `limit` of them: several calls, so that no answer is huge. */
export const readMailFilePieces = readOperation(
  "readMailFilePieces",
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
