// The files of mails: stored a piece at a time while they are uploaded, bound to their request when it is accepted,
// emptied when no message needs them any more. A file without a request is unbound: its upload was interrupted, and it is
// removed after an hour. Contents are written and removed in small transactions, because others wait for the writer.

import { sql } from "kysely";
import type { Status } from "#contract/messages/channel.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";

/** One piece of a file. The first one (`seq` 0) also makes the file's row. */
export interface AttachmentChunk {
  id: string;
  accountId: string | null;
  seq: number;
  /** Base64 of a multiple of three bytes, but for the last piece; empty for a file without content. */
  content: string;
  /** Epoch ms. */
  at: number;
}

export const storeChunk = writeOperation("storeChunk", async (tx, piece: AttachmentChunk) => {
  const { id, accountId: account_id, seq, content, at } = piece;
  if (seq === 0) {
    // What it is called and how large it is are known, and checked, by the time it is bound.
    await tx.db
      .insertInto("attachments")
      .values({
        id,
        account_id,
        request_id: null,
        first_id: null,
        last_id: null,
        position: 0,
        filename: "",
        content_type: "",
        size: 0,
        sha256: "",
        content_id: null,
        created_at: at,
        content_deleted_at: null,
      })
      .execute();
  }
  if (content !== "") {
    await tx.db.insertInto("attachment_chunks").values({ attachment_id: id, seq, content }).execute();
  }
});

/** A staged file that goes with a send. */
export interface UploadedFile {
  id: string;
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
  /** By which the HTML refers to it; null, or absent, for a file beside the mail. */
  content_id?: string | null;
  /** Base64 of a short file that was not staged: it is stored with its request. At most one piece. */
  content?: string;
}

interface SendWithFiles {
  requestId: string;
  accountId: string;
  at: number;
  messages: readonly { id: string }[];
  attachments?: readonly UploadedFile[];
}

/** Unbound files are deleted after this, ms. */
export const unboundTtlMs = 3_600_000;
/** And cannot be bound after this: so binding and deleting hardly ever wait for each other. */
const bindableMs = unboundTtlMs / 2;

/** Of the sends, those whose files are not all there (any more). Locks the others'. */
export async function findSendsMissingFiles<S extends SendWithFiles>(
  tx: Tx,
  sends: readonly S[],
): Promise<ReadonlySet<S>> {
  const missing = new Set<S>();
  for (const send of sends) {
    const { at } = send;
    const attachments = (send.attachments ?? []).filter(({ content }) => content === undefined);
    if (attachments.length === 0) continue;
    const rows = await tx.db
      .selectFrom("attachments")
      .select("id")
      .where(
        "id",
        "in",
        attachments.map(({ id }) => id),
      )
      .where("request_id", "is", null)
      // Its removal has not begun, however long ago `at` was read.
      .where("content_deleted_at", "is", null)
      .where("created_at", ">", at - bindableMs)
      .orderBy("id")
      .modifyEnd(tx.lock("update"))
      .execute();
    if (rows.length < attachments.length) missing.add(send);
  }
  return missing;
}

/** Gives files to the requests that they came with: stores those that are still to be stored. */
export async function bindFiles(tx: Tx, sends: readonly SendWithFiles[]): Promise<void> {
  await insertFiles(tx, sends);
  for (const { requestId, accountId, messages, attachments = [] } of sends) {
    for (const [position, { id, content, ...columns }] of attachments.entries()) {
      if (content !== undefined) continue;
      await tx.db
        .updateTable("attachments")
        .set({
          ...columns,
          position,
          account_id: accountId,
          request_id: requestId,
          first_id: messages[0]!.id,
          last_id: messages.at(-1)!.id,
        })
        .where("id", "=", id)
        .execute();
    }
  }
}

const fileColumns = [
  "id",
  "account_id",
  "request_id",
  "first_id",
  "last_id",
  "position",
  "filename",
  "content_type",
  "size",
  "sha256",
  "content_id",
  "created_at",
  "content_deleted_at",
] as const;

/** Stores the files that were not staged. */
async function insertFiles(tx: Tx, sends: readonly SendWithFiles[]): Promise<void> {
  const rows: (string | number | null)[][] = [];
  const pieces: (string | number)[][] = [];
  for (const { requestId, accountId, at, messages, attachments = [] } of sends) {
    for (const [position, file] of attachments.entries()) {
      const { id, filename, content_type, size, sha256, content_id = null, content } = file;
      if (content === undefined) continue;
      const ends = [messages[0]!.id, messages.at(-1)!.id];
      const about = [filename, content_type, size, sha256, content_id];
      rows.push([id, accountId, requestId, ...ends, position, ...about, at, null]);
      pieces.push([id, 0, content]);
    }
  }
  if (rows.length === 0) return;
  await tx.insert("attachments", fileColumns, [{ constant: [], rows }]);
  const columns = ["attachment_id", "seq", "content"] as const;
  await tx.insert("attachment_chunks", columns, [{ constant: [], rows: pieces }]);
}

