// POST /api/email/send

import type { Issue } from "#contract/issue.ts";
import { readInlineFiles } from "#contract/messages/attachments.ts";
import { emailSendRequest, readEmailSlices } from "#contract/messages/email.ts";
import { isProblem } from "#contract/problem.ts";
import { emailSendReply } from "#contract/replies.ts";
import { idempotencyHeader } from "#http/auth/idempotency-key.ts";
import type { UploadCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { fileIssues, inSlices, sendContacts, sendProblems } from "./send-request.ts";

const path = "/api/email/send";

/** Takes in the files of a JSON body, as far as they are still wanted; gives the faults of all files. */
async function takeFiles({ account, body, upload }: UploadCall, faulty: boolean): Promise<Issue[]> {
  const issues = fileIssues(body.files);
  const listed = readInlineFiles(body.value, account.attachments.maxFiles, issues);
  if (faulty || issues.length > 0) upload.refuse();
  await upload.takeInline(listed);
  return [...issues, ...upload.issues()];
}

export const sendEmailRoute = endpoint({
  method: "POST",
  path,
  name: "sendEmail",
  tag: "Email",
  summary: "Send emails",
  description:
    "Accepts one email per contact, all or none, each with all the attachments of the request. A 200 means that every message is stored and queued; look it up to learn whether it was delivered. How many files may come, and how large each may be, is the account's setting. Send the key in the header, or as a field before the files: of files before the key no more than 2 MiB are taken (413).",
  family: "api_key",
  body: emailSendRequest,
  uploads: true,
  replies: { 200: emailSendReply },
  problems: sendProblems,
  headers: idempotencyHeader,
})(async (call) => {
  const { account, body, upload, core, requestId, settings } = call;
  const { maxContacts } = settings;
  const read = await inSlices(readEmailSlices(body.value, { maxContacts }), core.clock);
  const files = await takeFiles(call, read.issues.length > 0);
  const sent = await sendContacts(call, {
    path,
    credit: "email",
    send: { contacts: read.contacts, issues: [...read.issues, ...files] },
    recipientOf: ({ email }) => email,
    accept: async (send, repeatable) => {
      const bound = send.issues.length === 0 ? upload.files() : [];
      const result = await core.acceptance.email(account, requestId, send, bound, repeatable);
      if (result.kind === "accepted") upload.accepted();
      return result;
    },
  });
  if (isProblem(sent)) return sent;
  return {
    status: 200,
    ...(sent.headers ? { headers: sent.headers } : {}),
    body: {
      success: true,
      message: "Email messages have been queued.",
      data: {
        request_id: sent.requestId,
        contact: sent.contacts.map(({ given, ...rest }) => ({ email: given, ...rest })),
      },
    },
  };
});
