// GET /api/ai/v1/models and GET /api/ai/v1/models/{model}

import { z } from "zod";
import { model as modelShape, modelsReply } from "#contract/ai/chat-shapes.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { endpoint } from "#http/endpoint.ts";

export const listModelsRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1/models",
  name: "listModels",
  tag: "AI gateway",
  summary: "List the models of the pool",
  description:
    "The pool's own name comes first, followed by the models of members that are not down. A key with a list of models sees only those.",
  family: "pool",
  replies: { 200: modelsReply },
  problems: [],
})(async ({ opened, core }) => ({
  status: 200,
  body: { object: "list", data: core.ai.models(opened) },
}));

export const getModelRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1/models/{model}",
  name: "getModel",
  tag: "AI gateway",
  summary: "Get a model of the pool",
  description: "An id may contain slashes, percent-encoded or as they are.",
  family: "pool",
  params: { model: z.string().describe("The model's id.") },
  // Model ids such as `openai/gpt-4o` have slashes.
  wildcard: "model",
  replies: { 200: modelShape },
  problems: [],
})(async ({ opened, core, params }) => {
  const found = core.ai.models(opened).find(({ id }) => id === params.model);
  if (found === undefined) {
    const message = `The model \`${params.model ?? ""}\` does not exist or you do not have access to it.`;
    return aiProblem("model_not_found", { message, param: "model" });
  }
  return { status: 200, body: found };
});
