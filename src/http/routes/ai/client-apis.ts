// The operations of the client APIs for completions, generated from their list.

import { clientApis } from "#ai/apis/apis.ts";
import type { ApiOperation, ClientApi } from "#ai/apis/client-api.ts";
import { unknownModel } from "#ai/call-errors.ts";
import type { ClientRequest } from "#ai/complete.ts";
import type { ModelRequest } from "#contract/ai/chat.ts";
import { deferHeaders, deferredReply, readDeferral } from "#contract/ai/deferred.ts";
import { aiErrorReply } from "#contract/ai/openai-error.ts";
import { isProblem, type Problem } from "#contract/problem.ts";
import type { PoolCall } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import type { Reply } from "#http/reply/response.ts";
import { callerHeaders, serveCall } from "./answers.ts";
import { backgroundReplyTo } from "./background.ts";
import { deferredReplyTo } from "./deferred.ts";

const noQuery: URLSearchParams = new URLSearchParams();

/** The query of a target; nothing changes it. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return at === -1 ? noQuery : new URLSearchParams(/[^#]*/.exec(url.slice(at + 1))?.[0]);
}

/** The request of a call. Its answers have ids derived from the id of the call. */
function readCall(
  api: ClientApi,
  operation: ApiOperation,
  { text, params, request, requestId, core }: PoolCall,
): (ClientRequest & Pick<ModelRequest, "background">) | Problem {
  const read = operation.read(text, params);
  if (isProblem(read)) return read;
  const received = {
    headers: request.headers,
    stem: requestId.slice("req_".length),
    created: Math.floor(core.clock.now() / 1_000),
    query: queryOf(request.url ?? ""),
  };
  return { kind: "chat", ...read, api: api.request(read, received) };
}

function apiEndpoint(api: ClientApi, operation: ApiOperation): Endpoint {
  const { path, params, name, summary, description, body, reply, counts, deferrable } = operation;
  return endpoint({
    method: "POST",
    path,
    name,
    tag: "AI gateway",
    summary,
    description,
    family: "pool",
    ...(params && { params }),
    ...(counts ? {} : { headers: deferrable ? { ...callerHeaders, ...deferHeaders } : callerHeaders }),
    body,
    replies: deferrable ? { 200: reply, 202: deferredReply } : { 200: reply },
    ...(deferrable && { aiProblems: ["too_many_deferred"] as const }),
  })(async (call) => {
    const request = readCall(api, operation, call);
    if (isProblem(request)) return request;
    if (counts) return identified(api, call, await countReply(call, request, counts));
    if (deferrable) {
      const deferral = readDeferral(call.request.headers, request.stream);
      if (isProblem(deferral)) return deferral;
      const stored = { path, headers: request.api.headers, text: request.text };
      if (deferral.deferred)
        return identified(api, call, await deferredReplyTo(call, stored, deferral.scheduleAt));
      if (request.background) return await backgroundReplyTo(call, stored);
    }
    return identified(api, call, typed(request, await serveCall(call, request)));
  });
}

/** Adds the id of the call where the API's clients read it. The error shape adds it to errors. */
function identified(
  { requestIdHeader: name }: ClientApi,
  { requestId }: PoolCall,
  reply: Reply | null,
): Reply | null {
  if (reply === null || name === undefined || isProblem(reply)) return reply;
  return { ...reply, headers: { ...reply.headers, [name]: requestId } };
}

/** Sets the media type of streams that are not server-sent events. */
function typed({ stream, api: { streamType } }: ClientRequest, reply: Reply | null): Reply | null {
  if (reply === null || isProblem(reply) || !stream || streamType === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, "Content-Type": streamType } };
}

async function countReply(
  { core, opened, signal }: PoolCall,
  request: ClientRequest,
  answer: NonNullable<ApiOperation["counts"]>,
): Promise<Reply> {
  const tokens = await core.ai.countTokens(opened, request, signal);
  return tokens === null
    ? aiErrorReply(404, unknownModel(request.model))
    : { status: 200, body: answer(tokens) };
}

export const clientApiEndpoints: readonly Endpoint[] = clientApis.flatMap((api) =>
  api.operations.map((operation) => apiEndpoint(api, operation)),
);
