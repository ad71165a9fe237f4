// Embeddings in OpenAI's format, with the failover, limits and usage of completions.

import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { readEmbeddings } from "#contract/ai/chat.ts";
import { embeddingsReply, embeddingsRequest } from "#contract/ai/chat-shapes.ts";
import { isProblem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { callerHeaders, serveCall } from "./answers.ts";

export const createEmbeddingRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/embeddings",
  name: "createEmbedding",
  tag: "AI gateway",
  summary: "Create embeddings",
  description:
    "This is OpenAI's operation. The members of the key's pool that have embedding models serve the request, with the same failover as completions.",
  family: "pool",
  headers: callerHeaders,
  body: embeddingsRequest,
  replies: { 200: embeddingsReply },
})(async (call) => {
  const request = readEmbeddings(call.text);
  if (isProblem(request)) return request;
  return await serveCall(call, { kind: "embeddings", ...request, api: new ChatCompletionsRequest(request) });
});
