// Translates Google's embedContent and batchEmbedContents to OpenAI's embeddings, and the answers back. Vectors are copied as text: no
// digit changes, and printing 300,000 numbers would take a second. Source: ai.google.dev/api/embeddings

import { z } from "zod";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import { type ModelRequest, readModelRequest, wrong } from "#contract/ai/chat.ts";
import { servicePool } from "#contract/ai/chat-shapes.ts";
import { listAt, objectAt } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import type { Problem } from "#contract/problem.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";
import { contentError, framingOf } from "./stream.ts";

const content = z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })).min(1) });
const vector = z.object({ values: z.array(z.number()) }).meta({ id: "ContentEmbedding" });

export const embedRequest = z
  .looseObject({ content, outputDimensionality: z.int().nullish() })
  .meta({ id: "EmbedContentRequest" });
export const embedReply = z
  .object({ embedding: vector, service_pool: servicePool })
  .meta({ id: "EmbedContentResponse" });
export const batchRequest = z
  .looseObject({ requests: z.array(embedRequest).min(1) })
  .meta({ id: "BatchEmbedContentsRequest" });
export const batchReply = z
  .object({ embeddings: z.array(vector), service_pool: servicePool })
  .meta({ id: "BatchEmbedContentsResponse" });

/** An embeddings request; `isBatch`: its answer is a list. */
interface EmbeddingsRead extends ModelRequest {
  kind: "embeddings";
  isBatch: boolean;
  /** Fields that OpenAI's embeddings do not have, such as `taskType`. */
  leftOut: readonly string[];
}

export const isEmbeddings = (read: ModelRequest): read is EmbeddingsRead => "isBatch" in read;

/** Fields of a request that are translated; its model is the one in the path. */
const known: readonly string[] = ["model", "content", "outputDimensionality", "output_dimensionality"];

const unknownIn = (body: Readonly<Record<string, unknown>>, names: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !names.includes(name) && body[name] !== null);

/** One text, or a batch of them, as OpenAI's request. */
export function readEmbedded(
  text: string,
  { model }: Readonly<Record<string, string>>,
  isBatch: boolean,
): EmbeddingsRead | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const asked = isBatch ? fieldsIn(request.body.requests) : [request.body];
  if (asked.length === 0) return wrong("requests", "must be a list that is not empty");
  const input: string[] = [];
  for (const [at, one] of asked.entries()) {
    const where = isBatch ? `requests[${at}].content` : "content";
    if (!isObject(one.content)) return wrong(where, "is required");
    const parts = fieldsIn(one.content.parts);
    if (parts.length === 0 || parts.some((part) => typeof part.text !== "string"))
      return wrong(where, "must have parts with texts");
    input.push(parts.map((part) => textOf(part.text)).join("\n"));
  }
  const lengths = new Set(asked.map((one) => one.outputDimensionality ?? one.output_dimensionality));
  if (lengths.size > 1) return wrong("requests", "must have one `outputDimensionality`");
  const [dimensions] = lengths;
  const body = {
    input,
    encoding_format: "float",
    ...(dimensions === undefined || dimensions === null ? {} : { dimensions }),
  };
  const beside = isBatch ? unknownIn(request.body, ["requests"]) : [];
  const leftOut = [...new Set([...beside, ...asked.flatMap((one) => unknownIn(one, known))])];
  const own = { kind: "embeddings" as const, isBatch, leftOut, stream: false, includeUsage: false };
  return { ...own, text: JSON.stringify(body), body, model: model ?? null };
}

/** Maximum number of members of an object in an answer. */
const maxMembers = 1_000;

/** Google's answer, from OpenAI's list of embeddings. */
function embeddingsOf(text: string, isBatch: boolean, served: ServicePool): string {
  const member = (from: string, name: string) => {
    const found = objectAt(from, 0, maxMembers).members.findLast(({ key }) => key === name);
    return found === undefined ? "[]" : from.slice(found.valueStart, found.end);
  };
  const answer = text.trim();
  const list = member(answer, "data");
  const vectors = listAt(list, 0, Number.POSITIVE_INFINITY).items.map(
    ({ start, end }) => `{"values":${member(list.slice(start, end), "embedding")}}`,
  );
  const values = isBatch ? `"embeddings":[${vectors.join(",")}]` : `"embedding":${vectors[0] ?? "{}"}`;
  return `{${values},"service_pool":${JSON.stringify(served)}}`;
}

/** The request, which members receive in OpenAI's form. */
export function createEmbeddingsRequest({ text, body, isBatch, leftOut }: EmbeddingsRead): ApiRequest {
  const noStreams = () => {
    throw new Error("Embeddings have no streams.");
  };
  return {
    format: "gemini",
    headers: {},
    estimated: body,
    parameters: null,
    optional: new Set(),
    echoesModel: true,
    chat: () => ({ kind: "chat", text, body }),
    leftOut: () => leftOut,
    answer: (answer, _forwarded, { served }) => embeddingsOf(answer, isBatch, served),
    writer: noStreams,
    failed: (error) => contentError(error, framingOf(true)),
  };
}
