// The models that a pool key may use, in the format of Google's Gemini API. Source: ai.google.dev/api/models

import { z } from "zod";
import { inShape } from "#ai/apis/apis.ts";
import { geminiErrors } from "#ai/apis/gemini/error-shape.ts";
import { unknownModel } from "#ai/call-errors.ts";
import type { ListedModel } from "#ai/pools/models.ts";
import { aiErrorReply, aiProblem } from "#contract/ai/openai-error.ts";
import type { Call, PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import type { Reply } from "#http/reply/response.ts";
import { queryOf } from "#http/request.ts";

const modelShape = z
  .looseObject({
    name: z.string().describe("`models/` and the model's id, which may contain slashes."),
    baseModelId: z.string(),
    displayName: z.string(),
    supportedGenerationMethods: z
      .array(z.string())
      .describe("The operations of this API that the pool serves with the model."),
  })
  .meta({ id: "GeminiModel" });

function geminiModel({ id, completes, embeds }: ListedModel): z.infer<typeof modelShape> {
  return {
    name: `models/${id}`,
    baseModelId: id,
    displayName: id,
    supportedGenerationMethods: [
      ...(completes ? ["generateContent", "countTokens"] : []),
      ...(embeds ? ["embedContent"] : []),
    ],
  };
}

const sizeText = /^\d{1,9}$/;

/** Google's clients also call `v1`, where OpenAI's are answered. They are recognized by the header with the key. */
export const isGoogleClient = ({ request }: Call): boolean => request.headers["x-goog-api-key"] !== undefined;

/** The answer to Google's clients that list models. */
export function geminiModelsReply({ request, core, opened, requestId }: PoolCall): Reply {
  const query = new URLSearchParams(queryOf(request));
  const param = ["pageSize", "pageToken"].find((name) => !sizeText.test(query.get(name) || "0"));
  if (param !== undefined) {
    const message = `'${param}' must be a whole number.`;
    return inShape(geminiErrors, aiProblem("invalid_value", { message, param }), requestId);
  }
  const all = core.ai.models(opened);
  const start = Number(query.get("pageToken"));
  const end = start + (Number(query.get("pageSize")) || all.length);
  const models = all.slice(start, end).map(geminiModel);
  return { status: 200, body: { models, ...(end < all.length ? { nextPageToken: String(end) } : {}) } };
}

/** The answer to Google's clients that get one model. */
export function geminiModelReply({ params, core, opened, requestId }: PoolCall): Reply {
  const { model = "" } = params;
  const found = core.ai.models(opened).find(({ id }) => id === model);
  if (found !== undefined) return { status: 200, body: geminiModel(found) };
  return inShape(geminiErrors, aiErrorReply(404, unknownModel(model)), requestId);
}

const key =
  "The key is sent in `x-goog-api-key`, as `?key=` or as a Bearer token. Errors have Google's shape.";

export const listGeminiModelsRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1beta/models",
  name: "listGeminiModels",
  tag: "AI gateway",
  summary: "List the models of the pool for Google's clients",
  description: `This is Google's operation. It lists what \`GET /api/ai/v1/models\` does, and what can be done with each. ${key}`,
  family: "pool",
  query: z.object({
    pageSize: z
      .string()
      .regex(sizeText)
      .optional()
      .describe("The most models to list; default, and 0: all of them."),
    pageToken: z.string().regex(sizeText).optional().describe("The `nextPageToken` of the page before."),
  }),
  replies: {
    200: z
      .looseObject({
        models: z.array(modelShape),
        nextPageToken: z.string().optional().describe("Absent from the last page."),
      })
      .meta({ id: "GeminiModelList" }),
  },
})(async (call) => geminiModelsReply(call));

export const getGeminiModelRoute = endpoint({
  method: "GET",
  path: "/api/ai/v1beta/models/{model}",
  name: "getGeminiModel",
  tag: "AI gateway",
  summary: "Get a model of the pool for Google's clients",
  description: `This is Google's operation. An id may contain slashes, percent-encoded or as they are. ${key}`,
  family: "pool",
  params: { model: z.string().describe("The model's id.") },
  // Model ids such as `openai/gpt-4o` have slashes.
  wildcard: "model",
  aiProblems: ["model_not_found"],
  replies: { 200: modelShape },
})(async (call) => geminiModelReply(call));
