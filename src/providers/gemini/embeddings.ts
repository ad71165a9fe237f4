// OpenAI's embeddings by Gemini's batchEmbedContents, for one text or many. Vectors keep all digits and Google's
// length: shortened vectors (`dimensions`) of `gemini-embedding-001` are not normalised. Source:
// ai.google.dev/api/embeddings

import { listAt, objectAt } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import { badAnswer } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, ParsedAnswer, PreparedRequest } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";
import { requestFields } from "#providers/translate/request-fields.ts";
import { geminiError } from "./failure.ts";

type EmbeddingsRequest = Omit<ChatRequest, "stream">;

const maxDimensions = 100_000;

/** `model`: with its collection, `models/…`. */
export function geminiEmbeddingsBody(
  { body }: EmbeddingsRequest,
  model: string,
): { kind: "body"; body: object } | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const fields = requestFields(body, "Gemini");
  const input = fields.take("input");
  const texts = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.some((text) => typeof text !== "string"))
    fields.issue("input", "Gemini embeds a text or a list of texts, not tokens.");
  const outputDimensionality = fields.whole("dimensions", 1, maxDimensions);
  const format = fields.take("encoding_format");
  if (format !== undefined && format !== "float" && format !== "base64")
    fields.issue("encoding_format", "`encoding_format` must be `float` or `base64`.");
  const more = outputDimensionality === undefined ? {} : { outputDimensionality };
  const requests = texts.map((text) => ({ model, content: { parts: [{ text }], role: "user" }, ...more }));
  return fields.firstIssue() ?? { kind: "body", body: { requests } };
}

/** The most members of an object in the answer. */
const maxMembers = 1000;

/**
 * One vector for each text, in the requested encoding; Google reports no usage for some models. Vectors are
 * copied as text: printing the 300,000 numbers of a hundred texts would take a second.
 */
export function geminiEmbeddingsAnswer(answer: string, { body, model }: EmbeddingsRequest): ParsedAnswer {
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
  const vectors = vectorsIn(textAt("embeddings") ?? "", expected + 1).map(
    (vector) => vector && written(vector, packs),
  );
  if (vectors.length !== expected || vectors.includes(null))
    return badAnswer("Gemini's answer does not have an embedding for each text.");
  const data = vectors.map(
    (vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  const metadata = parseJson(textAt("usageMetadata") ?? "null");
  const counted = isObject(metadata) ? metadata.promptTokenCount : undefined;
  const tokens = Number.isSafeInteger(counted) && Number(counted) >= 0 ? Number(counted) : null;
  const usage = tokens === null ? "" : `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  return {
    kind: "answer",
    text: `{"object":"list","data":[${data.join(",")}],"model":${JSON.stringify(model)}${usage}}`,
    output: true,
    usage: tokens === null ? null : { promptTokens: tokens, completionTokens: 0, totalTokens: tokens },
  };
}

/** A list of numbers, as far as that can be seen without parsing. */
const numbers = /^\[\s*-?\d[-+.\deE,\s]*\]$/;

/** The text of each embedding's vector; null: one is missing or holds other values. */
function vectorsIn(list: string, maxItems: number): (string | null)[] {
  return listAt(list, 0, maxItems).items.map(({ start, end }) => {
    const embedding = list.slice(start, end);
    const values = objectAt(embedding, 0, maxMembers).members.findLast(({ key }) => key === "values");
    const vector = values ? embedding.slice(values.valueStart, values.end) : "";
    return numbers.test(vector) ? vector : null;
  });
}

/**
 * The vector as JSON text, unchanged or packed as OpenAI does (32-bit little-endian floats). Null: not JSON.
 */
function written(vector: string, packs: boolean): string | null {
  try {
    const values = JSON.parse(vector) as number[];
    return packs ? `"${Buffer.from(Float32Array.from(values).buffer).toString("base64")}"` : vector;
  } catch {
    return null;
  }
}
