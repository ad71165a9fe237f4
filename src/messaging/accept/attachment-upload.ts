// Receives the files of one request, from a form or from a JSON body. Each piece is checked against the account's limits
// and stored as soon as it is large enough, so a file is never whole in memory. After the first issue nothing more is
// stored, because the request will be refused; further files are still checked, so that the reply lists every issue.

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
import { deleteUnboundFile, storeChunk, type UploadedFile } from "#store/email/attachments.ts";
import { contentTypeOf, headBytes, looksLike } from "./file-type.ts";
import { pieceBytes, type RequestFiles } from "./request-files.ts";

/** How many files a request may have, and how many bytes each may have. */
type FileLimits = Account["attachments"];

type AttachmentUploadDeps = Pick<Core, "clock" | "database" | "log" | "newId">;

/** A file whose bytes are arriving. Both calls reject with a `StorageError`. */
export interface IncomingFile {
  /** The next bytes; one call at a time. */
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

interface FileState {
  id: string;
  /** The index that the client gave it, or the next free one. Files may come in any order. */
  order: number;
  filename: string;
  /** By which the HTML refers to it; null for a file beside the mail. */
  contentId: string | null;
  type: AttachmentType | null;
  size: number;
  head: Buffer;
  hash: Hash;
  /** Bytes that are not stored yet. */
  pending: Buffer[];
  pendingBytes: number;
  /** How many pieces of the file are stored. */
  pieces: number;
}

type ReceivedFile = FileState & { sha256: string };

/** The files of one request. `discard()` must be called in the end, also after `commit()`. */
export class AttachmentUpload implements RequestFiles {
  readonly #deps: AttachmentUploadDeps;
  readonly #limits: FileLimits;
  readonly #accountId: string;
  /** Null for an entry of the list whose own issues are reported elsewhere. */
  readonly #received: { order: number; file: ReceivedFile | null }[] = [];
  /** Ids of files that may have stored pieces. */
  readonly #stagedIds: string[] = [];
  #count = 0;
  #nextOrder = 0;
  #storing = true;
  #committed = false;

  constructor(deps: AttachmentUploadDeps, account: Account) {
    this.#deps = deps;
    this.#limits = account.attachments;
    this.#accountId = account.id;
  }

  /** Begins a file. `index`: its position in the list, if the client gave one. */
  open(name: string, index: number | null, contentId: string | null = null): IncomingFile {
    const filename = filenameOf(name);
    const order = index ?? this.#nextOrder;
    this.#nextOrder = Math.max(this.#nextOrder, order + 1);
    this.#count += 1;
    const file: FileState = {
      id: this.#deps.newId("att"),
      order,
      filename,
      contentId,
      type: extensionOf(filename),
      size: 0,
      head: Buffer.alloc(0),
      hash: createHash("sha256"),
      pending: [],
      pendingBytes: 0,
      pieces: 0,
    };
    if (file.type === null || this.#count > this.#limits.maxFiles) this.#storing = false;
    return { write: (bytes) => this.#write(file, bytes), close: () => this.#close(file) };
  }

  async #write(file: FileState, bytes: Buffer): Promise<void> {
    if (this.#count > this.#limits.maxFiles) return;
    file.size += bytes.length;
    if (file.size > this.#limits.maxBytes) this.#storing = false;
    if (file.head.length < headBytes) {
      file.head = Buffer.concat([file.head, bytes.subarray(0, headBytes - file.head.length)]);
      if (file.head.length === headBytes) this.#checkType(file);
    }
    if (!this.#storing) {
      file.pending = [];
      return;
    }
    file.hash.update(bytes);
    file.pending.push(bytes);
    file.pendingBytes += bytes.length;
    while (file.pendingBytes >= pieceBytes) await this.#store(file, pieceBytes);
  }

  async #close(file: FileState): Promise<void> {
    this.#checkType(file);
    if (this.#storing && (file.pendingBytes > 0 || file.pieces === 0)) {
      await this.#store(file, file.pendingBytes);
    }
    file.pending = [];
    const sha256 = this.#storing ? file.hash.digest("hex") : "";
    this.#received.push({ order: file.order, file: { ...file, sha256 } });
  }

  #checkType({ type, head }: FileState): void {
    if (type === null || !looksLike(type, head)) this.#storing = false;
  }

  async #store(file: FileState, length: number): Promise<void> {
    const whole = file.pending.length === 1 ? file.pending[0]! : Buffer.concat(file.pending);
    const rest = whole.subarray(length);
    file.pending = rest.length === 0 ? [] : [rest];
    file.pendingBytes = rest.length;
    const seq = file.pieces;
    file.pieces += 1;
    if (seq === 0) this.#stagedIds.push(file.id);
    const { database, clock } = this.#deps;
    await database.run(storeChunk, {
      id: file.id,
      accountId: this.#accountId,
      seq,
      content: whole.toString("base64", 0, length),
      at: clock.now(),
    });
  }

