// Takes the files of one request in, whatever brings them: each piece is checked against the account's limits and
// goes to the store as soon as it is large enough, so a file is never whole in memory. After the first fault nothing
// more is stored, for the request will be refused; the rest is only looked at, so that every fault is told.

import { createHash, type Hash } from "node:crypto";
import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import {
  type AttachmentType,
  attachmentTypes,
  extensionOf,
  filenameIssue,
  filenameOf,
  type InlineFile,
} from "#contract/messages/attachments.ts";
import { sentences } from "#contract/wording.ts";
import type { Core } from "#core/core.ts";
import { StorageError } from "#store/database.ts";
import { type BoundFile, removeLooseFile, stagePiece } from "#store/email/attachments.ts";
import { contentTypeOf, headBytes, looksLike } from "./file-type.ts";

/** How many files a request may bring, and how large each may be, bytes. */
export type FileLimits = Account["attachments"];

export type AttachmentUploadDeps = Pick<Core, "clock" | "database" | "log" | "newId">;

/** A multiple of three, so that the base64 of the pieces is that of the whole: 256 KiB of it. */
const pieceBytes = 192 * 1024;

interface OpenFile {
  id: string;
  /** Its index: as its sender gave it, or behind those that came before it. They may come in any order. */
  order: number;
  filename: string;
  type: AttachmentType | null;
  size: number;
  head: Buffer;
  hash: Hash;
  /** What is not stored yet. */
  gathered: Buffer[];
  gatheredBytes: number;
  /** Pieces stored. */
  pieces: number;
}

type Taken = OpenFile & { sha256: string };

/** The files of one request. Whatever becomes of it, `end()` has to be called. */
export class AttachmentUpload {
  readonly #parts: AttachmentUploadDeps;
  readonly #limits: FileLimits;
  readonly #accountId: string;
  #open: OpenFile | null = null;
  /** Null: a place in the list whose own faults are told already. */
  readonly #taken: { order: number; file: Taken | null }[] = [];
  /** Ids of files that may have something in the store. */
  readonly #staged: string[] = [];
  #files = 0;
  #nextOrder = 0;
  #storing = true;
  #accepted = false;

  constructor(parts: AttachmentUploadDeps, account: Account) {
    this.#parts = parts;
    this.#limits = account.attachments;
    this.#accountId = account.id;
  }

  /** The request has a fault already: files are looked at, and not stored. */
  refuse(): void {
    this.#storing = false;
  }

  /** A file begins; the one before it must have ended. `order`: its index, where its sender gave one. */
  begin(given: string, order: number | null): void {
    const filename = filenameOf(given);
    const place = order ?? this.#nextOrder;
    this.#nextOrder = Math.max(this.#nextOrder, place + 1);
    this.#files += 1;
    this.#open = {
      id: this.#parts.newId("att"),
      order: place,
      filename,
      type: extensionOf(filename),
      size: 0,
      head: Buffer.alloc(0),
      hash: createHash("sha256"),
      gathered: [],
      gatheredBytes: 0,
      pieces: 0,
    };
    if (this.#open.type === null || this.#files > this.#limits.maxFiles) this.#storing = false;
  }

