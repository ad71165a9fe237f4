// Google's `generationConfig` and schemas as parameters of chat completions. Source: ai.google.dev/api/generate-content

import { isStrictSchema } from "#ai/apis/strict-schema.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { textOf } from "#providers/translate/json.ts";
import { camelCased, nameOthers, Untranslatable } from "./fields.ts";

/** Google's own schemas write types in capitals and use `nullable`. */
export function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (!isObject(schema)) return schema;
  const { nullable, propertyOrdering: _ordering, ...rest } = camelCased(schema);
  const entries = Object.entries(rest).map(([name, value]) => {
    if (name === "type" && typeof value === "string") return [name, value.toLowerCase()];
    if (name === "properties" && isObject(value))
      return [name, Object.fromEntries(Object.entries(value).map(([key, of]) => [key, jsonSchemaOf(of)]))];
    // Google writes 64-bit numbers as strings.
    if (/^(min|max)(Items|Length|Properties)$/.test(name)) return [name, Number(value)];
    return [name, ["items", "anyOf"].includes(name) ? jsonSchemaOf(value) : value];
  });
  const written: Fields = Object.fromEntries(entries);
  if (nullable !== true) return written;
  return typeof written.type === "string" ? { ...written, type: [written.type, "null"] } : written;
}

const fieldTexts = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).map((item) => textOf(item).toLowerCase());

/** Parameters that have the same values under another name. */
const renamed: Readonly<Record<string, string>> = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  maxOutputTokens: "max_tokens",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
};

/** Adds the names of fields without an equivalent to `leftOut`. */
export function generationOf(config: Fields, leftOut: string[]): Fields {
  const chat: Record<string, unknown> = {};
  const {
    stopSequences,
    responseMimeType,
    responseSchema,
    responseJsonSchema,
    thinkingConfig,
    responseModalities,
    candidateCount,
    imageConfig,
    ...others
  } = config;
  for (const [name, value] of Object.entries(others)) {
    const to = renamed[name];
    if (to === undefined) leftOut.push(`generationConfig.${name}`);
    else if (value !== null && value !== undefined) chat[to] = value;
  }
  if (typeof candidateCount === "number" && candidateCount > 1)
    throw new Untranslatable("generationConfig.candidateCount", "This member gives one candidate.");
  if (Array.isArray(stopSequences) && stopSequences.length > 0) chat.stop = stopSequences;
  const schema = responseJsonSchema ?? jsonSchemaOf(responseSchema);
  if (isObject(schema))
    chat.response_format = {
      type: "json_schema",
      json_schema: { name: "answer", schema, strict: isStrictSchema(schema) },
    };
  else if (responseMimeType === "application/json") chat.response_format = { type: "json_object" };
  // For example, one of several words as plain text: a schema requests it as JSON.
  const mime = textOf(responseMimeType);
  if (!["", "text/plain", "application/json"].includes(mime))
    leftOut.push("generationConfig.responseMimeType");
  const modalities = fieldTexts(responseModalities);
  if (modalities.some((name) => !["text", "image", "modality_unspecified"].includes(name)))
    throw new Untranslatable(
      "generationConfig.responseModalities",
      "This member answers only with texts and pictures.",
    );
  if (modalities.includes("image")) chat.modalities = modalities;
  const { aspectRatio, imageSize, ...image } = camelCased(imageConfig);
  nameOthers(image, [], "generationConfig.imageConfig", leftOut);
  if (aspectRatio !== undefined || imageSize !== undefined)
    chat.image_config = {
      ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
      ...(imageSize === undefined ? {} : { image_size: imageSize }),
    };
  const thinking = camelCased(thinkingConfig);
  nameOthers(
    thinking,
    ["thinkingLevel", "thinkingBudget", "includeThoughts"],
    "generationConfig.thinkingConfig",
    leftOut,
  );
  const effort = effortOf(thinking);
  if (effort !== null) chat.reasoning_effort = effort;
  return chat;
}

/** Token budgets up to which the effort is `low` and `medium`. */
const lowBudget = 2_048;
const mediumBudget = 12_288;

function effortOf({ thinkingLevel, thinkingBudget }: Fields): string | null {
  if (typeof thinkingLevel === "string") return thinkingLevel.toLowerCase();
  if (typeof thinkingBudget !== "number" || thinkingBudget < 0) return null;
  if (thinkingBudget === 0) return "none";
  return thinkingBudget <= lowBudget ? "low" : thinkingBudget <= mediumBudget ? "medium" : "high";
}
