// POST /api/sms/send

import type { Issue } from "#contract/issue.ts";
import { idempotencyMismatch, problem, validationFailed } from "#contract/problem.ts";
import { sendReply } from "#contract/replies.ts";
import { readSmsSlices, type SmsSend, smsSendRequest } from "#contract/sms.ts";
import { say } from "#contract/wording.ts";
import { endpoint } from "#http/endpoint.ts";
import { idempotencyHeader, idempotencyKey } from "#http/idempotency-key.ts";
import type { Accepted } from "#messaging/accept.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Reads the contacts; between slices of them other requests get their turn. */
async function read(body: unknown, maxContacts: number, clock: Clock): Promise<SmsSend> {
  const slices = readSmsSlices(body, { maxContacts });
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await clock.sleep(0);
  }
}

/** Naming ten of the files is help enough. */
const filesNamed = 10;

/** SMS carries no files; a client that sends one should hear of it rather than believe that it went along. */
function fileIssues(files: readonly string[]): Issue[] {
  return files.slice(0, filesNamed).map((name) => {
    const path = [name.replace(/\[\]$/, "").replace(/\]?\[/g, ".").replace(/\]$/, "")];
    return { path, message: say.notAFile(path) };
  });
}

function refused(result: Exclude<Accepted, { kind: "accepted" | "replayed" | "invalid" }>) {
  switch (result.kind) {
    case "mismatch":
      return idempotencyMismatch();
    case "in_progress":
      return problem("idempotency_in_progress", { retryAfterMs: 1_000 });
    case "insufficient_credit":
      return problem("insufficient_credit", {
        message: `This request needs ${result.needed} SMS credits, and ${result.remaining} remain. Nothing was accepted.`,
      });
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
  }
}

const sendPath = "/api/sms/send";

export const sendSms = endpoint({
  method: "POST",
  path: sendPath,
  name: "sendSms",
  tag: "SMS",
  summary: "Send SMS messages",
  description:
    "Accepts one message per contact, all or none. A 200 means that every message is stored and queued; look it up to learn whether it was delivered.",
  family: "api_key",
  body: smsSendRequest,
  replies: { 200: sendReply },
  problems: [
    "malformed_body",
    "insufficient_credit",
    "request_timeout",
    "body_too_large",
    "unsupported_media_type",
    "idempotency_in_progress",
    "unavailable",
    "commit_unknown",
  ],
  headers: idempotencyHeader,
})(async (call) => {
  const send = await read(call.body.value, call.settings.maxContacts, call.parts.clock);
  const key = idempotencyKey(call.request);
  const issues = [
    ...fileIssues(call.body.files),
    ...send.issues,
    ...(typeof key === "object" && key ? [key] : []),
  ];
  // Without a single contact there is nothing that the account could add.
  if (send.contacts.length === 0) return validationFailed(issues);
  const repeatable = typeof key === "string" && issues.length === 0 ? { path: sendPath, key } : null;
  const result = await call.parts.acceptSms(call.account, call.requestId, { ...send, issues }, repeatable);
  if (result.kind === "invalid") return validationFailed([...issues, ...result.issues]);
  if (issues.length > 0) {
    if (result.kind === "accepted") throw new Error("A send with faults was accepted.");
    return validationFailed(issues);
  }
  if (result.kind !== "accepted" && result.kind !== "replayed") return refused(result);
  const contact = result.ids.map((id, at) => ({
    number: (result.kind === "replayed" ? result.numbers[at] : send.contacts[at]?.number) ?? "",
    status: result.statuses[at]!,
    id,
  }));
  return {
    status: 200,
    ...(result.kind === "replayed" ? { headers: { "Idempotent-Replayed": "true" } } : {}),
    body: {
      success: true,
      message: "SMS messages have been queued.",
      data: { request_id: result.requestId, contact },
    },
  };
});
