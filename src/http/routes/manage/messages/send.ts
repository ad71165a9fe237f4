// POST /api/manage/v1/accounts/{account}/messages: a send by a person, without the account's API key.

import type { z } from "zod";
import { type Account, planExpired } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import type { Issue } from "#contract/issue.ts";
import { sendMessagesReply, sendMessagesRequest } from "#contract/manage/messages.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { readWhatsappListSlices } from "#contract/messages/whatsapp.ts";
import { problem } from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import { idempotencyHeader } from "#http/auth/idempotency-key.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { accepted, inSlices, readAttachments } from "#http/routes/messages/send.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { messageChannels, type SendingChannel } from "#messaging/channels.ts";

type SendInput = z.output<typeof sendMessagesRequest>;

const path = "/api/manage/v1/accounts/{account}/messages";

/** Files are sent as base64 in the body. */
export const maxBytes = 16 * 1024 * 1024;

/** The reader of the contacts: WhatsApp lists have a separate one. */
function readerOf(channel: Channel, contact: readonly object[]): SendingChannel["readSlices"] {
  const isList = channel === "whatsapp" && contact.some((each) => "sections" in each);
  return isList ? readWhatsappListSlices : messageChannels[channel].sending.readSlices;
}

/** The issue of files that go with messages of another channel than email. */
function attachmentsAllowed({ channel, attachments }: SendInput): Issue[] {
  if (channel === "email" || (attachments ?? []).length === 0) return [];
  return [{ path: ["attachments"], message: sentences.prohibits(["channel"], ["attachments"]) }];
}

/** Reads the contacts and the files of a send. `upload`: receives the files; `keepsFiles` false: they are only checked. */
export async function readSend(
  { core, body, settings }: Pick<ManageAccountCall, "core" | "body" | "settings">,
  account: Account,
  input: SendInput,
  { upload, keepsFiles }: { upload: AttachmentUpload | null; keepsFiles: boolean },
) {
  const { channel, contact } = input;
  const { maxContacts } = settings;
  const read = readerOf(channel, contact);
  const { contacts, issues } = await inSlices(read({ contact }, { maxContacts }), core.clock);
  issues.push(...attachmentsAllowed(input));
  const hasIssues = !keepsFiles || issues.length > 0;
  issues.push(...(await readAttachments({ account, body, upload }, { hasIssues })));
  return { contacts, issues };
}

export const sendAccountMessagesRoute = endpoint({
  method: "POST",
  path,
  name: "sendAccountMessages",
  tag: "Account messages",
  summary: "Send messages as the account",
  description:
    "The same as a send with the account's API key: all messages are accepted or none. The body may have 16 MiB.",
  scope: "account",
  headers: idempotencyHeader,
  body: sendMessagesRequest,
  maxBytes,
  replies: { 200: sendMessagesReply },
  problems: ["conflict", "insufficient_credit", "idempotency_in_progress", "unavailable", "commit_unknown"],
})(async (call) => {
  const { core, account: row, input } = call;
  const account = accountFromRow(row);
  if (planExpired(account, core.clock.now()))
    return problem("conflict", { message: "The account's plan has ended. Nothing was accepted." });
  const { channel } = input;
  const upload = channel === "email" ? core.acceptance.openUpload(account) : null;
  try {
    const read = await readSend(call, account, input, { upload, keepsFiles: true });
    const queued = "The messages have been queued.";
    return await accepted(call, { ...read, account, channel, upload, path, field: "recipient", queued });
  } finally {
    // What was not committed is removed.
    await upload?.discard();
  }
});
