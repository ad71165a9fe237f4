// Resend's API of emails (https://resend.com/docs/api-reference/emails), below /api/resend: for applications that have Resend's packages.
// Its shapes are Resend's, so the OpenAPI document, which describes ours, leaves these paths out.

import { z } from "zod";
import type { Account } from "#accounts/account.ts";
import { isObject } from "#contract/normalise.ts";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { messageIdOf, uuidOf } from "#contract/resend/ids.ts";
import { mediaOf } from "#http/body/parse.ts";
import { readBody } from "#http/body/read.ts";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { cancel, lookup } from "#messaging/lookup.ts";
import { reschedule } from "#messaging/reschedule.ts";
import { callerOf } from "./caller.ts";
import { ResendRefusal } from "./errors.ts";
import { emailList } from "./list.ts";
import { emailResource } from "./resource.ts";
import { wallTimeOf } from "./schedule.ts";
import { createBatch, createEmail } from "./send.ts";

const base = "/api/resend/emails" as const;
const resource = z.looseObject({});
const head = { tag: "Resend", family: "open", problems: ["commit_unknown"] } as const;

const notFound = () => new ResendRefusal("not_found", "Email not found");
const replayedHeader: Record<string, string> = { "Idempotent-Replayed": "true" };

/** The JSON of a request's body; null if the client disconnected. */
async function readJson({ request, gate, share }: Call): Promise<{ value: unknown } | Problem | null> {
  if (mediaOf(request.headers) !== "json")
    return problem("unsupported_media_type", {
      message: "The body must be application/json, and not compressed.",
    });
  const read = await readBody(request, gate.bodyLimits, share);
  return read === null || isProblem(read) ? read : { value: read.value };
}

/** The id of the path's email; throws Resend's 404. */
function idOf({ params }: Call): string {
  const id = messageIdOf(params.email ?? "");
  if (id === null) throw notFound();
  return id;
}

/** Sends what the body asks for, and answers with the ids in the form of the endpoint. */
async function sent(
  call: Call,
  create: typeof createEmail,
  form: (ids: readonly string[]) => Record<string, unknown>,
) {
  const account = await callerOf(call, "send");
  if (isProblem(account)) return account;
  const body = await readJson(call);
  if (body === null || isProblem(body)) return body;
  const created = await create(call, account, body.value);
  if (isProblem(created)) return created;
  return { status: 200 as const, body: form(created.ids), headers: created.replayed ? replayedHeader : {} };
}

const send = endpoint({
  ...head,
  method: "POST",
  path: base,
  name: "sendResendEmail",
  summary: "Send an email",
  replies: { 200: resource },
})((call) => sent(call, createEmail, ([id]) => ({ id })));

const sendBatch = endpoint({
  ...head,
  method: "POST",
  path: `${base}/batch`,
  name: "sendResendBatch",
  summary: "Send up to 100 emails",
  replies: { 200: resource },
})((call) => sent(call, createBatch, (ids) => ({ data: ids.map((id) => ({ id })) })));

const list = endpoint({
  ...head,
  method: "GET",
  path: base,
  name: "listResendEmails",
  summary: "List emails",
  replies: { 200: resource },
})(async (call) => {
  const account = await callerOf(call, "read");
  return isProblem(account) ? account : { status: 200, body: await emailList(call, account) };
});

const retrieve = endpoint({
  ...head,
  method: "GET",
  path: `${base}/{email}`,
  name: "retrieveResendEmail",
  summary: "Retrieve an email",
  replies: { 200: resource },
})(async (call) => {
  const account = await callerOf(call, "read");
  if (isProblem(account)) return account;
  const record = await lookup(call.core, account, "email", idOf(call));
  if (record === null || record.channel !== "email") throw notFound();
  return { status: 200, body: emailResource(record) };
});

/** The answer to a change of an email that waits. */
function changed(result: { kind: string }, id: string) {
  if (result.kind === "not_found") throw notFound();
  if (result.kind === "not_cancellable")
    throw new ResendRefusal("validation_error", "The email can no longer be changed.");
  return { status: 200 as const, body: { object: "email", id: uuidOf(id) } };
}

/** The new time of an email. */
function newTimeOf(value: unknown, account: Account, now: number): string {
  const scheduledAt = isObject(value) ? value.scheduled_at : undefined;
  if (scheduledAt === undefined || scheduledAt === null || scheduledAt === "")
    throw new ResendRefusal("missing_required_field", "Missing `scheduled_at` field.");
  return wallTimeOf(scheduledAt, account, now);
}

const update = endpoint({
  ...head,
  method: "PATCH",
  path: `${base}/{email}`,
  name: "updateResendEmail",
  summary: "Move an email to another time",
  replies: { 200: resource },
})(async (call) => {
  const account = await callerOf(call, "send");
  if (isProblem(account)) return account;
  const body = await readJson(call);
  if (body === null || isProblem(body)) return body;
  const id = idOf(call);
  const at = newTimeOf(body.value, account, call.core.clock.now());
  return changed(await reschedule(call.core, account, "email", id, at, "the account"), id);
});

const cancelEmail = endpoint({
  ...head,
  method: "POST",
  path: `${base}/{email}/cancel`,
  name: "cancelResendEmail",
  summary: "Cancel an email",
  replies: { 200: resource },
})(async (call) => {
  const account = await callerOf(call, "send");
  if (isProblem(account)) return account;
  const id = idOf(call);
  return changed(await cancel(call.core, account, "email", id), id);
});

export const resendEndpoints: readonly Endpoint[] = [send, sendBatch, list, retrieve, update, cancelEmail];
