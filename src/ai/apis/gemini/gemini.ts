// Google's Gemini API, for its clients and agents. The path contains the model and the operation.

import { z } from "zod";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { ApiOperation, ClientApiRow } from "#ai/apis/client-api.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { withMembers } from "#contract/json-text.ts";
import { type ContentRules, contentOf } from "./answer.ts";
import {
  batchReply,
  batchRequest,
  createEmbeddingsRequest,
  embedReply,
  embedRequest,
  isEmbeddings,
  readEmbedded,
} from "./embeddings.ts";
import { geminiErrors } from "./error-shape.ts";
import { joinedContent } from "./joined.ts";
import { chatOfContents, wantsThoughts } from "./request.ts";
import { countReply, countRequest, generateReply, generateRequest, readContents } from "./shapes.ts";
import { ContentWriter, contentError, framingOf } from "./stream.ts";

/** Dropped for a member that refuses them: reasoning effort and sampling parameters. */
const optional: ReadonlySet<string> = new Set(["reasoning_effort", "temperature", "top_p", "top_k"]);

/** `stem`: letters, digits, `_` and `-`; unique to the request. `isEvents`: its stream consists of server-sent events. */
export function createContentRequest(
  { text, body, stream }: { text: string; body: Readonly<Record<string, unknown>>; stream: boolean },
  stem: string,
  isEvents: boolean,
): ApiRequest {
  const names = new ToolNames();
  const leftOut: string[] = [];
  const chat = chatOfContents(text, stream, names, leftOut);
  const thoughts = wantsThoughts(body);
  const rules = (model: string, maker?: string): ContentRules => ({
    model,
    ...(maker === undefined ? {} : { maker }),
    stem,
    names,
    thoughts,
  });
  const framing = framingOf(isEvents);
  return {
    format: "gemini",
    headers: {},
    estimated: chat.kind === "chat" ? chat.body : {},
    parameters: null,
    optional,
    echoesModel: true,
    chat: () => chat,
    leftOut: () => leftOut,
    answer: (answer, _forwarded, { model, maker, served }) =>
      withMembers(contentOf(answer, rules(model, maker)), { service_pool: JSON.stringify(served) }),
    writer: ({ model, maker, served }) => new ContentWriter(rules(model, maker), framing, served),
    failed: (error) => contentError(error, framing),
    // Whitespace is allowed between the pieces of an array.
    ...(isEvents ? {} : { keepAlive: () => "\n", streamType: "application/json; charset=utf-8" }),
  };
}

const example = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };
const embedded = { content: { parts: [{ text: "Hello!" }] } };

const key =
  "The key is sent in `x-goog-api-key`, as `?key=` or as a Bearer token. Errors have Google's shape.";

type Draft = Omit<ApiOperation, "path" | "params"> & { verb: string };

const drafts: readonly Draft[] = [
  {
    verb: "generateContent",
    name: "createContent",
    summary: "Generate content",
    description: `This is Google's operation. The request is translated for the members, and \`X-Service-Pool-Adapted\` names what they were not sent. ${key}`,
    body: generateRequest,
    reply: generateReply,
    example,
    read: (text, params) => readContents(text, params, false),
  },
  {
    verb: "streamGenerateContent",
    name: "createContentStream",
    summary: "Generate content in a stream",
    description: `This is Google's operation. With \`?alt=sse\` the reply is a stream of server-sent events, else one JSON array that grows. A stream that fails ends with a piece that has \`error\`, and without a finish reason. ${key}`,
    body: generateRequest,
    reply: z.array(generateReply).meta({ id: "GenerateContentResponses" }),
    example,
    stream: "With `?alt=sse`: a `GenerateContentResponse` in each event.",
    read: (text, params) => readContents(text, params, true),
  },
  {
    verb: "countTokens",
    name: "countContentTokens",
    summary: "Count the tokens of content",
    description: `This is Google's operation. The number is an estimate, and nothing of it counts against the key's limits or budget. ${key}`,
    body: countRequest,
    reply: countReply,
    example,
    counts: (tokens) => ({ totalTokens: tokens }),
    read: (text, params) => readContents(text, params, false),
  },
  {
    verb: "embedContent",
    name: "createContentEmbedding",
    summary: "Embed content",
    description: `This is Google's operation. The members that have embedding models serve it, with OpenAI's embeddings or Google's. ${key}`,
    body: embedRequest,
    reply: embedReply,
    example: embedded,
    read: (text, params) => readEmbedded(text, params, false),
  },
  {
    verb: "batchEmbedContents",
    name: "createContentEmbeddings",
    summary: "Embed many contents",
    description: `This is Google's operation, for many contents with one \`outputDimensionality\`. ${key}`,
    body: batchRequest,
    reply: batchReply,
    example: { requests: [embedded] },
    read: (text, params) => readEmbedded(text, params, true),
  },
];

const modelParam = { model: z.string().describe("The model, or the pool's name.") };

/** Google's clients use either version for the same operations. */
const operations = (["v1beta", "v1"] as const).flatMap((version) =>
  drafts.map(
    ({ verb, name, ...draft }): ApiOperation => ({
      ...draft,
      path: `/api/ai/${version}/models/{model}:${verb}`,
      params: modelParam,
      name: version === "v1" ? `${name}InStable` : name,
    }),
  ),
);

export const geminiApi: ClientApiRow = {
  path: "/api/ai/v1beta",
  alsoAt:
    /^\/api\/ai\/(?:v1alpha\/|upload\/|v1\/models\/[^/]+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|predict|predictLongRunning|batchGenerateContent|asyncBatchEmbedContent|bidiGenerateContent|computeTokens)$)/,
  keyParameter: "key",
  operations,
  errorShape: geminiErrors,
  clientHeader: "x-goog-api-key",
  joinAnswer: joinedContent,
  spanOperation: "generate_content",
  request: (read, { stem, query }) =>
    isEmbeddings(read)
      ? createEmbeddingsRequest(read)
      : createContentRequest(read, stem, query.get("alt") === "sse"),
};
