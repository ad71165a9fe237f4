// OpenAI's embeddings by Gemini's batchEmbedContents, which takes one text as well as many. Vectors keep every digit
// and the length that Google gives them: shortened ones (`dimensions`) of `gemini-embedding-001` are not of length 1.
// Source: ai.google.dev/api/embeddings

import { geminiError } from "./gemini-failure.ts";
import type { Answer, ChatRequest, Prepared } from "./provider.ts";
import { requestFields } from "./request-fields.ts";
import { badAnswer } from "./vendor-failure.ts";
import { fieldsIn, isFields, parsedExactly } from "./vendor-json.ts";

type EmbeddingsRequest = Omit<ChatRequest, "stream">;

const mostDimensions = 100_000;

/** `model`: with its collection, `models/…`. */
export function geminiEmbeddingsBody(
  { body }: EmbeddingsRequest,
  model: string,
): { kind: "body"; body: object } | Extract<Prepared, { kind: "untranslatable" }> {
  const fields = requestFields(body, "Gemini");
  const input = fields.take("input");
  const texts = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.some((text) => typeof text !== "string"))
    fields.fault("input", "Gemini embeds a text or a list of texts, not tokens.");
  const outputDimensionality = fields.whole("dimensions", 1, mostDimensions);
  const format = fields.take("encoding_format");
  if (format !== undefined && format !== "float" && format !== "base64")
    fields.fault("encoding_format", "`encoding_format` must be `float` or `base64`.");
  const more = outputDimensionality === undefined ? {} : { outputDimensionality };
  const requests = texts.map((text) => ({ model, content: { parts: [{ text }], role: "user" }, ...more }));
  return fields.refused() ?? { kind: "body", body: { requests } };
}

/** One vector for each text, in the form that was asked for; Google tells no usage for all models. */
export function geminiEmbeddingsAnswer(text: string, { body, model }: EmbeddingsRequest): Answer {
  const value = parsedExactly(text);
  if (!isFields(value)) return badAnswer("Gemini's answer is not a JSON object.");
  if (isFields(value.error)) return { kind: "failure", failure: geminiError(200, value, null) };
  const vectors = fieldsIn(value.embeddings).map(({ values }) => values);
  const wanted = Array.isArray(body.input) ? body.input.length : 1;
  if (vectors.length !== wanted || !vectors.every((vector) => Array.isArray(vector) && vector.length > 0))
    return badAnswer("Gemini's answer does not have an embedding for each text.");
  const data = vectors.map((vector, index) => ({
    object: "embedding",
    index,
    embedding: body.encoding_format === "base64" ? packed(vector as unknown[]) : vector,
  }));
  const counted = isFields(value.usageMetadata) ? value.usageMetadata.promptTokenCount : undefined;
  const tokens = Number.isSafeInteger(counted) && Number(counted) >= 0 ? Number(counted) : null;
  const usage = tokens === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } };
  return {
    kind: "answer",
    text: JSON.stringify({ object: "list", data, model, ...usage }),
    output: true,
    usage: tokens === null ? null : { promptTokens: tokens, completionTokens: 0, totalTokens: tokens },
  };
}

/** As OpenAI packs them: little-endian floats of 32 bits. */
function packed(vector: readonly unknown[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  // A number that keeps its spelling is an object here.
  for (const [at, value] of vector.entries())
    bytes.writeFloatLE(typeof value === "number" ? value : Number(JSON.stringify(value)), at * 4);
  return bytes.toString("base64");
}
