// POST /api/ai/v1/chat/completions

import { readChat } from "#contract/ai/chat.ts";
import { chatReply, chatRequest } from "#contract/ai/chat-shapes.ts";
import { deferHeaders, deferredReply, readDeferral } from "#contract/ai/deferred.ts";
import { isProblem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { callerHeaders, serveCall } from "./answers.ts";
import { deferredReplyTo } from "./deferred.ts";

export const createChatCompletionRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/chat/completions",
  name: "createChatCompletion",
  tag: "AI gateway",
  summary: "Create a chat completion",
  description:
    "This is OpenAI's operation. The first member of the key's pool that produces output serves the request. All parameters of OpenAI's API are passed on. With `stream: true` the reply is a stream of `chat.completion.chunk` events.",
  family: "pool",
  headers: { ...callerHeaders, ...deferHeaders },
  body: chatRequest,
  replies: { 200: chatReply, 202: deferredReply },
  aiProblems: ["too_many_deferred"],
  problems: [],
})(async (call) => {
  const request = readChat(call.text);
  if (isProblem(request)) return request;
  const deferral = readDeferral(call.request.headers, request.stream);
  if (isProblem(deferral)) return deferral;
  if (deferral.deferred) return await deferredReplyTo(call, request, deferral.scheduleAt);
  return await serveCall(call, { kind: "chat", ...request });
});
