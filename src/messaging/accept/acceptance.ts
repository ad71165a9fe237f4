// Acceptance as the HTTP edge uses it: sends with their files, the keys that are in progress, and the counts of what
// was accepted and refused.

import type { Account } from "#accounts/account.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import type { Core } from "#core/core.ts";
import type { BoundFile } from "#store/email/attachments.ts";
import { type AcceptResult, acceptEmail, acceptSms, type IdempotencyRequest } from "./accept.ts";
import { AttachmentUpload } from "./attachment-upload.ts";

export interface Acceptance {
  sms(
    account: Account,
    requestId: string,
    send: SmsSend,
    repeatable: IdempotencyRequest | null,
  ): Promise<AcceptResult>;
  /** Accepts an email send with the files of its upload. */
  email(
    account: Account,
    requestId: string,
    send: EmailSend,
    files: readonly BoundFile[],
    repeatable: IdempotencyRequest | null,
  ): Promise<AcceptResult>;
  /** Stores the files of one request of the account. */
  openUpload(account: Account): AttachmentUpload;
}

type AcceptanceDeps = Pick<
  Core,
  "clock" | "crashPoint" | "database" | "log" | "metrics" | "newId" | "newIds" | "signals"
>;

export function createAcceptance(core: AcceptanceDeps): Acceptance {
  const deps = { ...core, inProgressKeys: new Set<string>() };

  async function counted(channel: Channel, accepting: Promise<AcceptResult>): Promise<AcceptResult> {
    const result = await accepting;
    if (result.kind === "accepted") core.metrics.accepted(channel, result.ids.length);
    else if (result.kind !== "replayed") core.metrics.refused(channel, result.kind);
    return result;
  }

  return {
    sms: (...send) => counted("sms", acceptSms(deps, ...send)),
    email: (...send) => counted("email", acceptEmail(deps, ...send)),
    openUpload: (account) => new AttachmentUpload(core, account),
  };
}