  /** The next bytes of the open file. Rejects with a `StorageError`. Not to be called before the last call ended. */
  async write(bytes: Buffer): Promise<void> {
    const file = this.#open;
    if (file === null || this.#files > this.#limits.maxFiles) return;
    file.size += bytes.length;
    if (file.size > this.#limits.maxBytes) this.#storing = false;
    if (file.head.length < headBytes) {
      file.head = Buffer.concat([file.head, bytes.subarray(0, headBytes - file.head.length)]);
      if (file.head.length === headBytes) this.#judge(file);
    }
    if (!this.#storing) {
      file.gathered = [];
      return;
    }
    file.hash.update(bytes);
    file.gathered.push(bytes);
    file.gatheredBytes += bytes.length;
    while (file.gatheredBytes >= pieceBytes) await this.#store(file, pieceBytes);
  }

  /** The open file has come to its end. Rejects with a `StorageError`. */
  async close(): Promise<void> {
    const file = this.#open;
    if (file === null) return;
    this.#open = null;
    this.#judge(file);
    if (this.#storing && (file.gatheredBytes > 0 || file.pieces === 0)) {
      await this.#store(file, file.gatheredBytes);
    }
    file.gathered = [];
    const sha256 = this.#storing ? file.hash.digest("hex") : "";
    this.#taken.push({ order: file.order, file: { ...file, sha256 } });
  }

  #judge({ type, head }: OpenFile): void {
    if (type === null || !looksLike(type, head)) this.#storing = false;
  }

  async #store(file: OpenFile, length: number): Promise<void> {
    const whole = file.gathered.length === 1 ? file.gathered[0]! : Buffer.concat(file.gathered);
    const rest = whole.subarray(length);
    file.gathered = rest.length === 0 ? [] : [rest];
    file.gatheredBytes = rest.length;
    const seq = file.pieces;
    file.pieces += 1;
    if (seq === 0) this.#staged.push(file.id);
    const { database, clock } = this.#parts;
    await database.run(stagePiece, {
      id: file.id,
      accountId: this.#accountId,
      seq,
      content: whole.toString("base64", 0, length),
      at: clock.now(),
    });
  }

  /** Takes the files of a JSON body in. Rejects with a `StorageError`. */
  async takeInline(files: readonly (InlineFile | null)[]): Promise<void> {
    // Four characters are three bytes: whole pieces of one are whole pieces of the other.
    const step = (pieceBytes / 3) * 4;
    for (const file of files) {
      if (file === null) {
        this.#storing = false;
        this.#taken.push({ order: this.#nextOrder++, file: null });
        continue;
      }
      this.begin(file.filename, null);
      for (let at = 0; at < file.content.length; at += step) {
        await this.write(Buffer.from(file.content.slice(at, at + step), "base64"));
      }
      await this.close();
    }
  }

  /** What is wrong with the files, told by their indices: a form that brings only `attachments[5]` hears of that one. */
  issues(): Issue[] {
    const { maxFiles, maxBytes } = this.#limits;
    const path = ["attachments"];
    if (this.#files > maxFiles) return [{ path, message: sentences.atMostItems(path, maxFiles) }];
    return this.#inOrder().flatMap((file): Issue[] => {
      if (file === null) return [];
      const { order, filename, type, head, size } = file;
      const at = [...path, order];
      const messages: string[] = [];
      const named = filenameIssue(filename, at);
      if (named !== null) messages.push(named);
      if (type === null || !looksLike(type, head)) messages.push(sentences.mimes(at, attachmentTypes));
      if (size > maxBytes) messages.push(sentences.atMostKilobytes(at, Math.floor(maxBytes / 1024)));
      return messages.map((message) => ({ path: at, message }));
    });
  }

  /** The files as they are bound to their request; only where there are no issues. */
  files(): BoundFile[] {
    if (!this.#storing) throw new Error("Files with a fault were not stored.");
    return this.#inOrder().map((file) => {
      const { id, filename, type, size, sha256 } = file!;
      return { id, filename, content_type: contentTypeOf(type!), size, sha256 };
    });
  }

  /** By the index that a form gave each file; a JSON list is in its order already. */
  #inOrder(): (Taken | null)[] {
    return this.#taken.toSorted((one, other) => one.order - other.order).map(({ file }) => file);
  }

  /** The request was accepted, and the files are its own now. */
  accepted(): void {
    this.#accepted = true;
  }

  /** Removes what was stored and not accepted. What the storage does not remove now, the upkeep will. */
  async end(): Promise<void> {
    if (this.#accepted) return;
    const { database, clock, log } = this.#parts;
    const at = clock.now();
    try {
      for (const id of this.#staged.splice(0)) while (!(await database.run(removeLooseFile, { id, at })));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log.warn({ error }, "files of a refused request are still stored; they will be removed");
    }
  }
}
