// POST /api/manage/v1/accounts/{account}/messages: a send by a person, without the account's API key.

import type { z } from "zod";
import { planExpired } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import type { Issue } from "#contract/issue.ts";
import { sendMessagesReply, sendMessagesRequest } from "#contract/manage/messages.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { readWhatsappListSlices } from "#contract/messages/whatsapp.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import { idempotencyHeader, idempotencyKey } from "#http/auth/idempotency-key.ts";
import { endpoint } from "#http/endpoint.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { inSlices, readAttachments, refusal } from "#http/routes/messages/send.ts";
import { validate } from "#http/validate.ts";
import { messageChannels, type SendingChannel } from "#messaging/channels.ts";

const path = "/api/manage/v1/accounts/{account}/messages";

/** Files come as base64 in the body. */
export const maxBytes = 16 * 1024 * 1024;

/** What reads the contacts: WhatsApp lists have a reader of their own. */
export function readerOf(channel: Channel, contact: readonly object[]): SendingChannel["readSlices"] {
  const isList = channel === "whatsapp" && contact.some((each) => "sections" in each);
  return isList ? readWhatsappListSlices : messageChannels[channel].sending.readSlices;
}

/** The issue of files that go with messages of another channel than email. */
export function attachmentsAllowed({
  channel,
  attachments,
}: Pick<z.output<typeof sendMessagesRequest>, "channel" | "attachments">): Issue[] {
  if (channel === "email" || (attachments ?? []).length === 0) return [];
  return [{ path: ["attachments"], message: sentences.prohibits(["channel"], ["attachments"]) }];
}

export const sendAccountMessagesRoute = endpoint({
  method: "POST",
  path,
  name: "sendAccountMessages",
  tag: "Account messages",
  summary: "Send messages as the account",
  description:
    "The same as a send with the account's API key: all messages are accepted or none. The body may have 16 MiB.",
  family: "manage",
  scope: "account",
  params: { account: accountParam },
  headers: idempotencyHeader,
  body: sendMessagesRequest,
  maxBytes,
  replies: { 200: sendMessagesReply },
  problems: [
    "not_found",
    "conflict",
    "insufficient_credit",
    "idempotency_in_progress",
    "unavailable",
    "commit_unknown",
  ],
})(async ({ core, account: row, body, request, requestId, settings }) => {
  const input = validate(sendMessagesRequest, body.value);
  if (isProblem(input)) return input;
  const account = accountFromRow(row);
  if (planExpired(account, core.clock.now()))
    return problem("conflict", { message: "The account's plan has ended. Nothing was accepted." });
  const { channel, contact } = input.value;
  const { sending } = messageChannels[channel];
  const { maxContacts } = settings;
  const read = readerOf(channel, contact);
  const { contacts, issues } = await inSlices(read({ contact }, { maxContacts }), core.clock);
  const key = idempotencyKey(request);
  if (typeof key === "object" && key !== null) issues.push(key);
  const upload = channel === "email" ? core.acceptance.openUpload(account) : null;
  issues.push(...attachmentsAllowed(input.value));
  try {
    issues.push(...(await readAttachments({ account, body, upload }, { hasIssues: issues.length > 0 })));
    if (contacts.length === 0) return validationFailed(issues);
    const send = { account, requestId, channel, send: { contacts, issues } };
    if (issues.length > 0) return validationFailed(await core.acceptance.issuesOf(send));
    const idempotency = typeof key === "string" ? { path, key } : null;
    const result = await core.acceptance.send({ ...send, upload, idempotency });
    if (result.kind !== "accepted" && result.kind !== "replayed") return refusal(result, sending.creditUnit);
    const replayed = result.kind === "replayed";
    return {
      status: 200,
      ...(replayed ? { headers: { "Idempotent-Replayed": "true" } } : {}),
      body: {
        success: true,
        message: "The messages have been queued.",
        data: {
          request_id: result.requestId,
          contact: result.ids.map((id, at) => {
            const draft = contacts[at];
            const written = draft === undefined ? undefined : sending.writtenRecipient(draft);
            return {
              recipient: (replayed ? result.numbers[at] : written) ?? "",
              status: result.statuses[at] ?? "queued",
              id,
            };
          }),
        },
      },
    };
  } finally {
    // What was not committed is removed.
    await upload?.discard();
  }
});
