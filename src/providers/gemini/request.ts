// Translates an OpenAI request for Gemini's generateContent. Each parameter is translated, at its default, a hint,
// or refused by name. Dropped as hints: an image's `detail`, `strict` of tools (Gemini always follows their schema
// as far as it can), and those of request-fields.ts. Extension: `top_k`. Source: ai.google.dev/api/generate-content,
// /gemini-api/docs/openai (effort), /gemini-api/docs/thinking

import { isObject } from "#contract/normalise.ts";
import type { ChatRequest, PreparedRequest } from "#providers/provider.ts";
import { unmarked } from "#providers/translate/cache-marks.ts";
import { readConversation } from "#providers/translate/conversation.ts";
import { parseExactly } from "#providers/translate/json.ts";
import {
  type FunctionTool,
  formatOf,
  maxTokensOf,
  type RequestFields,
  requestFields,
  stopsOf,
  toolChoiceOf,
  toolsOf,
} from "#providers/translate/request-fields.ts";
import { geminiContents, geminiSystem } from "./contents.ts";

/** 205 for 2.5; null if the name has no version (`gemini-flash-latest`) and counts as the newest. */
export function geminiVersion(model: string): number | null {
  const found = /gemini-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.])/.exec(model);
  return found ? Number(found[1]) * 100 + Number(found[2] ?? 0) : null;
}

/** Google's table of efforts, for models that accept a token budget. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** Efforts for models that accept a level; `HIGH` is the highest. */
const levels: Readonly<Record<string, string>> = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

const int32 = 2 ** 31;

export function geminiBody(
  request: ChatRequest,
):
  | { kind: "body"; body: object; adapted: readonly string[] }
  | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const exactBody = parseExactly(request.text);
  const fields = requestFields(isObject(exactBody) ? exactBody : request.body, "Gemini");
  const read = readConversation(fields.take("messages"), { keepsSignatures: true });
  if (read.kind === "issue") return { kind: "unsupported_parameter", ...read.issue };
  const version = geminiVersion(request.model) ?? Number.POSITIVE_INFINITY;
  const { contents, issue } = geminiContents(read.turns, version >= 300);
  if (issue !== null) fields.issue("messages", issue);
  const system = geminiSystem(read.system);
  const tools = toolsOf(fields);
  const calling = callingOf(fields, tools);
  const generation = {
    ...samplingOf(fields),
    ...outputOf(fields, tools.length > 0 && version < 300),
    ...picturesOf(fields),
    ...thinkingOf(fields, request.model, version),
  };
  const body = {
    ...(system === null ? {} : { systemInstruction: system }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(declaration) }] }),
    ...(calling === null ? {} : { toolConfig: { functionCallingConfig: calling } }),
    ...(Object.keys(generation).length === 0 ? {} : { generationConfig: generation }),
  };
  const adapted = [...new Set([...unmarked(read, tools), ...fields.leftOut()])];
  return fields.firstIssue() ?? { kind: "body", body, adapted };
}

function declaration({ name, description, parameters }: FunctionTool): object {
  return {
    name,
    ...(description === null ? {} : { description }),
    ...(parameters === null ? {} : { parametersJsonSchema: parameters }),
  };
}

function callingOf(fields: RequestFields, tools: readonly FunctionTool[]): object | null {
  const choice = toolChoiceOf(fields, tools);
  const parallel = fields.take("parallel_tool_calls");
  if (tools.length === 0) return null;
  if (parallel !== undefined && parallel !== true && choice?.kind !== "none") {
    fields.issue("parallel_tool_calls", "Gemini cannot be kept from calling several tools at once.");
  }
  switch (choice?.kind) {
    case undefined:
      return null;
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: choice.names };
  }
}

