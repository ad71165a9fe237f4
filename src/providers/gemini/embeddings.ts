// Implements OpenAI's embeddings with Gemini's batchEmbedContents, for one text or many. Vectors keep all digits and Google's length:
// shortened vectors (`dimensions`) of `gemini-embedding-001` are not normalised. Source: ai.google.dev/api/embeddings

import { listAt, objectAt } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import { badAnswer } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, ParsedAnswer, PreparedRequest } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";
import { type RequestFields, requestFields } from "#providers/translate/request-fields.ts";
import { geminiError } from "./failure.ts";

type EmbeddingsRequest = Omit<ChatRequest, "stream">;

const maxDimensions = 100_000;

/** The texts to embed, and the length of the vectors if one is requested, as a member to spread into Google's objects. */
export function embeddedIn(fields: RequestFields): {
  texts: unknown[];
  length: { outputDimensionality?: number };
} {
  const input = fields.take("input");
  const texts = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.some((text) => typeof text !== "string"))
    fields.issue("input", "Gemini embeds a text or a list of texts, not tokens.");
  const outputDimensionality = fields.whole("dimensions", 1, maxDimensions);
  const format = fields.take("encoding_format");
  if (format !== undefined && format !== "float" && format !== "base64")
    fields.issue("encoding_format", "`encoding_format` must be `float` or `base64`.");
  return { texts, length: outputDimensionality === undefined ? {} : { outputDimensionality } };
}

/** `model`: with its collection, `models/…`. */
export function geminiEmbeddingsBody(
  { body }: EmbeddingsRequest,
  model: string,
): { kind: "body"; body: object } | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const fields = requestFields(body, "Gemini");
  const { texts, length } = embeddedIn(fields);
  const requests = texts.map((text) => ({ model, content: { parts: [{ text }], role: "user" }, ...length }));
  return fields.firstIssue() ?? { kind: "body", body: { requests } };
}

/** Maximum number of members of an object in the answer. */
const maxMembers = 1000;

/** The positions of the vectors and the token count in Google's answer. Values are JSON text. */
export interface EmbeddingsShape {
  /** The objects with `values`, each as its text. `max`: the search stops after this many. */
  vectors(memberAt: (key: string) => string | undefined, max: number): string[];
  /** Null if not reported. */
  tokens(memberAt: (key: string) => string | undefined): number | null;
}

export const itemsOf = (list: string, max: number): string[] =>
  listAt(list, 0, max).items.map(({ start, end }) => list.slice(start, end));

/** The text of an object's member; undefined if it does not exist. */
export function memberOf(object: string, key: string): string | undefined {
  const found = objectAt(object, 0, maxMembers).members.findLast((member) => member.key === key);
  return found && object.slice(found.valueStart, found.end);
}

/** A token count; null if it was not reported. */
export const tokenCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

/** For an answer with one token count for all texts. */
export const tokensOfAnswer: EmbeddingsShape["tokens"] = (memberAt) => {
  const metadata = parseJson(memberAt("usageMetadata") ?? "null");
  return isObject(metadata) ? tokenCount(metadata.promptTokenCount) : null;
};

const batch: EmbeddingsShape = {
  vectors: (memberAt, max) => itemsOf(memberAt("embeddings") ?? "", max),
  tokens: tokensOfAnswer,
};

/**
 * One vector for each text, in the requested encoding; Google reports no usage for some models. Vectors are
 * copied as text: printing the 300,000 numbers of a hundred texts would take a second.
 */
export function geminiEmbeddingsAnswer(
  answer: string,
  { body, model }: EmbeddingsRequest,
  shape: EmbeddingsShape = batch,
): ParsedAnswer {
  const text = answer.trim();
  const { members } = objectAt(text, 0, maxMembers);
  const textAt = (key: string) => {
    const found = members.findLast((member) => member.key === key);
    return found && text.slice(found.valueStart, found.end);
  };
  if (members.length === 0 || members.length === maxMembers || !text.endsWith("}"))
    return badAnswer("Gemini's answer is not a JSON object.");
  const error = parseJson(textAt("error") ?? "null");
  if (isObject(error)) return { kind: "failure", failure: geminiError(200, { error }, null) };
  const expected = Array.isArray(body.input) ? body.input.length : 1;
  const packs = body.encoding_format === "base64";
  const vectors = shape.vectors(textAt, expected + 1).map((embedding) => written(embedding, packs));
  if (vectors.length !== expected || vectors.includes(null))
    return badAnswer("Gemini's answer does not have an embedding for each text.");
  const data = vectors.map(
    (vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  const tokens = shape.tokens(textAt);
  const usage = tokens === null ? "" : `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  return {
    kind: "answer",
    text: `{"object":"list","data":[${data.join(",")}],"model":${JSON.stringify(model)}${usage}}`,
    output: true,
    usage: tokens === null ? null : { promptTokens: tokens, completionTokens: 0, totalTokens: tokens },
  };
}

/** A list of numbers, as far as can be determined without parsing. */
const numbers = /^\[\s*-?\d[-+.\deE,\s]*\]$/;

/**
 * The vector of an embedding as JSON text, unchanged or packed as OpenAI does (32-bit little-endian floats). Null if it has no list of
 * numbers.
 */
function written(embedding: string, packs: boolean): string | null {
  const vector = memberOf(embedding, "values") ?? "";
  if (!numbers.test(vector)) return null;
  try {
    const values = JSON.parse(vector) as number[];
    return packs ? `"${Buffer.from(Float32Array.from(values).buffer).toString("base64")}"` : vector;
  } catch {
    return null;
  }
}
