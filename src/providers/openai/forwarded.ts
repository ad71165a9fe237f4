// Reads the answers of forwarded operations as far as the gateway needs: whether they have content, their usage, and errors inside a 200.
// Their content is passed on unchanged. Sources: platform.openai.com/docs/api-reference for images, audio and moderations;
// docs.cohere.com/reference/rerank, jina.ai/reranker and the documentation of vLLM, Together and DeepInfra for `/rerank`, whose requests
// and answers agree on `query`, `documents`, `results`.

import type { ForwardedOperation } from "#contract/ai/operations.ts";
import { membersOf } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import { badAnswer } from "#providers/failure/vendor-failure.ts";
import type { ParsedAnswer, Usage, VendorAnswer } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";
import { openaiFailure } from "./failure.ts";

/** The path of each operation below the base URL. */
export const forwardedPaths = {
  image: "/images/generations",
  speech: "/audio/speech",
  transcription: "/audio/transcriptions",
  moderation: "/moderations",
  rerank: "/rerank",
} as const satisfies Record<ForwardedOperation, string>;

/** The list in an answer that has one item for each requested one. */
const lists = { image: "data", moderation: "results", rerank: "results" } as const;

const isJson = (type: string) => /^application\/(?:[\w.+-]*\+)?json\b/i.test(type);

/** An answer with status 2xx. Answers that are not JSON (sound, subtitles) are passed on as bytes with their type. */
export function forwardedAnswer(operation: ForwardedOperation, answer: VendorAnswer): ParsedAnswer {
  const { bytes, contentType } = answer;
  if (/html/i.test(contentType)) return badAnswer("The provider answered with a page.");
  if (!isJson(contentType)) {
    if (operation !== "speech" && operation !== "transcription")
      return badAnswer("The provider's answer is not JSON.");
    // A silent recording has an empty transcript; speech without any bytes is empty.
    const output = operation === "transcription" || bytes.length > 0;
    return { kind: "answer", text: "", output, usage: null, media: { bytes, contentType } };
  }
  const text = bytes.toString("utf8");
  const value = parseJson(text);
  if (!isObject(value)) {
    // Hours of sound with a time for each word contain more values than are parsed.
    if (operation === "transcription" && membersOf(text).some(({ key }) => key === "text"))
      return { kind: "answer", text, output: true, usage: null };
    return badAnswer("The provider's answer is not JSON, or too large to read.");
  }
  if (value.error !== undefined && value.error !== null)
    return { kind: "failure", failure: openaiFailure(200, {}, text, 0) };
  if (operation === "speech") return badAnswer("The provider answered with JSON instead of sound.");
  const usage = usageOf(value);
  if (operation === "transcription") {
    if (typeof value.text !== "string") return badAnswer("The provider's answer has no text.");
    return { kind: "answer", text, output: true, usage };
  }
  const list = value[lists[operation]];
  if (!Array.isArray(list)) return badAnswer(`The provider's answer has no list \`${lists[operation]}\`.`);
  return { kind: "answer", text, output: list.length > 0, usage };
}

/** OpenAI's images and transcriptions count `input_tokens` and `output_tokens`, rerankers only `total_tokens`. */
function usageOf({ usage, meta }: Record<string, unknown>): Usage | null {
  const counted = isObject(usage) ? usage : isObject(meta) && isObject(meta.tokens) ? meta.tokens : null;
  if (counted === null) return null;
  const number = (value: unknown) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
  const input = number(counted.input_tokens) ?? number(counted.prompt_tokens);
  const output = number(counted.output_tokens) ?? number(counted.completion_tokens);
  const total = number(counted.total_tokens);
  if (input === null && output === null && total === null) return null;
  const promptTokens = input ?? Math.max(0, (total ?? 0) - (output ?? 0));
  const completionTokens = output ?? Math.max(0, (total ?? promptTokens) - promptTokens);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}
