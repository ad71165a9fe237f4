// Reads a provider's list of models: OpenAI's and Anthropic's `data`, Gemini's `models`, Vertex AI's `publisherModels`, Bedrock's
// `modelSummaries`, or a bare list as in Together.

import { isObject } from "#contract/normalise.ts";
import { fieldsIn, parseJson, textOf } from "./translate/json.ts";

const maxNames = 1_000;
const maxLength = 200;

/** The names in the list, each once; null if the text is not such a list. */
export function modelNames(text: string): string[] | null {
  const value = parseJson(text);
  const list = Array.isArray(value)
    ? value
    : isObject(value)
      ? (value.data ?? value.models ?? value.publisherModels ?? value.modelSummaries)
      : undefined;
  if (!Array.isArray(list)) return null;
  const names = fieldsIn(list)
    .map(
      ({ id, modelId, name }) =>
        textOf(id) || textOf(modelId) || textOf(name).replace(/^(?:publishers\/google\/)?models\//, ""),
    )
    .filter((name) => name !== "" && name.length <= maxLength);
  return [...new Set(names)].slice(0, maxNames);
}
