// POST /api/ai/v1/embeddings

import { readEmbeddings } from "#contract/ai/chat.ts";
import { embeddingsReply, embeddingsRequest } from "#contract/ai/chat-shapes.ts";
import { isProblem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { toReply } from "./answers.ts";

export const createEmbeddingRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/embeddings",
  name: "createEmbedding",
  tag: "AI gateway",
  summary: "Create embeddings",
  description:
    "This is OpenAI's operation. The members of the key's pool that have embedding models serve the request, with the same failover as completions.",
  family: "pool",
  body: embeddingsRequest,
  replies: { 200: embeddingsReply },
  problems: [],
})(async ({ text, opened, signal, requestId, core }) => {
  const request = readEmbeddings(text);
  if (isProblem(request)) return request;
  return toReply(await core.ai.serve(opened, { kind: "embeddings", ...request }, requestId, signal));
});
