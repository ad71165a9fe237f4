// The files of mails, read when they are sent. A campaign sends one file ten thousand times, so contents are cached by
// their hash up to a bound, and concurrent sends of one file share one read.

import { AttachmentReadError, type OutgoingAttachment } from "#gateways/message.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Database } from "#store/database.ts";
import { readEmailFiles, readFileChunks } from "#store/email/emails.ts";

export interface MailFiles {
  /** The files of a request, in its order. */
  forRequest(requestId: string): Promise<readonly OutgoingAttachment[]>;
}

/** Requests whose lists of files are cached. */
const maxCachedLists = 200;
/** Pieces per query: about 1 MiB. */
const piecesPerRead = 4;

/** `cacheBytes`: how much content is cached; a larger file is read every time. */
export function createMailFiles(database: Database, cacheBytes = 32 * 1024 * 1024): MailFiles {
  const lists = new LruCache<string, Promise<readonly OutgoingAttachment[]>>(maxCachedLists);
  const contents = new LruCache<string, Promise<Buffer>>(cacheBytes);

  const list = async (requestId: string) => {
    const files = await database.run(readEmailFiles, requestId);
    return files.map(({ id, filename, content_type: contentType, size, sha256, content_id }) => ({
      ...(content_id === null ? {} : { contentId: content_id }),
      filename,
      contentType,
      size,
      sha256,
      content: () => contents.getOrCreate(sha256, () => read(database, id, size), size),
    }));
  };

  return { forRequest: (requestId) => lists.getOrCreate(requestId, () => list(requestId)) };
}

/** Rejects with `AttachmentReadError` only. */
async function read(database: Database, id: string, size: number): Promise<Buffer> {
  try {
    const bytes = Buffer.alloc(size);
    let filled = 0;
    for (let from = 0; filled < size; from += piecesPerRead) {
      const pieces = await database.run(readFileChunks, { id, from, limit: piecesPerRead });
      if (pieces.length === 0) throw new Error("The content of an attachment is missing.");
      for (const piece of pieces) filled += bytes.write(piece, filled, "base64");
    }
    return bytes;
  } catch (cause) {
    throw new AttachmentReadError("An attachment could not be read.", { cause });
  }
}
