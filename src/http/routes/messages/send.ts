// The send endpoint of any channel: reads the contacts in slices, collects the issues, has the send accepted, and
// replies. What differs from channel to channel is its row in messaging/channels.ts and the head of its endpoint.

import type { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { readInlineFiles } from "#contract/messages/attachments.ts";
import type { Channel } from "#contract/messages/channel.ts";
import {
  idempotencyMismatch,
  isProblem,
  type Problem,
  problem,
  validationFailed,
} from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import { idempotencyHeader, idempotencyKey } from "#http/auth/idempotency-key.ts";
import type { AccountCall } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import type { AcceptResult, SendRequest } from "#messaging/accept/accept.ts";
import { messageChannels, type SendingChannel } from "#messaging/channels.ts";
import type { Clock } from "#runtime/runtime.ts";
import { ignoredFields, type KnownFields, sendHints } from "./hints.ts";

/** The problems of every send endpoint. */
const problems = [
  "malformed_body",
  "insufficient_credit",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
  "idempotency_in_progress",
  "unavailable",
  "commit_unknown",
] as const;

/** Reads contacts; other requests get their turn between slices. */
export async function inSlices<T>(slices: Generator<void, T, void>, clock: Clock): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await clock.sleep(0);
  }
}

/** Limits the reply: ten names show a client what is wrong. */
const maxFilesNamed = 10;

/** Files in fields that accept none: if they were ignored, their sender would believe that they were sent. */
export function fileIssues(files: readonly string[]): Issue[] {
  return files.slice(0, maxFilesNamed).map((name) => {
    const path = [name.replace(/\[\]$/, "").replace(/\]?\[/g, ".").replace(/\]$/, "")];
    return { path, message: sentences.notAFile(path) };
  });
}

/** Adds the files of a JSON body to the upload, and returns the issues of all attachments. */
export async function readAttachments(
  { account, body, upload }: Pick<AccountCall, "account" | "body" | "upload">,
  { hasIssues }: { hasIssues: boolean },
): Promise<Issue[]> {
  const issues = fileIssues(body.files);
  if (upload === null) return issues;
  const inline = readInlineFiles(body.value, account.attachments.maxFiles, issues);
  await upload.addInline(inline, { store: !hasIssues && issues.length === 0 });
  return [...issues, ...upload.issues()];
}

/** The description of an endpoint that sends. */
interface SendHead {
  channel: Channel;
  /** Default: `/api/{channel}/send`. */
  path?: `/api/${Channel}/send-${string}`;
  /** Reads its contacts; default: the channel's reader. */
  readSlices?: SendingChannel["readSlices"];
  name: string;
  tag: string;
  summary: string;
  description: string;
  body: z.ZodObject;
  uploads?: true;
  reply: z.ZodType;
  /** The message of the reply. */
  queued: string;
}

/** The endpoint that sends messages of a channel. */
export function sendEndpoint({
  channel,
  path: ownPath,
  readSlices,
  reply,
  queued,
  ...head
}: SendHead): Endpoint {
  const sending = messageChannels[channel].sending;
  const { field } = messageChannels[channel].recipients;
  const path = ownPath ?? `/api/${channel}/send`;
  const read = readSlices ?? sending.readSlices;
  const known = fieldsOf(head.body);
  return endpoint({
    ...head,
    method: "POST",
    path,
    family: "api_key",
    right: "send",
    channel,
    replies: { 200: reply },
    problems,
    headers: idempotencyHeader,
  })(async (call) => {
    const { account, body, core, settings, upload } = call;
    const { maxContacts } = settings;
    const { contacts, issues: bodyIssues } = await inSlices(read(body.value, { maxContacts }), core.clock);
    const attachments = await readAttachments(call, { hasIssues: bodyIssues.length > 0 });
    const issues = upload === null ? [...attachments, ...bodyIssues] : [...bodyIssues, ...attachments];
    const reply = await accepted(call, { account, channel, contacts, issues, upload, path, field, queued });
    if (isProblem(reply)) return withHints(reply, body.value, { known, account, channel });
    const ignored = ignoredFields(body.value, known);
    if (ignored.length === 0) return reply;
    return { ...reply, body: { ...reply.body, data: { ...reply.body.data, ignored } } };
  });
}

