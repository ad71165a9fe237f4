// The files of mails, read when they go out. A campaign sends one file ten thousand times, so what was read lately is
// kept, by its content and up to a bound; concurrent sends of one file wait for one reading of it.

import { AttachmentReadError, type OutgoingAttachment } from "#gateways/gateway.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Database } from "#store/database.ts";
import { readMailFilePieces, readMailFiles } from "#store/email/bodies.ts";

export interface MailFiles {
  /** The files of a request, in its order. */
  forRequest(requestId: string): Promise<readonly OutgoingAttachment[]>;
}

/** Requests whose lists of files are kept. */
const maxCachedLists = 200;
/** Pieces of a file read at once: about 1 MiB. */
const piecesPerRead = 4;

/** `keepBytes`: how much content is kept; a file that is larger is read by each who asks. */
export function createMailFiles(database: Database, keepBytes = 32 * 1024 * 1024): MailFiles {
  const lists = new LruCache<string, Promise<readonly OutgoingAttachment[]>>(maxCachedLists);
  const contents = new LruCache<string, Promise<Buffer>>(keepBytes);

  const list = async (requestId: string) => {
    const files = await database.run(readMailFiles, requestId);
    return files.map(({ id, filename, content_type: contentType, size, sha256 }) => ({
      filename,
      contentType,
      size,
      sha256,
      content: () => contents.getOrCreate(sha256, () => read(database, id, size), size),
    }));
  };

  return { forRequest: (requestId) => lists.getOrCreate(requestId, () => list(requestId)) };
}

/** Rejects with `AttachmentReadError` alone. */
async function read(database: Database, id: string, size: number): Promise<Buffer> {
  try {
    const bytes = Buffer.alloc(size);
    let filled = 0;
    for (let from = 0; filled < size; from += piecesPerRead) {
      const pieces = await database.run(readMailFilePieces, { id, from, limit: piecesPerRead });
      if (pieces.length === 0) throw new Error("The content of an attachment is gone.");
      for (const piece of pieces) filled += bytes.write(piece, filled, "base64");
    }
    return bytes;
  } catch (cause) {
    throw new AttachmentReadError("An attachment could not be read.", { cause });
  }
}
