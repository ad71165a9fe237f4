// The files of a request of which some are fetched from addresses. They are fetched once it is known that the request is a new one: a repeat of
// an accepted request needs no server of a file, and stays the same request if that server has another file by then.

import { hash } from "node:crypto";
import type { Issue } from "#contract/issue.ts";
import { filenameOf } from "#contract/messages/attachments.ts";
import type { AttachmentUpload, IncomingFile } from "./attachment-upload.ts";
import type { FileMeaning, RequestFiles } from "./request-files.ts";

/** A file that is fetched. */
export interface RemoteFile {
  /** Its index in the request's list. */
  order: number;
  url: string;
  filename: string;
  /** By which the HTML refers to it; null for a file beside the mail. */
  contentId: string | null;
}

/** Writes the file at the URL; returns null, or why there is none. */
type Fetch = (url: string, file: IncomingFile) => Promise<string | null>;

/** `upload` has the request's other files already, without issues, and is discarded by its owner. */
export class FetchedFiles implements RequestFiles {
  readonly #upload: AttachmentUpload;
  readonly #remote: readonly RemoteFile[];
  readonly #fetch: Fetch;
  readonly #meaning: FileMeaning[];

  constructor(upload: AttachmentUpload, remote: readonly RemoteFile[], fetch: Fetch) {
    this.#upload = upload;
    this.#remote = remote;
    this.#fetch = fetch;
    this.#meaning = upload.files();
    for (const { order, url, filename, contentId } of remote)
      this.#meaning.splice(order, 0, {
        filename: filenameOf(filename),
        content_type: "",
        sha256: hash("sha256", url),
        content_id: contentId,
      });
  }

  meaning(): FileMeaning[] {
    return this.#meaning;
  }

  /** Fetches one after another, and ends with the first that has an issue. Rejects with a `StorageError`. */
  async fetchRemote(): Promise<Issue[]> {
    for (const { order, url, filename, contentId } of this.#remote) {
      const file = this.#upload.open(filename, order, contentId);
      const reason = await this.#fetch(url, file);
      if (reason !== null) {
        const message = `The file ${JSON.stringify(filename)} could not be fetched: ${reason}.`;
        return [{ path: ["attachments", order], message }];
      }
      await file.close();
      const issues = this.#upload.issues();
      if (issues.length > 0) return issues;
    }
    return [];
  }

  files() {
    return this.#upload.files();
  }

  commit(): void {
    this.#upload.commit();
  }
}