function samplingOf(fields: RequestFields): object {
  const stops = stopsOf(fields);
  const logprobs = fields.take("logprobs");
  const top = fields.whole("top_logprobs", 0, 20);
  if (logprobs !== undefined && typeof logprobs !== "boolean") {
    fields.issue("logprobs", "`logprobs` must be true or false.");
  }
  if (top !== undefined && top > 0 && logprobs !== true) {
    fields.issue("top_logprobs", "`top_logprobs` needs `logprobs`.");
  }
  const sampling = {
    temperature: fields.number("temperature", 0, 2),
    topP: fields.number("top_p", 0, 1),
    topK: fields.whole("top_k", 1, 1_000_000),
    candidateCount: fields.whole("n", 1, 8),
    maxOutputTokens: maxTokensOf(fields),
    stopSequences: stops.length === 0 ? undefined : stops,
    presencePenalty: fields.number("presence_penalty", -2, 2),
    frequencyPenalty: fields.number("frequency_penalty", -2, 2),
    seed: fields.whole("seed", -int32, int32 - 1),
    responseLogprobs: logprobs === true ? true : undefined,
    logprobs: logprobs === true && top !== undefined && top > 0 ? top : undefined,
  };
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));
}

/** `toolsExclude`: before version 3, tools exclude a JSON answer. */
function outputOf(fields: RequestFields, toolsExclude: boolean): object {
  const format = formatOf(fields);
  if (format === undefined) return {};
  if (toolsExclude) fields.issue("response_format", "This model gives no JSON answers while it has tools.");
  return {
    responseMimeType: "application/json",
    ...(format.kind === "json_schema" ? { responseJsonSchema: format.schema } : {}),
  };
}

/** `modalities`, and `image_config` as OpenRouter has it. Without them a model uses its defaults. */
function picturesOf(fields: RequestFields): object {
  const asked = fields.take("modalities");
  const config = fields.take("image_config");
  const names: unknown[] = Array.isArray(asked) ? asked : asked === undefined ? [] : [asked];
  if (!names.every((name) => name === "text" || name === "image"))
    fields.issue("modalities", "Gemini's answers in chat completions are `text` and `image`.");
  const { aspect_ratio: ratio, image_size: size, ...unknown } = isObject(config) ? config : {};
  const isFit = [ratio, size].every((value) => value === undefined || typeof value === "string");
  if (!isFit || Object.keys(unknown).length > 0 || (config !== undefined && !isObject(config)))
    fields.issue("image_config", "`image_config` has `aspect_ratio` and `image_size` alone, as texts.");
  const image = {
    ...(ratio === undefined ? {} : { aspectRatio: ratio }),
    ...(size === undefined ? {} : { imageSize: size }),
  };
  return {
    ...(names.includes("image")
      ? { responseModalities: names.map((name) => (name === "image" ? "IMAGE" : "TEXT")) }
      : {}),
    ...(Object.keys(image).length === 0 ? {} : { imageConfig: image }),
  };
}

/**
 * `reasoning_effort`: a level from version 3 on, before that a token budget. Thoughts are included on
 * request.
 */
function thinkingOf(fields: RequestFields, model: string, version: number): object {
  const effort = fields.take("reasoning_effort");
  if (effort === undefined) return {};
  const isPro = /\bpro\b/.test(model);
  if (effort === "none") {
    if (version < 205) return {};
    if (version < 300 && !isPro) return { thinkingConfig: { thinkingBudget: 0 } };
    fields.issue("reasoning_effort", "This model cannot be kept from thinking.");
    return {};
  }
  if (typeof effort !== "string" || !Object.hasOwn(levels, effort)) {
    fields.issue("reasoning_effort", "This `reasoning_effort` is not known.");
    return {};
  }
  if (version < 205) {
    fields.issue("reasoning_effort", "This model does not think.");
    return {};
  }
  const level = effort === "minimal" && isPro ? "LOW" : levels[effort];
  const amount = version < 300 ? { thinkingBudget: budgets[effort] } : { thinkingLevel: level };
  return { thinkingConfig: { includeThoughts: true, ...amount } };
}