/** The fields of a send's body and of its contacts. The key may be among them. */
function fieldsOf({ shape }: z.ZodObject): KnownFields {
  const { element } = shape.contact as z.ZodArray<z.ZodObject>;
  return { body: new Set([...Object.keys(shape), "api_key"]), contact: new Set(Object.keys(element.shape)) };
}

/** A 422 whose message says what was probably meant; any other problem unchanged. */
function withHints(refused: Problem, value: unknown, of: Parameters<typeof sendHints>[2]): Problem {
  const { errors } = refused.body as { errors?: Record<string, string[]> };
  if (refused.status !== 422 || errors === undefined || "code" in refused.body) return refused;
  const hints = sendHints(errors, value, of);
  if (hints.length === 0) return refused;
  return { ...refused, body: { ...refused.body, message: `Validation failed. ${hints.join(" ")}` } };
}

/** A send that was read, and how it is answered. */
interface ReadSend<Field extends string> extends Pick<AccountCall, "account" | "upload"> {
  channel: Channel;
  contacts: SendRequest["send"]["contacts"];
  issues: Issue[];
  /** The endpoint: an Idempotency-Key is valid only for it. */
  path: string;
  /** What the reply calls the recipient, and its message. */
  field: Field;
  queued: string;
}

type SentContact<Field extends string> = Record<Field, string> & {
  status: "queued" | "scheduled";
  id: string;
};

/** Accepts a send if it has no issues, and creates the reply. */
export async function accepted<Field extends string>(
  { core, request, requestId }: Pick<AccountCall, "core" | "request" | "requestId">,
  { account, channel, contacts, issues, upload, path, field, queued }: ReadSend<Field>,
) {
  const { sending } = messageChannels[channel];
  const key = idempotencyKey(request);
  if (typeof key === "object" && key !== null) issues.push(key);
  // Without a contact the account has nothing to add.
  if (contacts.length === 0) return validationFailed(issues);
  const send = { account, requestId, channel, send: { contacts, issues } };
  if (issues.length > 0) return validationFailed(await core.acceptance.issuesOf(send));
  const idempotency = typeof key === "string" ? { path, key } : null;
  const result = await core.acceptance.send({ ...send, upload, idempotency });
  if (result.kind !== "accepted" && result.kind !== "replayed") return refusal(result, sending.creditUnit);
  const replayed = result.kind === "replayed";
  return {
    status: 200 as const,
    ...(replayed ? { headers: { "Idempotent-Replayed": "true" } } : {}),
    body: {
      success: true as const,
      message: queued,
      data: {
        request_id: result.requestId,
        contact: result.ids.map((id, at) => {
          const to = (replayed ? result.numbers[at] : sending.writtenRecipient(contacts[at]!)) ?? "";
          return { [field]: to, status: result.statuses[at]!, id } as SentContact<Field>;
        }),
      },
    },
  };
}

/** The reply to a send that was not accepted. */
export function refusal(
  result: Exclude<AcceptResult, { kind: "accepted" | "replayed" }>,
  creditUnit: string,
): Problem {
  switch (result.kind) {
    case "invalid":
      return validationFailed(result.issues);
    case "mismatch":
      return idempotencyMismatch();
    case "in_progress":
      return problem("idempotency_in_progress", { retryAfterMs: 1_000 });
    case "insufficient_credit":
      return problem("insufficient_credit", {
        message: `This request needs ${result.needed} ${creditUnit} credits, and ${result.remaining} remain. Nothing was accepted.`,
      });
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
  }
}