  /**
   * Adds the files of a JSON body; null keeps the position of one whose issue is reported elsewhere. `store` false: the request already has
   * an issue, so the files are only checked. `elsewhere`: the indices of those that come later. Rejects with a `StorageError`.
   */
  async addInline(
    files: readonly (InlineFile | null)[],
    { store, elsewhere }: { store: boolean; elsewhere?: ReadonlySet<number> },
  ): Promise<void> {
    if (!store) this.#storing = false;
    // Four base64 characters are three bytes, so a whole piece of one is a whole piece of the other.
    const step = (pieceBytes / 3) * 4;
    for (const [index, file] of files.entries()) {
      if (elsewhere?.has(index)) {
        this.#nextOrder += 1;
        continue;
      }
      if (file === null) {
        this.#storing = false;
        this.#received.push({ order: this.#nextOrder++, file: null });
        continue;
      }
      const incoming = this.open(file.filename, null, file.contentId);
      for (let at = 0; at < file.content.length; at += step) {
        await incoming.write(Buffer.from(file.content.slice(at, at + step), "base64"));
      }
      await incoming.close();
    }
  }

  /** The issues of the files, by their indices: a form with `attachments[5]` alone gets the issues of `attachments.5`. */
  issues(): Issue[] {
    const { maxFiles, maxBytes } = this.#limits;
    const path = ["attachments"];
    if (this.#count > maxFiles) return [{ path, message: sentences.atMostItems(path, maxFiles) }];
    return this.#inOrder().flatMap((file): Issue[] => {
      if (file === null) return [];
      const { order, filename, type, head, size } = file;
      const at = [...path, order];
      const messages: string[] = [];
      const nameIssue = filenameIssue(filename, at);
      if (nameIssue !== null) messages.push(nameIssue);
      if (type === null || !looksLike(type, head)) messages.push(sentences.mimes(at, attachmentTypes));
      if (size > maxBytes) messages.push(sentences.atMostKilobytes(at, Math.floor(maxBytes / 1024)));
      return messages.map((message) => ({ path: at, message }));
    });
  }

  /** The files in the form in which they are bound to their request. Throws if one of them has an issue. */
  files(): UploadedFile[] {
    if (!this.#storing) throw new Error("The files of a request with issues were not stored.");
    return this.#inOrder().map((file) => {
      const { id, filename, type, size, sha256, contentId: content_id } = file!;
      return { id, filename, content_type: contentTypeOf(type!), size, sha256, content_id };
    });
  }

  /** In the order of the indices of a form; a JSON list is already in order. */
  #inOrder(): (ReceivedFile | null)[] {
    return this.#received.toSorted((a, b) => a.order - b.order).map(({ file }) => file);
  }

  /** Keeps the files: their request was accepted, and they are bound to it. */
  commit(): void {
    this.#committed = true;
  }

  /** Removes stored pieces that were not committed. What storage cannot remove now, maintenance removes later. */
  async discard(): Promise<void> {
    if (this.#committed) return;
    const { database, clock, log } = this.#deps;
    const at = clock.now();
    try {
      for (const id of this.#stagedIds.splice(0))
        while (!(await database.run(deleteUnboundFile, { id, at })));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log.warn(
        { event: "attachment.removal_failed", error },
        "The files of a refused request could not be removed; maintenance removes them.",
      );
    }
  }
}
