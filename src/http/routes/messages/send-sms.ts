// POST /api/sms/send

import { readSmsSlices, smsSendRequest } from "#contract/messages/sms.ts";
import { isProblem } from "#contract/problem.ts";
import { sendReply } from "#contract/replies.ts";
import { idempotencyHeader } from "#http/auth/idempotency-key.ts";
import { endpoint } from "#http/endpoint.ts";
import { fileIssues, inSlices, sendContacts, sendProblems } from "./send-request.ts";

const path = "/api/sms/send";

export const sendSmsRoute = endpoint({
  method: "POST",
  path,
  name: "sendSms",
  tag: "SMS",
  summary: "Send SMS messages",
  description:
    "Accepts one message per contact, all or none. A 200 means that every message is stored and queued; look it up to learn whether it was delivered.",
  family: "api_key",
  body: smsSendRequest,
  replies: { 200: sendReply },
  problems: sendProblems,
  headers: idempotencyHeader,
})(async (call) => {
  const { account, body, core, requestId, settings } = call;
  const { maxContacts } = settings;
  const { contacts, issues } = await inSlices(readSmsSlices(body.value, { maxContacts }), core.clock);
  const sent = await sendContacts(call, {
    path,
    credit: "SMS",
    send: { contacts, issues: [...fileIssues(body.files), ...issues] },
    recipientOf: ({ number }) => number,
    accept: (send, repeatable) => core.acceptance.sms(account, requestId, send, repeatable),
  });
  if (isProblem(sent)) return sent;
  return {
    status: 200,
    ...(sent.headers ? { headers: sent.headers } : {}),
    body: {
      success: true,
      message: "SMS messages have been queued.",
      data: {
        request_id: sent.requestId,
        contact: sent.contacts.map(({ given, ...rest }) => ({ number: given, ...rest })),
      },
    },
  };
});
