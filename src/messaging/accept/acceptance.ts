// Acceptance as the HTTP edge uses it: sends with their files, and the idempotency keys that are in progress.

import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Core } from "#core/core.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { type AcceptResult, acceptSend, issuesOf, type SendRequest } from "./accept.ts";
import { AttachmentUpload } from "./attachment-upload.ts";
import { fetchFile } from "./fetch-file.ts";
import { FetchedFiles, type RemoteFile } from "./fetched-files.ts";
import { previewSend, type SendPreview } from "./preview.ts";

export interface Acceptance {
  /** All issues of a send whose body has some: those, and the ones that its account adds. */
  issuesOf(request: Pick<SendRequest, "account" | "channel" | "send">): Promise<Issue[]>;
  send(request: SendRequest): Promise<AcceptResult>;
  /** What would become of each contact of a send. Nothing is stored. */
  preview(request: Pick<SendRequest, "account" | "channel" | "send">): Promise<SendPreview>;
  /** Stores the files of one request of the account. */
  openUpload(account: Account): AttachmentUpload;
  /** The files of `upload`, and those that are fetched when the request is accepted. `signal`: the client has disconnected. */
  withFetched(
    account: Account,
    upload: AttachmentUpload,
    remote: readonly RemoteFile[],
    signal: LightAbortSignal,
  ): FetchedFiles;
}

type AcceptanceDeps = Pick<
  Core,
  | "clock"
  | "crashPoint"
  | "database"
  | "log"
  | "metrics"
  | "newId"
  | "newIds"
  | "random"
  | "sealer"
  | "upstreams"
>;

/** For all files of a request together, with the time that they wait for their turn, ms. */
const fetchMs = 30_000;
/** Files of one account that are fetched at once: slow servers of one account delay no other account. */
const maxFetches = 8;

export function createAcceptance(core: AcceptanceDeps): Acceptance {
  const { clock, upstreams } = core;
  /** By account; those that are fetching. */
  const turns = new Map<string, { semaphore: Semaphore; users: number }>();

  async function inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const turn = turns.get(accountId) ?? { semaphore: new Semaphore(maxFetches), users: 0 };
    turns.set(accountId, turn);
    turn.users += 1;
    try {
      return await turn.semaphore.run(work);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(accountId);
    }
  }

  const deps = { ...core, inProgressKeys: new Set<string>() };
  return {
    issuesOf: (request) => issuesOf(deps, request),
    send: (request) => acceptSend(deps, request),
    preview: (request) => previewSend(deps, request),
    openUpload: (account) => new AttachmentUpload(core, account),
    withFetched(account, upload, remote, signal) {
      const { maxBytes } = account.attachments;
      const until = clock.monotonic() + fetchMs;
      return new FetchedFiles(upload, remote, (url, file) =>
        inTurn(account.id, () => fetchFile(url, file, { upstreams, clock, signal, maxBytes, until })),
      );
    },
  };
}
