// Reads OpenAI's request parameters for adapters that translate them. A parameter that the adapter did not read, and
// that is neither a hint nor at its default, is an issue: a parameter that changes the answer is never dropped
// silently.

import { type Fields, isObject } from "#contract/normalise.ts";
import type { PreparedRequest } from "#providers/provider.ts";
import type { TranslationIssue } from "./conversation.ts";
import { isHint } from "./hints.ts";
import { textOf } from "./json.ts";

/** Read elsewhere (`model`, `messages`, `stream`), or never honoured (`base_url`, `api_base`); ignored here like the hints. */
const ignored: ReadonlySet<string> = new Set(["model", "messages", "stream", "base_url", "api_base"]);

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

/** Parameters at values that have no effect. */
const defaults: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: isEmpty,
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === "text",
  functions: isEmpty,
  function_call: (value) => value === "none" || value === "auto",
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  store: (value) => value === false,
  service_tier: (value) => value === "auto" || value === "default",
};

/** Hints that the gateway itself honours: usage in streams, and the end user in the call's record. */
const own: ReadonlySet<string> = new Set(["stream_options", "user", "safety_identifier", "metadata"]);

export interface RequestFields {
  /** The value, marked as read; undefined for null too. */
  take(name: string): unknown;
  /** A number within the limits; any other value is an issue. */
  number(name: string, min: number, max: number): number | undefined;
  whole(name: string, min: number, max: number): number | undefined;
  issue(param: string, message: string): undefined;
  /** The hints of the request that were not read because the vendor has no equivalent. */
  leftOut(): string[];
  /** The first issue, or that of an unread parameter; null if everything is translated. */
  firstIssue(): Extract<PreparedRequest, { kind: "unsupported_parameter" }> | null;
}

/** `vendor`: its name for messages, such as "Anthropic". */
export function requestFields(body: Fields, vendor: string): RequestFields {
  const issues: TranslationIssue[] = [];
  const read = new Set<string>();
  const issue = (param: string, message: string): undefined => {
    issues.push({ param, message });
  };
  const take = (name: string): unknown => {
    read.add(name);
    return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
  };
  const number = (name: string, min: number, max: number): number | undefined => {
    const value = take(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= min && value <= max) return value;
    return issue(name, `${vendor} takes a \`${name}\` from ${min} to ${max}.`);
  };
  const unreadNames = () =>
    Object.keys(body).filter(
      (name) =>
        !read.has(name) &&
        !ignored.has(name) &&
        body[name] !== null &&
        body[name] !== undefined &&
        !(Object.hasOwn(defaults, name) && defaults[name]?.(body[name])),
    );
  return {
    take,
    number,
    whole: (name, min, max) => {
      const value = number(name, min, max);
      return value === undefined || Number.isInteger(value)
        ? value
        : issue(name, `\`${name}\` must be a whole number.`);
    },
    issue,
    leftOut: () => unreadNames().filter((name) => isHint(name) && !own.has(name)),
    firstIssue: () => {
      const unread = unreadNames().find((name) => !isHint(name));
      const first =
        issues[0] ??
        (unread === undefined
          ? null
          : { param: unread, message: `${vendor} has no equivalent of \`${unread}\`.` });
      return first && { kind: "unsupported_parameter", ...first };
    },
  };
}

/** `stop`: a string or a list. */
export function stopsOf(fields: RequestFields): string[] {
  const stop = fields.take("stop");
  const list: unknown[] = stop === undefined ? [] : Array.isArray(stop) ? stop : [stop];
  if (list.every((text): text is string => typeof text === "string")) return list;
  fields.issue("stop", "`stop` must be a text or a list of texts.");
  return [];
}

/** `max_completion_tokens`, or the older `max_tokens`. */
export function maxTokensOf(fields: RequestFields): number | undefined {
  const older = fields.whole("max_tokens", 1, Number.MAX_SAFE_INTEGER);
  return fields.whole("max_completion_tokens", 1, Number.MAX_SAFE_INTEGER) ?? older;
}

export interface FunctionTool {
  name: string;
  description: string | null;
  /** JSON Schema; null for no parameters. */
  parameters: Fields | null;
  strict: boolean;
  /** A mark after which Anthropic caches the prompt, beside the function or in it; other vendors ignore it. */
  cacheControl?: Fields;
}

/** `tools`: only functions; other vendors have neither OpenAI's built-in nor custom tools. */
export function toolsOf(fields: RequestFields): FunctionTool[] {
  const tools = fields.take("tools");
  if (tools === undefined) return [];
  const found: FunctionTool[] = [];
  for (const tool of Array.isArray(tools) ? tools : [tools]) {
    const definition =
      isObject(tool) && tool.type === "function" && isObject(tool.function) ? tool.function : null;
    if (definition === null || textOf(definition.name) === "") {
      fields.issue("tools", "Only tools of type `function`, with a name, can be translated.");
      continue;
    }
    const mark =
      isObject(tool) && isObject(tool.cache_control) ? tool.cache_control : definition.cache_control;
    found.push({
      name: textOf(definition.name),
      description: typeof definition.description === "string" ? definition.description : null,
      parameters: isObject(definition.parameters) ? definition.parameters : null,
      strict: definition.strict === true,
      ...(isObject(mark) ? { cacheControl: mark } : {}),
    });
  }
  return found;
}

export type ToolChoice = { kind: "auto" | "none" | "required" } | { kind: "named"; names: string[] };

/** `tool_choice`; undefined if absent. `names`: one of them must be called. */
export function toolChoiceOf(fields: RequestFields, tools: readonly FunctionTool[]): ToolChoice | undefined {
  const choice = fields.take("tool_choice");
  if (choice === undefined) return undefined;
  if (tools.length === 0 && choice !== "none" && choice !== "auto") {
    return fields.issue("tool_choice", "`tool_choice` needs `tools`.");
  }
  if (choice === "auto" || choice === "none" || choice === "required") return { kind: choice };
  if (isObject(choice) && choice.type === "function" && isObject(choice.function)) {
    const name = textOf(choice.function.name);
    if (tools.some((tool) => tool.name === name)) return { kind: "named", names: [name] };
    return fields.issue("tool_choice", "`tool_choice` names a function that is not among `tools`.");
  }
  return fields.issue("tool_choice", "This `tool_choice` cannot be translated.");
}

export type Format = { kind: "json_object" } | { kind: "json_schema"; schema: Fields };

/** `response_format`; undefined for text. */
export function formatOf(fields: RequestFields): Format | undefined {
  const format = fields.take("response_format");
  if (format === undefined) return undefined;
  const type = isObject(format) ? format.type : undefined;
  if (type === "text") return undefined;
  if (type === "json_object") return { kind: "json_object" };
  if (isObject(format) && type === "json_schema" && isObject(format.json_schema)) {
    const { schema } = format.json_schema;
    if (isObject(schema)) return { kind: "json_schema", schema };
  }
  return fields.issue("response_format", "This `response_format` cannot be translated.");
}
