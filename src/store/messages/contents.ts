// What messages have besides their rows, by content: emails have columns and bodies of their own; `media`, `list` and `template` have a
// payload. Texts cost no statement, since only the contents of rows are compared.

import type { ContentKind, MessagePayload } from "#contract/messages/content.ts";
import { readOperation, type Tx } from "#store/database.ts";
import {
  type EmailColumns,
  maxPageBodyBytes,
  type RowsWithBodies,
  withEmailBodies,
  withEmailColumns,
} from "#store/email/emails.ts";
import type { MessagePayloadsTable } from "#store/schema/payloads.ts";
import type { MessagesTable } from "#store/schema/schema.ts";

/** The payload of a message that is to be stored. */
export interface NewPayload {
  message_id: string;
  payload: MessagePayload;
}

/** A message's payload as lookups and events show it. */
export interface PayloadColumn {
  payload: MessagePayload;
}

/** Whether messages of the content have a payload. */
export const hasPayload = (content: ContentKind): boolean => content !== "text" && content !== "email";

const parsed = ({ payload }: Pick<MessagePayloadsTable, "payload">) => JSON.parse(payload) as MessagePayload;

type Row = Pick<MessagesTable, "id" | "channel" | "content" | "request_id">;

/** The rows with everything that belongs to their contents, including bodies of emails: as many, from the first, as fit in `bytes`. */
export async function withContents<R extends Row & Pick<MessagesTable, "body">>(
  tx: Tx,
  rows: readonly R[],
  bytes: number = maxPageBodyBytes,
): Promise<RowsWithBodies<R & Partial<PayloadColumn>>> {
  return await withEmailBodies(tx, await withPayloads(tx, rows), bytes);
}

/** The rows with everything that belongs to their contents except the bodies of emails. */
export async function withContentColumns<R extends Row>(
  tx: Tx,
  rows: readonly R[],
): Promise<(R & Partial<EmailColumns & PayloadColumn>)[]> {
  return await withEmailColumns(tx, await withPayloads(tx, rows));
}

/** The rows; those that have a payload include it. */
async function withPayloads<R extends { id: string; content: ContentKind }>(
  tx: Tx,
  rows: readonly R[],
): Promise<(R & Partial<PayloadColumn>)[]> {
  const ids = rows.filter(({ content }) => hasPayload(content)).map(({ id }) => id);
  if (ids.length === 0) return [...rows];
  const found = await tx.db
    .selectFrom(tx.indexed("message_payloads"))
    .selectAll()
    .where("message_id", "in", tx.list(ids))
    .execute();
  const byMessage = new Map(found.map((row) => [row.message_id, parsed(row)]));
  return rows.map((row) => {
    const payload = byMessage.get(row.id);
    return payload === undefined ? row : { ...row, payload };
  });
}

/** The payload of one message; null if it has none or it was removed. */
export const readPayload = readOperation(
  "readPayload",
  async (tx, id: string): Promise<MessagePayload | null> => {
    const row = await tx.db
      .selectFrom(tx.indexed("message_payloads"))
      .select("payload")
      .where("message_id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : parsed(row);
  },
);

/** The text of one message; null if it was removed. */
export const readBody = readOperation("readBody", async (tx, id: string): Promise<string | null> => {
  const row = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select("body")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.body ?? null;
});

/** Stores the payloads of sends with their messages. */
export async function insertPayloads(tx: Tx, payloads: readonly NewPayload[]): Promise<void> {
  if (payloads.length === 0) return;
  await tx.insert(
    "message_payloads",
    ["message_id", "payload"],
    [
      {
        constant: [],
        rows: payloads.map(({ message_id, payload }) => [message_id, JSON.stringify(payload)]),
      },
    ],
  );
}
