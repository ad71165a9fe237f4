// GET /api/ai/v1/models and GET /api/ai/v1/models/{model}

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
    "The pool's own name first, then the models of members that are not down, as far as the key may use them.",
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
  summary: "Look at one model of the pool",
  description: "An id may hold slashes, escaped or as they are.",
  family: "pool",
  params: { model: "The model's id." },
  // `openai/gpt-4o` and the like.
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
