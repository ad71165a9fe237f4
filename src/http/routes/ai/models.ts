// The models that a pool key may use, in OpenAI's format and, for their clients, in Anthropic's and Google's.

import { z } from "zod";
import { unknownModel } from "#ai/call-errors.ts";
import type { ListedModel } from "#ai/pools/models.ts";
import { model as modelShape, modelsReply } from "#contract/ai/chat-shapes.ts";
import { aiErrorReply, aiProblem } from "#contract/ai/openai-error.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { geminiModelReply, geminiModelsReply, isGoogleClient } from "./gemini-models.ts";

/** OpenAI's model object. Anthropic's clients, known by their version header, read the other fields. */
function modelFor({ request }: Call, { id, created, owner: owned_by }: ListedModel): object {
  const entry = { id, object: "model", created, owned_by };
  if (request.headers["anthropic-version"] === undefined) return entry;
  const created_at = new Date(created * 1_000).toISOString();
  return { ...entry, type: "model", display_name: id, created_at };
}

const limitText = /^[1-9]\d{0,8}$/;

export const listModelsRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1/models",
  name: "listModels",
  tag: "AI gateway",
  summary: "List the models of the pool",
  description:
    "The pool's own name comes first, followed by the models of members that are not down. A key with a list of models sees only those. With the header `anthropic-version`, entries also have Anthropic's `type`, `display_name` and `created_at`. With the key in `x-goog-api-key`, the answer is that of `GET /api/ai/v1beta/models`.",
  family: "pool",
  query: z.object({
    limit: z.string().regex(limitText).optional().describe("The most models to list; default: all of them."),
  }),
  replies: { 200: modelsReply },
})(async (call) => {
  if (isGoogleClient(call)) return geminiModelsReply(call);
  const limit = new URLSearchParams(queryOf(call.request)).get("limit");
  if (limit !== null && !limitText.test(limit))
    return aiProblem("invalid_value", { message: "'limit' must be a whole number above 0.", param: "limit" });
  const entries = call.core.ai.models(call.opened).map((entry) => modelFor(call, entry));
  const data = limit === null ? entries : entries.slice(0, Number(limit));
  const more = data.length < entries.length;
  const paged = call.request.headers["anthropic-version"] === undefined ? {} : { has_more: more };
  return { status: 200, body: { object: "list", data, ...paged } };
});

export const getModelRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1/models/{model}",
  name: "getModel",
  tag: "AI gateway",
  summary: "Get a model of the pool",
  description:
    "An id may contain slashes, percent-encoded or as they are. With the key in `x-goog-api-key`, the answer is that of `GET /api/ai/v1beta/models/{model}`.",
  family: "pool",
  params: { model: z.string().describe("The model's id.") },
  // Model ids such as `openai/gpt-4o` have slashes.
  wildcard: "model",
  aiProblems: ["model_not_found"],
  replies: { 200: modelShape },
})(async (call) => {
  if (isGoogleClient(call)) return geminiModelReply(call);
  const { params, core, opened } = call;
  const found = core.ai.models(opened).find(({ id }) => id === params.model);
  if (found === undefined) return aiErrorReply(404, unknownModel(params.model ?? ""));
  return { status: 200, body: modelFor(call, found) };
});
