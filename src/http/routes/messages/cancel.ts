// Cancels a message of the API key's account until its transmission starts.

import { idParam } from "#contract/envelope.ts";
import { problem } from "#contract/problem.ts";
import { recordReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { channelParam, isChannel, isId, unknownChannel } from "#http/path-params.ts";
import { type Cancelled, cancel } from "#messaging/lookup.ts";
import type { Rescheduled } from "#messaging/reschedule.ts";

export const cancelMessageRoute = endpoint({
  method: "POST",
  path: "/api/cancel/{channel}/{id}",
  name: "cancelMessage",
  tag: "Lookups",
  summary: "Cancel a message",
  description: "A message can be cancelled until its transmission starts. Cancelling again changes nothing.",
  family: "api_key",
  right: "send",
  params: { channel: channelParam, id: idParam("The message's id.") },
  replies: { 200: recordReply },
  problems: ["not_found", "not_cancellable"],
})(async ({ core, account, params: { channel, id } }) => {
  if (!isChannel(channel)) return unknownChannel;
  if (!isId(id)) return problem("not_found");
  return waitingReply(await cancel(core, account, channel, id), "cancelled");
});

/** The reply to a change of a message that waits, for the account and for the management API. */
export function waitingReply(result: Cancelled | Rescheduled, verb: "cancelled" | "moved") {
  switch (result.kind) {
    case "not_found":
      return problem("not_found");
    case "not_cancellable":
      return problem("not_cancellable", {
        message: `The message can no longer be ${verb}: its status is ${result.status}.`,
      });
    default:
      return { message: `The message has been ${verb}.`, data: result.record };
  }
}
