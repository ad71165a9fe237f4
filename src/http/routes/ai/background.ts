// Responses that run in the background: GET /api/ai/v1/responses/{response} and POST …/cancel, with the key that created them. Each is a
// deferred completion, whose id has another prefix here.

import { z } from "zod";
import { unansweredResponse } from "#ai/apis/responses/background.ts";
import { responsesApi } from "#ai/apis/responses/responses.ts";
import { responsesReply } from "#ai/apis/responses/shapes.ts";
import {
  cancelDeferred,
  type Deferred,
  type DeferredResult,
  findDeferred,
  requestOf,
} from "#ai/deferred/deferred.ts";
import { type StoredRequest, stemOf } from "#ai/deferred/stored-request.ts";
import { wrong } from "#contract/ai/chat.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { isObject } from "#contract/normalise.ts";
import { isProblem } from "#contract/problem.ts";
import type { PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import type { Reply } from "#http/reply/response.ts";
import { queryOf } from "#http/request.ts";
import { acceptDeferred, type DeferredCall } from "./deferred.ts";

type Of = Pick<PoolCall, "core" | "opened">;

/** Whether it was created through this API. */
function isResponse({ row, result }: Deferred, stored: StoredRequest | null): boolean {
  if (row.api !== null) return row.api === "responses";
  // For completions stored before their API was recorded, the operation is known as long as there is a request or a result.
  const path = result?.path ?? stored?.path;
  if (path !== undefined) return path === responsesApi.path;
  return result === null || "error" in result;
}

/** The response with this id; null if what has this id was created through another API. */
function shown({ core, opened }: Of, { row, result }: Deferred): Reply | null {
  const stored = requestOf(core, row);
  if (!isResponse({ row, result }, stored)) return null;
  if (result !== null && "response" in result)
    return { status: 200, body: result.response, type: "application/json; charset=utf-8" };
  const body: unknown = stored === null ? null : JSON.parse(stored.text);
  const response = unansweredResponse({
    stem: stemOf(row.id),
    status: row.status,
    createdAt: row.created_at,
    body: isObject(body) ? body : null,
    model: opened.pool.name,
    error: errorOf(result),
  });
  return { status: 200, body: response };
}

const errorOf = (result: DeferredResult | null) =>
  result !== null && "error" in result ? result.error : null;

/** The reply to a request to run in the background. */
export async function backgroundReplyTo(call: DeferredCall, request: Parameters<typeof acceptDeferred>[1]) {
  const accepted = await acceptDeferred(call, request, null);
  if (isProblem(accepted)) return accepted;
  const { row, headers } = accepted;
  const reply = shown(call, { row, result: null });
  return reply && { ...reply, headers };
}

/** The schema of a new response, which alone may be a stream. */
const foundReply = responsesReply.meta({ id: "BackgroundResponse" });

const path = "/api/ai/v1/responses/{response}";
const about = {
  tag: "AI gateway",
  family: "pool",
  params: {
    response: z.string().describe("The id of a response that was asked for with `background: true`."),
  },
  replies: { 200: foundReply },
  aiProblems: ["completion_not_found"],
} as const;

/** The completion's id for a response's id; null if it is not a response's id. */
function completionId(response: string | undefined): string | null {
  const id = /^resp_(.+)$/.exec(response ?? "")?.[1];
  return id !== undefined && isId(`cmp_${id}`) ? `cmp_${id}` : null;
}

const notFound = () => aiProblem("completion_not_found", { message: "There is no such response." });

export const getResponseRoute = endpoint({
  ...about,
  method: "GET",
  path,
  name: "getResponse",
  summary: "Get a response that runs in the background",
  description:
    "This is OpenAI's operation. Only the key that asked for the response finds it, for `TRUNKLINE_KEEP_DEFERRED_DAYS` after its end. The parameters of a request go with its end: a response that failed or was cancelled does not repeat them.",
  query: z.object({
    stream: z.enum(["false"]).optional().describe("A response in the background has no stream."),
  }),
})(async (call) => {
  const stream = new URLSearchParams(queryOf(call.request)).get("stream");
  if (stream !== null && stream !== "false")
    return wrong("stream", "must be false: a response in the background has no stream");
  const id = completionId(call.params.response);
  const found = id === null ? null : await findDeferred(call.core, call.opened, id);
  return (found && shown(call, found)) ?? notFound();
});

export const cancelResponseRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/cancel`,
  name: "cancelResponse",
  summary: "Cancel a response that runs in the background",
  description:
    "This is OpenAI's operation. An attempt that is under way ends by itself, and its answer is dropped. A response that has ended is answered as it is.",
})(async (call) => {
  const { core, opened } = call;
  const id = completionId(call.params.response);
  const found = id === null ? null : await findDeferred(core, opened, id);
  // The id of a response cannot cancel anything of another API.
  const before = found && shown(call, found);
  if (found === null || before === null || found.row.finished_at !== null) return before ?? notFound();
  await cancelDeferred(core, opened, found.row.id);
  const after = await findDeferred(core, opened, found.row.id);
  return (after && shown(call, after)) ?? notFound();
});
