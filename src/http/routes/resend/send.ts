// Sends emails as Resend's clients ask for it. Each is one contact of a send, so it is accepted by the same rules as `POST /api/email/send`,
// and a batch is accepted as a whole or not at all.

import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import { readInlineFiles } from "#contract/messages/attachments.ts";
import { readEmail } from "#contract/messages/email.ts";
import { isObject } from "#contract/normalise.ts";
import { type Problem, problem } from "#contract/problem.ts";
import { uuidOf } from "#contract/resend/ids.ts";
import { idempotencyKey } from "#http/auth/idempotency-key.ts";
import type { Call } from "#http/call.ts";
import type { AcceptResult } from "#messaging/accept/accept.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import type { RequestFiles } from "#messaging/accept/request-files.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { attachmentsOf } from "./attachments.ts";
import { contactOf, refusalOf } from "./email.ts";
import { ResendRefusal } from "./errors.ts";

/** Resend's limit. */
const maxBatch = 100;

/** Emails that were accepted, in their order. */
interface Created {
  ids: string[];
  replayed: boolean;
}

/** Accepts one email with its files. */
export async function createEmail(call: Call, account: Account, body: unknown): Promise<Created | Problem> {
  const upload = new AttachmentUpload(call.core, account);
  try {
    return await create(call, account, [body], { path: "/api/resend/emails", upload });
  } finally {
    await upload.discard();
  }
}

/** Accepts up to 100 emails without files. */
export async function createBatch(call: Call, account: Account, body: unknown): Promise<Created | Problem> {
  const validation = call.request.headers["x-batch-validation"];
  if (validation !== undefined && validation !== "strict")
    throw new ResendRefusal("validation_error", "The batch validation can only be strict.");
  if (!Array.isArray(body) || body.length === 0 || body.length > maxBatch)
    throw new ResendRefusal("validation_error", `The body must be a list of 1 to ${maxBatch} emails.`);
  const hasFiles = body.some(
    (email) => isObject(email) && Array.isArray(email.attachments) && email.attachments.length > 0,
  );
  if (hasFiles)
    throw new ResendRefusal("invalid_attachment", "The emails of a batch can have no `attachments`.");
  return await create(call, account, body, { path: "/api/resend/emails/batch", upload: null });
}

async function create(
  call: Call,
  account: Account,
  emails: readonly unknown[],
  { path, upload }: { path: string; upload: AttachmentUpload | null },
): Promise<Created | Problem> {
  const { core, request, requestId } = call;
  const isBatch = upload === null;
  const key = idempotencyKey(request);
  if (typeof key === "object" && key !== null)
    throw new ResendRefusal("invalid_idempotency_key", key.message);
  const now = core.clock.now();
  const contact = emails.map((email, index) => {
    try {
      return contactOf(email, account, now);
    } catch (error) {
      throw isBatch && error instanceof ResendRefusal ? error.ofBatch(index) : error;
    }
  });
  const { contacts, issues } = readEmail({ contact }, { maxContacts: maxBatch });
  if (issues[0] !== undefined) throw refusalOf(issues[0], isBatch);
  const attached = upload === null ? null : await filesOf(call, account, emails[0], upload);
  const result = await core.acceptance.send({
    account,
    requestId,
    channel: "email",
    send: { contacts, issues: [] },
    upload: attached,
    idempotency: key === null ? null : { path, key },
  });
  if (result.kind !== "accepted" && result.kind !== "replayed") return refusal(result, isBatch);
  return { ids: result.ids.map(uuidOf), replayed: result.kind === "replayed" };
}

/** The files of an email without other issues. Those that it names by address are fetched when it is accepted. */
async function filesOf(
  { core, response }: Call,
  account: Account,
  email: unknown,
  upload: AttachmentUpload,
): Promise<RequestFiles> {
  const issues: Issue[] = [];
  const { list, urls } = attachmentsOf(email, core.outbound);
  const files = readInlineFiles({ attachments: list }, account.attachments.maxFiles, issues);
  await upload.addInline(files, { store: issues.length === 0, elsewhere: new Set(urls.keys()) });
  const [issue] = [...issues, ...upload.issues()];
  if (issue !== undefined) throw refusalOf(issue, false);
  if (urls.size === 0) return upload;
  const remote = files.flatMap((file, order) => {
    const url = urls.get(order);
    return file === null || url === undefined ? [] : [{ ...file, order, url }];
  });
  const gone = new LightAbortController();
  response.once("close", () => gone.abort());
  return core.acceptance.withFetched(account, upload, remote, gone);
}

/** The answer to emails that were not accepted. */
function refusal(
  result: Exclude<AcceptResult, { kind: "accepted" | "replayed" }>,
  isBatch: boolean,
): Problem {
  switch (result.kind) {
    case "invalid":
      throw refusalOf(result.issues[0]!, isBatch);
    case "mismatch":
      throw new ResendRefusal(
        "invalid_idempotent_request",
        "This Idempotency-Key was used for a different request.",
      );
    case "in_progress":
      throw new ResendRefusal(
        "concurrent_idempotent_requests",
        "A request with this Idempotency-Key is still running.",
        409,
        { "Retry-After": "1" },
      );
    case "insufficient_credit":
      throw new ResendRefusal(
        "monthly_quota_exceeded",
        `This request needs ${result.needed} credits, and ${result.remaining} remain. Nothing was accepted.`,
      );
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
  }
}
