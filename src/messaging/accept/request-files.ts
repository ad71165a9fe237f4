// The files that come with a request, as acceptance binds them to it.

import type { Issue } from "#contract/issue.ts";
import type { UploadedFile } from "#store/email/attachments.ts";

/** A multiple of three, so that the joined base64 of the pieces is that of the file: 256 KiB of base64. */
export const pieceBytes = 192 * 1024;

/** What makes two files equal for an idempotency key. */
export type FileMeaning = Pick<UploadedFile, "filename" | "content_type" | "sha256" | "content_id">;

export interface RequestFiles {
  /** The files in the form in which they are bound to their request. */
  files(): UploadedFile[];
  /** What they mean to an idempotency key, where that is not the files themselves. */
  meaning?(): FileMeaning[];
  /** Fetches those that are elsewhere; called before `files()`, for a new request alone. Returns what is wrong with them. */
  fetchRemote?(): Promise<Issue[]>;
  /** Keeps the files: their request was accepted. */
  commit(): void;
}
