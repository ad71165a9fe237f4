// GET /api/ai/v1/deferred/{completion} and POST …/cancel: deferred completions, with the key that created them.

import { z } from "zod";
import { errorShapeOf, inShape } from "#ai/apis/apis.ts";
import {
  cancelDeferred,
  type Deferred,
  deferCompletion,
  deferredHorizonMs,
  findDeferred,
} from "#ai/deferred/deferred.ts";
import type { StoredRequest } from "#ai/deferred/stored-request.ts";
import { deferredReply, presentDeferred, scheduleHeader } from "#contract/ai/deferred.ts";
import { aiErrorReply, aiProblem } from "#contract/ai/openai-error.ts";
import { isProblem, type Problem } from "#contract/problem.ts";
import type { PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import type { Reply } from "#http/reply/response.ts";
import { readSchedule } from "#runtime/time-zones.ts";
import type { DeferredCompletionsTable } from "#store/schema/pools.ts";
import { rateLimitHeaders, refusalReply } from "./answers.ts";

const path = "/api/ai/v1/deferred/{completion}";
const about = {
  tag: "AI gateway",
  family: "pool",
  params: { completion: z.string().describe("The id of a deferred completion.") },
  replies: { 200: deferredReply },
} as const;

/** The completion as it is shown. The model's answer is passed on as stored, without parsing. */
function shown(requestId: string, status: number, { row, result }: Deferred): Reply {
  const answered = result !== null && "response" in result ? result.response : "null";
  const error = errorOf(requestId, result);
  const state = JSON.stringify({ ...presentDeferred(row), error });
  return {
    status,
    body: `${state.slice(0, -1)},"response":${answered}}`,
    type: "application/json; charset=utf-8",
  };
}

/** Why it failed, in the format of the API that was called. */
function errorOf(requestId: string, result: Deferred["result"]): unknown {
  if (result === null || !("error" in result)) return null;
  const shape = errorShapeOf(result.path ?? "");
  const { body } = inShape(shape, aiErrorReply(result.status ?? 500, result.error), requestId);
  return "error" in body ? body.error : result.error;
}

const keyIsFull = "Too many deferred completions of this key wait; try again later.";

/** The part of a call that defers a request. */
export type DeferredCall = Pick<PoolCall, "core" | "opened" | "requestId">;

/** Stores a request to be served later. `scheduleAt`: the account's local time, or null for now. */
export async function acceptDeferred(
  { core, opened, requestId }: DeferredCall,
  request: StoredRequest,
  scheduleAt: string | null,
): Promise<Problem | { row: DeferredCompletionsTable; headers: Record<string, string> }> {
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
  return { row: stored.row, headers: rateLimitHeaders(accepted.levels) };
}

/** The reply to a request that its headers defer. */
export async function deferredReplyTo(
  call: DeferredCall,
  request: StoredRequest,
  scheduleAt: string | null,
): Promise<Reply> {
  const accepted = await acceptDeferred(call, request, scheduleAt);
  if (isProblem(accepted)) return accepted;
  const { row, headers } = accepted;
  return { ...shown(call.requestId, 202, { row, result: null }), headers };
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
})(async ({ core, opened, requestId, params: { completion } }) => {
  const found = isId(completion) ? await findDeferred(core, opened, completion) : null;
  return found === null ? aiProblem("completion_not_found") : shown(requestId, 200, found);
});

export const cancelDeferredCompletionRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/cancel`,
  name: "cancelDeferredCompletion",
  summary: "Cancel a deferred completion",
  description: "An attempt that is under way ends by itself, and its answer is dropped.",
  aiProblems: ["completion_not_found", "completion_ended"],
})(async ({ core, opened, requestId, params: { completion } }) => {
  const found = isId(completion) ? await cancelDeferred(core, opened, completion) : null;
  if (found === null) return aiProblem("completion_not_found");
  return found.ended
    ? aiProblem("completion_ended")
    : shown(requestId, 200, { row: found.row, result: null });
});
