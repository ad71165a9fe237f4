// A mail that came whole, as the one file of its request. A short one is stored in the transaction that accepts it, since most mails are
// short and another transaction would be another flush; a longer one is staged in pieces before, as uploads are.

import { hash } from "node:crypto";
import type { Account } from "#accounts/account.ts";
import type { Core } from "#core/core.ts";
import { StorageError } from "#store/database.ts";
import { deleteUnboundFile, storeChunk, type UploadedFile } from "#store/email/attachments.ts";
import { type FileMeaning, pieceBytes, type RequestFiles } from "./request-files.ts";

type WrittenFileDeps = Pick<Core, "clock" | "database" | "log" | "newId">;

/** The file of one request. `discard()` must be called in the end, also after `commit()`. */
export class WrittenMailFile implements RequestFiles {
  readonly #deps: WrittenFileDeps;
  readonly #accountId: string;
  readonly #raw: Buffer;
  readonly #id: string;
  readonly #meaning: () => FileMeaning[];
  #staged = false;
  #committed = false;

  /** `meaning`: what makes two such mails equal for an idempotency key. */
  constructor(deps: WrittenFileDeps, account: Account, raw: Buffer, meaning: () => FileMeaning[]) {
    this.#deps = deps;
    this.#accountId = account.id;
    this.#raw = raw;
    this.#id = deps.newId("att");
    this.#meaning = meaning;
  }

  /** Stores the pieces of a long mail. Rejects with a `StorageError`. */
  async stage(): Promise<void> {
    if (this.#raw.length <= pieceBytes) return;
    const { database, clock } = this.#deps;
    this.#staged = true;
    for (let seq = 0, from = 0; from < this.#raw.length; seq += 1, from += pieceBytes) {
      const content = this.#raw.toString("base64", from, Math.min(from + pieceBytes, this.#raw.length));
      const piece = { id: this.#id, accountId: this.#accountId, seq, content, at: clock.now() };
      await database.run(storeChunk, piece);
    }
  }

  meaning(): FileMeaning[] {
    return this.#meaning();
  }

  files(): UploadedFile[] {
    return [
      {
        id: this.#id,
        filename: "mail.eml",
        content_type: "message/rfc822",
        size: this.#raw.length,
        sha256: hash("sha256", this.#raw),
        content_id: null,
        ...(this.#staged ? {} : { content: this.#raw.toString("base64") }),
      },
    ];
  }

  commit(): void {
    this.#committed = true;
  }

  /** Removes what was staged and not committed. What storage cannot remove now, maintenance removes later. */
  async discard(): Promise<void> {
    if (this.#committed || !this.#staged) return;
    const { database, clock, log } = this.#deps;
    const at = clock.now();
    try {
      while (!(await database.run(deleteUnboundFile, { id: this.#id, at })));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log.warn(
        { event: "attachment.removal_failed", error },
        "The file of a refused mail could not be removed; maintenance removes it.",
      );
    }
  }
}
