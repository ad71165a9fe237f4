// Writes a chat completion as a request of the Responses API, for OpenAI models that accept function tools only there. A parameter without
// an equivalent is an issue with its name, so that another member is called. Nothing is stored.

import { type Fields, isObject } from "#contract/normalise.ts";
import type { ChatRequest, PreparedRequest } from "#providers/provider.ts";
import { fieldsIn, parseExactly, textOf } from "#providers/translate/json.ts";
import {
  maxTokensOf,
  type RequestFields,
  requestFields,
  toolsOf,
} from "#providers/translate/request-fields.ts";
import { inputOf } from "./input.ts";

/** Parameters that both APIs have under one name, with one meaning. */
const common = [
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "metadata",
  "user",
  "safety_identifier",
  "service_tier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
] as const;

/** The minimum that the API accepts as `max_output_tokens`. */
const minOutputTokens = 16;

/** The request's body, or the parameter that has no equivalent. */
export function responsesRequest(
  request: ChatRequest,
):
  | { kind: "body"; body: Fields; adapted: readonly string[] }
  | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const exactBody = parseExactly(request.text);
  const exactFields = isObject(exactBody) ? exactBody : request.body;
  const refused = request.refused ?? [];
  const kept = Object.fromEntries(Object.entries(exactFields).filter(([name]) => !refused.includes(name)));
  const fields = requestFields(kept, "The Responses API");
  const body: Record<string, unknown> = { model: request.model, input: inputOf(fields), store: false };
  if (request.stream) body.stream = true;
  for (const name of common) {
    const value = fields.take(name);
    if (value !== undefined) body[name] = value;
  }
  const tools = functionsOf(fields);
  if (tools.length > 0) body.tools = tools;
  const choice = choiceOf(fields);
  if (choice !== undefined) body.tool_choice = choice;
  const maxTokens = maxTokensOf(fields);
  if (maxTokens !== undefined) body.max_output_tokens = Math.max(minOutputTokens, maxTokens);
  const effort = fields.take("reasoning_effort");
  if (effort !== undefined) body.reasoning = { effort };
  const text = textSettings(fields);
  if (Object.keys(text).length > 0) body.text = text;
  const logprobs = fields.take("logprobs") === true;
  const include = [
    ...(reasons(request.model, effort) ? ["reasoning.encrypted_content"] : []),
    ...(logprobs ? ["message.output_text.logprobs"] : []),
  ];
  if (include.length > 0) body.include = include;
  const top = fields.whole("top_logprobs", 0, 20);
  if (top !== undefined && logprobs) body.top_logprobs = top;
  return fields.firstIssue() ?? { kind: "body", body, adapted: fields.leftOut() };
}

const reasoningModel = /(^|[/.-])(o[1-9]|gpt-([5-9]|\d\d))(?![0-9a-z])/i;

/** Whether the model may seal thoughts. A model without reasoning refuses a request for them. */
const reasons = (model: string, effort: unknown): boolean =>
  effort === undefined ? reasoningModel.test(model) && !model.includes("-chat") : effort !== "none";

/** `strict` is always set: this API treats a function without it as strict. */
function functionsOf(fields: RequestFields): Fields[] {
  return toolsOf(fields).map(({ name, description, parameters, strict }) => ({
    type: "function",
    name,
    ...(description === null ? {} : { description }),
    parameters: parameters ?? { type: "object", properties: {} },
    strict,
  }));
}

function choiceOf(fields: RequestFields): unknown {
  const choice = fields.take("tool_choice");
  if (choice === undefined || typeof choice === "string") return choice;
  const named = (tool: unknown): Fields | undefined => {
    const definition = isObject(tool) && tool.type === "function" ? tool.function : null;
    return isObject(definition) ? { type: "function", name: textOf(definition.name) } : undefined;
  };
  const one = named(choice);
  if (one !== undefined) return one;
  if (isObject(choice) && choice.type === "allowed_tools" && isObject(choice.allowed_tools)) {
    const { mode, tools } = choice.allowed_tools;
    const allowed = fieldsIn(tools).map(named);
    if (allowed.every((tool) => tool !== undefined)) return { type: "allowed_tools", mode, tools: allowed };
  }
  return fields.issue("tool_choice", "This `tool_choice` cannot be translated.");
}

/** The format and the length of the text. */
function textSettings(fields: RequestFields): Fields {
  const text: Record<string, unknown> = {};
  const verbosity = fields.take("verbosity");
  if (verbosity !== undefined) text.verbosity = verbosity;
  const format = fields.take("response_format");
  if (isObject(format) && format.type === "json_schema" && isObject(format.json_schema))
    text.format = { type: "json_schema", ...format.json_schema };
  else if (format !== undefined) text.format = format;
  return text;
}
