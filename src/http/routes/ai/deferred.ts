// GET /api/ai/v1/deferred/{completion} and POST …/cancel: deferred completions, by the key that asked for them.

import { z } from "zod";
import {
  cancelDeferred,
  type Deferred,
  deferCompletion,
  deferredHorizonMs,
  findDeferred,
} from "#ai/deferred/deferred.ts";
import type { ModelRequest } from "#contract/ai/chat.ts";
import { deferredReply, presentDeferred, scheduleHeader } from "#contract/ai/deferred.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import type { PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import type { Reply } from "#http/reply/response.ts";
import { readSchedule } from "#runtime/time-zones.ts";
import { rateLimitHeaders, refusalReply } from "./answers.ts";

const path = "/api/ai/v1/deferred/{completion}";
const about = {
  tag: "AI gateway",
  family: "pool",
  params: { completion: z.string().describe("The id of a deferred completion.") },
  replies: { 200: deferredReply },
  problems: [],
} as const;

/** The completion as it is shown. The model's answer is passed on as it was stored, unparsed. */
function shown(status: number, { row, result }: Deferred): Reply {
  const answered = result !== null && "response" in result ? result.response : "null";
  const error = result !== null && "error" in result ? result.error : null;
  const state = JSON.stringify({ ...presentDeferred(row), error });
  return {
    status,
    body: `${state.slice(0, -1)},"response":${answered}}`,
    type: "application/json; charset=utf-8",
  };
}

const keyIsFull = "Too many deferred completions of this key wait; try again later.";

/** The reply to a chat completion that its headers defer. `scheduleAt`: the account's wall clock, or null: now. */
export async function deferredReplyTo(
  { core, opened, requestId }: Pick<PoolCall, "core" | "opened" | "requestId">,
  request: ModelRequest,
  scheduleAt: string | null,
): Promise<Reply> {
  const now = core.clock.now();
  const at = scheduleAt === null ? now : readSchedule(scheduleAt, opened.key.timeZone);
  if (at === null)
    return aiProblem("invalid_value", {
      message: `'${scheduleHeader}' must have the format Y-m-d H:i:s.`,
      param: scheduleHeader,
    });
  if (at > now + deferredHorizonMs)
    return aiProblem("invalid_value", {
      message: `'${scheduleHeader}' must be within a year from now.`,
      param: scheduleHeader,
    });
  const accepted = await core.ai.accept(opened, requestId);
  if (accepted.kind === "gone") return aiProblem("invalid_api_key");
  if (accepted.kind === "refused") return refusalReply(accepted);
  const stored = await deferCompletion(core, opened, request, Math.max(at, now));
  if (stored.kind === "full")
    return aiProblem("too_many_deferred", {
      retryAfterMs: 60_000,
      ...(stored.of === "key" ? { message: keyIsFull } : {}),
    });
  return { ...shown(202, { row: stored.row, result: null }), headers: rateLimitHeaders(accepted.levels) };
}

export const getDeferredCompletionRoute = endpoint({
  ...about,
  method: "GET",
  path,
  name: "getDeferredCompletion",
  summary: "Get a deferred completion",
  description:
    "Only the key that asked for it finds it. Results are kept for `TRUNKLINE_KEEP_DEFERRED_DAYS`.",
  aiProblems: ["completion_not_found"],
})(async ({ core, opened, params: { completion } }) => {
  const found = isId(completion) ? await findDeferred(core, opened, completion) : null;
  return found === null ? aiProblem("completion_not_found") : shown(200, found);
});

export const cancelDeferredCompletionRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/cancel`,
  name: "cancelDeferredCompletion",
  summary: "Cancel a deferred completion",
  description: "An attempt that is under way ends by itself, and its answer is dropped.",
  aiProblems: ["completion_not_found", "completion_ended"],
})(async ({ core, opened, params: { completion } }) => {
  const found = isId(completion) ? await cancelDeferred(core, opened, completion) : null;
  if (found === null) return aiProblem("completion_not_found");
  return found.ended ? aiProblem("completion_ended") : shown(200, { row: found.row, result: null });
});
