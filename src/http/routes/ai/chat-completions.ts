// POST /api/ai/v1/chat/completions

import { readChat } from "#contract/ai/chat.ts";
import { chatReply, chatRequest } from "#contract/ai/chat-shapes.ts";
import { isProblem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { callerHeaders, serveCall } from "./answers.ts";

export const createChatCompletionRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/chat/completions",
  name: "createChatCompletion",
  tag: "AI gateway",
  summary: "Create a chat completion",
  description:
    "This is OpenAI's operation. The first member of the key's pool that produces output serves the request. All parameters of OpenAI's API are passed on. With `stream: true` the reply is a stream of `chat.completion.chunk` events.",
  family: "pool",
  headers: callerHeaders,
  body: chatRequest,
  replies: { 200: chatReply },
  problems: [],
})(async (call) => {
  const request = readChat(call.text);
  if (isProblem(request)) return request;
  return await serveCall(call, { kind: "chat", ...request });
});
