// POST /api/ai/v1/messages and POST /api/ai/v1/messages/count_tokens

import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";
import { messagesDoor } from "#ai/apis/messages/messages.ts";
import {
  countTokensReply,
  countTokensRequest,
  messagesReply,
  messagesRequest,
  readMessages,
} from "#ai/apis/messages/shapes.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { isProblem, type Problem } from "#contract/problem.ts";
import type { PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { callerHeaders, serveCall } from "./answers.ts";

/** The request at this door; its answers are named by the request's id. */
function readCall({ text, request, requestId }: PoolCall) {
  const read = readMessages(text);
  if (isProblem(read)) return read;
  const headers = forwardedHeaders(request.headers);
  const door = messagesDoor({ text, body: read.body, headers }, requestId.replace(/^req_/, ""));
  return { kind: "chat" as const, ...read, door };
}

export const createMessageRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/messages",
  name: "createMessage",
  tag: "AI gateway",
  summary: "Create a message",
  description:
    "This is Anthropic's operation. Members that speak Anthropic's Messages API get the request as it came, with its beta headers; for others it is translated, and `X-Service-Pool-Adapted` names what they were not sent. The key may also be sent in `x-api-key`. With `stream: true` the reply is a stream of Anthropic's events. Errors have Anthropic's shape.",
  family: "pool",
  headers: callerHeaders,
  body: messagesRequest,
  replies: { 200: messagesReply },
  problems: [],
})(async (call) => {
  const request = readCall(call);
  if (isProblem(request)) return request;
  return await serveCall(call, request);
});

export const countTokensRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/messages/count_tokens",
  name: "countMessageTokens",
  tag: "AI gateway",
  summary: "Count the tokens of a message",
  description:
    "This is Anthropic's operation. The member that would be asked first counts, if it can; otherwise the number is an estimate. Nothing of it counts against the key's limits or budget.",
  family: "pool",
  body: countTokensRequest,
  replies: { 200: countTokensReply },
  problems: [],
})(async (call) => {
  const request = readCall(call);
  if (isProblem(request)) return request;
  const tokens = await call.core.ai.countTokens(call.opened, request, call.signal);
  return tokens === null ? unknownModel(request.model) : { status: 200, body: { input_tokens: tokens } };
});

function unknownModel(model: string | null): Problem {
  const message = `The model \`${model ?? ""}\` does not exist or you do not have access to it.`;
  return aiProblem("model_not_found", { message, param: "model" });
}
