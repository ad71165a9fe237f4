// POST /api/manage/v1/accounts/{account}/messages/bulk: one decision about many messages.

import { accountFromRow } from "#accounts/authenticate.ts";
import {
  type BulkAction,
  type BulkRefusal,
  type BulkRequest,
  bulkMessagesReply,
  bulkMessagesRequest,
} from "#contract/manage/messages.ts";
import type { Resolution } from "#contract/messages/changes.ts";
import { validationFailed } from "#contract/problem.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { gatewayGone } from "#http/routes/messages/resolve.ts";
import { cancel } from "#messaging/lookup.ts";
import { reschedule } from "#messaging/reschedule.ts";
import { resolve } from "#messaging/resolve.ts";

/** Number of concurrent changes: enough to keep the storage busy, few enough that sends get their turn. */
const atOnce = 20;

const resolutions: Record<Exclude<BulkAction, "cancel" | "reschedule">, Resolution> = {
  send_again: "send_again",
  mark_sent: "mark_sent",
  mark_failed: "mark_failed",
};

type Call = Pick<ManageAccountCall, "core" | "account" | "principal">;

/** Applies the decision to one message; null if it was applied. */
async function change(
  { core, account, principal }: Call,
  id: string,
  { action, schedule_at: scheduleAt = null }: BulkRequest,
): Promise<BulkRefusal | null> {
  const missing: BulkRefusal = { id, code: "not_found", message: "Not found." };
  if (!isId(id)) return missing;
  if (action === "cancel" || action === "reschedule") {
    const result =
      action === "cancel"
        ? await cancel(core, account, null, id, principal.name)
        : await reschedule(core, accountFromRow(account), null, id, scheduleAt, principal.name);
    if (result.kind === "cancelled" || result.kind === "rescheduled") return null;
    if (result.kind === "not_found") return missing;
    return { id, code: "not_cancellable", message: `Its status is ${result.status}.` };
  }
  const result = await resolve(core, account, null, id, resolutions[action], principal.name);
  if (result.kind === "resolved") return null;
  if (result.kind === "not_found") return missing;
  if (result.kind === "gateway_gone") return { id, code: "conflict", message: gatewayGone };
  return { id, code: "not_unknown", message: `Its status is ${result.status}.` };
}

export const changeAccountMessagesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/bulk",
  name: "changeAccountMessages",
  tag: "Account messages",
  summary: "Cancel, move or resolve many of an account's messages",
  description:
    "Each message is changed by itself: the reply says which were, and why each of the others was not. Asking again changes nothing that was done.",
  scope: "account",
  body: bulkMessagesRequest,
  replies: { 200: bulkMessagesReply },
})(async (call) => {
  const { input } = call;
  const { action, schedule_at } = input;
  if ((action === "reschedule") !== (schedule_at !== undefined))
    return validationFailed([
      { path: ["schedule_at"], message: "goes with `reschedule`, and with it alone" },
    ]);
  const ids = [...new Set(input.ids)];
  const done: string[] = [];
  const refused: BulkRefusal[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce);
    const results = await Promise.all(some.map((id) => change(call, id, input)));
    for (const [i, result] of results.entries()) {
      if (result !== null) refused.push(result);
      else done.push(some[i] ?? "");
    }
  }
  return { message: "The messages were changed.", data: { done, refused } };
});