/** Some pieces of a file: removing them is a few milliseconds of the writer. */
const chunkBatchSize = 8;

/** Removes pieces of a file; whether none is left. */
async function removePieces(tx: Tx, id: string): Promise<boolean> {
  const pieces = await tx.db
    .selectFrom("attachment_chunks")
    .select("seq")
    .where("attachment_id", "=", id)
    .orderBy("seq")
    .limit(chunkBatchSize)
    .execute();
  const last = pieces.at(-1);
  if (last === undefined) return true;
  await tx.db
    .deleteFrom(tx.indexed("attachment_chunks"))
    .where("attachment_id", "=", id)
    .where("seq", "<=", last.seq)
    .execute();
  return pieces.length < chunkBatchSize;
}

/**
 * One step of deleting an unbound file; true: it is deleted, or was bound meanwhile. To be called until then. From the
 * first step on it cannot be bound any more. `at`: epoch ms.
 */
export const deleteUnboundFile = writeOperation(
  "deleteUnboundFile",
  async (tx, input: { id: string; at: number }): Promise<boolean> => {
    const { id, at } = input;
    // A transaction that binds it either holds the row's lock, and this one waits, or waits for this one and sees the mark.
    const row = await tx.db
      .updateTable("attachments")
      .set((eb) => ({ content_deleted_at: eb.fn.coalesce("content_deleted_at", eb.val(at)) }))
      .where("id", "=", id)
      .where("request_id", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (!row) return true;
    if (!(await removePieces(tx, id))) return false;
    await tx.db.deleteFrom("attachments").where("id", "=", id).execute();
    return true;
  },
);

/** Unbound files that were uploaded before, oldest first. */
export const findUnboundFiles = readOperation(
  "findUnboundFiles",
  async (tx, input: { before: number; limit: number }): Promise<string[]> => {
    const rows = await tx.db
      .selectFrom("attachments")
      .select("id")
      .where("request_id", "is", null)
      .where("created_at", "<", input.before)
      .orderBy("created_at")
      .limit(input.limit)
      .execute();
    return rows.map(({ id }) => id);
  },
);

/** Where a message may still be sent from: `unknown` too, since its account may have it sent again. */
const needing = ["queued", "scheduled", "sending", "unknown"] as const satisfies readonly Status[];

/** A page of files with content, and which of them no message needs any more. */
export interface UnneededFiles {
  unneeded: string[];
  /** Where the next page goes on; null if there is no more. */
  next: string | null;
}

/** Files with content, behind `after`. */
export const findUnneededFiles = readOperation(
  "findUnneededFiles",
  async (tx, input: { after: string; limit: number }): Promise<UnneededFiles> => {
    const page = await tx.db
      .selectFrom("attachments")
      .select(["id", "account_id", "request_id", "first_id", "last_id"])
      .where("id", ">", input.after)
      .where("request_id", "is not", null)
      .where("content_deleted_at", "is", null)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const unneeded: string[] = [];
    const needed = new Map<string | null, boolean>();
    for (const { id, account_id, request_id, first_id, last_id } of page) {
      let is = needed.get(request_id);
      if (is === undefined) {
        // A message has no index of its request: the walk is along that of statuses, between the request's own ids.
        const stretches = needing.map(
          (status) => sql`exists (
            select 1 from ${tx.indexed("messages", "messages_status")} where account_id = ${account_id} and channel = 'email' and status = ${status}
              and id >= ${first_id} and id <= ${last_id} and request_id = ${request_id}
          )`,
        );
        const { rows } = await sql<{ needed: number }>`
          select case when ${sql.join(stretches, sql` or `)} then 1 else 0 end as needed
        `.execute(tx.db);
        is = Number(rows[0]!.needed) === 1;
        needed.set(request_id, is);
      }
      if (!is) unneeded.push(id);
    }
    return { unneeded, next: page.length < input.limit ? null : page.at(-1)!.id };
  },
);

/** One step of removing a file's content; true: it is empty. What is known of the file stays. To be called until then. */
export const deleteFileContent = writeOperation(
  "deleteFileContent",
  async (tx, input: { id: string; at: number }): Promise<boolean> => {
    const { id, at } = input;
    if (!(await removePieces(tx, id))) return false;
    await tx.db
      .updateTable("attachments")
      .set({ content_deleted_at: at })
      .where("id", "=", id)
      .where("content_deleted_at", "is", null)
      .execute();
    return true;
  },
);
