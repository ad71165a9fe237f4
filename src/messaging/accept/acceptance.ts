// Acceptance as the HTTP edge uses it: sends with their files, and the idempotency keys that are in progress.

import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Core } from "#core/core.ts";
import { type AcceptResult, acceptSend, issuesOf, type SendRequest } from "./accept.ts";
import { AttachmentUpload } from "./attachment-upload.ts";
import { previewSend, type SendPreview } from "./preview.ts";

export interface Acceptance {
  /** All issues of a send whose body has some: those, and the ones that its account adds. */
  issuesOf(request: Pick<SendRequest, "account" | "channel" | "send">): Promise<Issue[]>;
  send(request: SendRequest): Promise<AcceptResult>;
  /** What would become of each contact of a send. Nothing is stored. */
  preview(request: Pick<SendRequest, "account" | "channel" | "send">): Promise<SendPreview>;
  /** Stores the files of one request of the account. */
  openUpload(account: Account): AttachmentUpload;
}

type AcceptanceDeps = Pick<
  Core,
  "clock" | "crashPoint" | "database" | "log" | "metrics" | "newId" | "newIds" | "random" | "sealer"
>;

export function createAcceptance(core: AcceptanceDeps): Acceptance {
  const deps = { ...core, inProgressKeys: new Set<string>() };
  return {
    issuesOf: (request) => issuesOf(deps, request),
    send: (request) => acceptSend(deps, request),
    preview: (request) => previewSend(deps, request),
    openUpload: (account) => new AttachmentUpload(core, account),
  };
}
