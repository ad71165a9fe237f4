// Translates an OpenAI request for Anthropic's Messages API. Each parameter is either translated, at its default, a hint, or refused by
// name. Dropped as hints: `seed` (best effort at OpenAI too), an image's `detail`, `strict` of tools that Anthropic cannot enforce.
// Extensions: `thinking` and `top_k` as in Anthropic's API, `cache_control` on parts, on tools and at the top. Source:
// platform.claude.com/docs/en/api/messages and /docs/en/api/openai-sdk

import { type Fields, isObject } from "#contract/normalise.ts";
import type { ChatRequest, PreparedRequest } from "#providers/provider.ts";
import { type Conversation, readConversation } from "#providers/translate/conversation.ts";
import { parseExactly } from "#providers/translate/json.ts";
import {
  type Format,
  type FunctionTool,
  formatOf,
  maxTokensOf,
  type RequestFields,
  requestFields,
  stopsOf,
  type ToolChoice,
  toolChoiceOf,
  toolsOf,
} from "#providers/translate/request-fields.ts";
import { type AnthropicMessage, anthropicMessages, anthropicSystem, thinkingBlocks } from "./messages.ts";
import { type ClaudeCapabilities, claudeCapabilities } from "./model.ts";
import { isRecursive, structuredSchema } from "./schema.ts";

/** The tool that the model must call for `json_object`: its input is the answer. */
export const jsonTool = "json_object_answer";

const wantsJson = ({ response_format: format }: ChatRequest["body"]) =>
  isObject(format) && format.type === "json_object";

/** Whether the answer to this request is a call of `jsonTool`. */
export function usesJsonTool({ body, model }: Pick<ChatRequest, "body" | "model">): boolean {
  return wantsJson(body) && claudeCapabilities(model).forcedTools;
}

/** Whether an instruction requests the object as text, because the model cannot be forced to call `jsonTool`. */
export function writesJson({ body, model }: Pick<ChatRequest, "body" | "model">): boolean {
  return wantsJson(body) && !claudeCapabilities(model).forcedTools;
}

const jsonInstruction =
  "The answer has to be one JSON object: no text before it, no text after it, and no code fence around it.";

/** Maximum number of strict tools in a request that Anthropic compiles. */
const maxStrictTools = 20;
/** Thinking tokens by effort, for models that accept a budget; Anthropic's minimum is 1024. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 20_000,
  max: 24_000,
};
const minThinkingBudget = 1024;
/** The maximum output, thinking included, that every model with a thinking budget supports. */
const maxTokensWithThinking = 32_000;
const efforts: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

export interface Thinking {
  thinking?: object;
  effort?: string;
  /** The parameter that requests thinking; absent if none does. */
  param?: string;
  /** Thinking tokens; `max_tokens` includes them. */
  budget: number;
  on: boolean;
}

/** A request. `adapted`: parameters that are replaced by an instruction. */
interface ClaudeBody {
  kind: "body";
  body: Body;
  adapted: readonly string[];
}

type Body = { messages: AnthropicMessage[]; max_tokens: number } & Record<string, unknown>;

/**
 * From this API version on `temperature`, `top_p` and `top_k` are refused
 * (/docs/en/api/migration-2026-10-21).
 */
const noSamplersSince = "2026-10-21";

/** `maxTokens`: the member's limit for requests without one. `version`: that of the API, a date. */
export function anthropicBody(
  request: ChatRequest,
  maxTokens: number | undefined,
  version: string,
): ClaudeBody | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const exactBody = parseExactly(request.text);
  const fields = requestFields(isObject(exactBody) ? exactBody : request.body, "Anthropic");
  const facts = claudeCapabilities(request.model);
  const read = readConversation(fields.take("messages"), { keepsNotes: facts.systemBetweenTurns });
  if (read.kind === "issue") return { kind: "unsupported_parameter", ...read.issue };
  const { messages, issue } = anthropicMessages(read.turns);
  if (issue !== null) fields.issue("messages", issue);
  if (!facts.prefill && read.turns.at(-1)?.role === "assistant")
    fields.issue("messages", "This model does not go on with an answer that the request begins.");

  const limit = maxTokensOf(fields) ?? maxTokens;
  const format = formatOf(fields);
  const asked = thinkingOf(fields, facts, read, limit);
  const { tools, choice, instruction, isForced, adapted } = toolsAndChoice(fields, facts, format);
  const thinking = isForced ? withoutThoughts(asked, facts, fields) : asked;
  const schema = format?.kind === "json_schema" ? formatSchema(fields, facts, format.schema) : null;
  const system = anthropicSystem(
    instruction === null ? read.system : [...read.system, { kind: "text", text: instruction }],
  );
  const stops = anthropicStops(fields);
  const output = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(schema === null ? {} : { format: { type: "json_schema", schema } }),
  };
  const user = userOf(fields);
  const cacheControl = cacheControlOf(fields);
  const body: Body = {
    model: request.model,
    max_tokens:
      limit ??
      (request.stream && facts.maxStreamTokens > facts.maxTokens
        ? facts.maxStreamTokens
        : wholeTokens(facts, thinking)),
    messages,
    ...(system === null ? {} : { system }),
    ...samplingOf(fields, facts, thinking, version),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...(cacheControl === null ? {} : { cache_control: cacheControl }),
    ...(user === null ? {} : { metadata: { user_id: user } }),
    ...(request.stream ? { stream: true } : {}),
  };
  return fields.firstIssue() ?? { kind: "body", body, adapted: [...adapted, ...fields.leftOut()] };
}

/**
 * Claude cannot be forced to call a tool while it thinks. A request for both is refused with the name of the parameter that requests
 * thoughts, and a pool that adapts requests retries without that parameter; models that think by default are requested not to.
 */
export function withoutThoughts(
  thinking: Thinking,
  { forcedTools, thinksByDefault, thinkingOff }: ClaudeCapabilities,
  fields: RequestFields,
): Thinking {
  if (thinking.on && thinking.param !== undefined)
    fields.issue(thinking.param, "This model cannot be made to call a tool while it thinks.");
  const isDefault = thinking.thinking === undefined && thinksByDefault && forcedTools && thinkingOff !== null;
  return isDefault ? { ...thinking, thinking: { type: thinkingOff } } : thinking;
}

/** Tokens of a whole answer without a limit: a thinking budget is added to it. */
function wholeTokens({ maxTokens }: ClaudeCapabilities, { budget }: Thinking): number {
  return budget === 0 ? maxTokens : Math.min(maxTokens + budget, maxTokensWithThinking);
}

/**
 * `reasoning_effort`. A budget counts towards `max_tokens`, so it leaves a fifth of a given limit. Within a round of tool calls, models
 * with a budget need the signed thinking before the calls: if the client did not send it back, they continue without thinking.
 */
export function thinkingOf(
  fields: RequestFields,
  facts: ClaudeCapabilities,
  { turns }: Conversation,
  limit: number | undefined,
): Thinking {
  const off: Thinking = { budget: 0, on: false };
  const effort = fields.take("reasoning_effort");
  const thinking = fields.take("thinking");
  if (isObject(thinking))
    return {
      thinking,
      param: "thinking",
      budget: 0,
      on: thinking.type === "enabled" || thinking.type === "adaptive",
    };
  if (thinking !== undefined) fields.issue("thinking", "`thinking` must be an object.");
  if (effort === undefined) return off;
  if (effort === "none") {
    if (!facts.thinksByDefault) return off;
    // The minimum that such a model accepts.
    if (facts.thinkingOff === null) return { ...off, effort: "low" };
    return { ...off, thinking: { type: facts.thinkingOff } };
  }
  if (typeof effort !== "string" || !Object.hasOwn(efforts, effort)) {
    fields.issue("reasoning_effort", "This `reasoning_effort` is not known.");
    return off;
  }
  if (facts.thinking === "none") {
    fields.issue("reasoning_effort", "This model does not think.");
    return off;
  }
  if (facts.thinking === "adaptive") {
    if (effort === "xhigh" && !facts.xhigh)
      fields.issue("reasoning_effort", "This model has no effort `xhigh`.");
    const thinking = { type: "adaptive", display: "summarized" };
    return { thinking, effort: efforts[effort] ?? "high", param: "reasoning_effort", budget: 0, on: true };
  }
  const [before, last] = turns.slice(-2);
  if (last?.role === "tool" && !(before?.role === "assistant" && thinkingBlocks(before).length > 0))
    return off;
  const target = budgets[effort] ?? minThinkingBudget;
  const budget =
    limit === undefined ? target : Math.max(minThinkingBudget, Math.min(target, Math.floor(limit * 0.8)));
  if (limit !== undefined && limit <= minThinkingBudget) {
    fields.issue(
      "reasoning_effort",
      `This model thinks only with more than ${minThinkingBudget} tokens to spend.`,
    );
  }
  return {
    thinking: { type: "enabled", budget_tokens: budget },
    param: "reasoning_effort",
    budget,
    on: true,
  };
}

/** Anthropic's maximum temperature is 1, not 2. The default 1 is omitted: some models refuse the parameter. */
export function samplingOf(
  fields: RequestFields,
  facts: ClaudeCapabilities,
  thinking: Thinking,
  version: string,
): { temperature?: number; top_p?: number; top_k?: number } {
  const temperature = fields.number("temperature", 0, 1);
  const topP = fields.number("top_p", 0, 1);
  const topK = fields.whole("top_k", 0, 1_000_000);
  const set = Object.entries({
    ...(temperature === undefined || temperature === 1 ? {} : { temperature }),
    ...(topP === undefined || topP === 1 ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  });
  for (const [name] of set) {
    if (!facts.sampling) fields.issue(name, `This model takes no \`${name}\`.`);
    else if (version >= noSamplersSince)
      fields.issue(name, `Version ${version} of Anthropic's API takes no \`${name}\`.`);
    else if (thinking.on) fields.issue(name, `Anthropic takes no \`${name}\` together with thinking.`);
  }
  const [first, second] = set;
  if (facts.eitherSampler && first?.[0] === "temperature" && second?.[0] === "top_p") {
    fields.issue("top_p", "This model accepts either `temperature` or `top_p`.");
  }
  return Object.fromEntries(set);
}

function anthropicStops(fields: RequestFields): string[] {
  const stops = stopsOf(fields);
  if (stops.some((stop) => stop.trim() === "")) {
    fields.issue("stop", "Anthropic does not accept a stop sequence of only whitespace.");
  }
  return stops;
}

function formatSchema(fields: RequestFields, facts: ClaudeCapabilities, schema: Fields): Fields | null {
  if (!facts.structured) fields.issue("response_format", "This model has no structured output.");
  const fitted = structuredSchema(schema);
  if (fitted === null) {
    fields.issue(
      "response_format",
      "Anthropic's structured output needs objects whose properties are all named.",
    );
  } else if (isRecursive(schema))
    fields.issue("response_format", "Anthropic's structured output has no recursive schemas.");
  return fitted;
}

function toolsAndChoice(
  fields: RequestFields,
  facts: ClaudeCapabilities,
  format: Format | undefined,
): {
  tools: object[];
  choice: object | null;
  instruction: string | null;
  /** The model is forced to call a tool. */
  isForced: boolean;
  adapted: readonly string[];
} {
  const tools = toolsOf(fields);
  const choice = toolChoiceOf(fields, tools);
  const parallel = fields.take("parallel_tool_calls");
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (parallel !== undefined && typeof parallel !== "boolean") {
    fields.issue("parallel_tool_calls", "`parallel_tool_calls` must be true or false.");
  }
  const written = format?.kind === "json_object" && !facts.forcedTools ? jsonInstruction : null;
  if (format?.kind === "json_object" && written === null) {
    if (tools.length > 0)
      fields.issue("response_format", "Anthropic has no `json_object` together with tools.");
    return {
      tools: [jsonAnswer],
      choice: { type: "tool", name: jsonTool, disable_parallel_tool_use: true },
      instruction: null,
      isForced: true,
      adapted: [],
    };
  }
  const { forced, offered } = forcedBy(facts, choice, tools);
  const strict = facts.structured && tools.filter((tool) => tool.strict).length <= maxStrictTools;
  return {
    tools: offered.map((tool) => toolJson(tool, strict)),
    choice: tools.length === 0 ? null : choiceJson(forced === null ? choice : { kind: "auto" }, alone),
    instruction: forced ?? written,
    isForced: facts.forcedTools && instructionFor(choice) !== null,
    adapted: forced === null ? [] : ["tool_choice"],
  };
}

/**
 * How to make a model call a tool if it cannot be forced to: with the instruction `forced`, and, for a named tool, with that tool as the
 * only one `offered`. Null if the model can be forced, or need not call any.
 */
export function forcedBy(
  { forcedTools }: ClaudeCapabilities,
  choice: ToolChoice | undefined,
  tools: readonly FunctionTool[],
): { forced: string | null; offered: readonly FunctionTool[] } {
  const forced = forcedTools ? null : instructionFor(choice);
  const isNamed = forced !== null && choice?.kind === "named";
  return { forced, offered: isNamed ? tools.filter(({ name }) => name === choice.names[0]) : tools };
}

/** The instruction for a model that cannot be forced to call a tool; null if the model may choose. */
function instructionFor(choice: ToolChoice | undefined): string | null {
  if (choice?.kind === "required") return "This answer has to call at least one of the tools.";
  return choice?.kind === "named" ? `This answer has to call the tool \`${choice.names[0]}\`.` : null;
}

const jsonAnswer = {
  name: jsonTool,
  description: "Gives the answer, a JSON object with the requested keys.",
  input_schema: { type: "object", additionalProperties: true },
};

function toolJson(tool: FunctionTool, strictly: boolean): object {
  const { name, description, parameters, strict, cacheControl } = tool;
  const schema = { ...parameters, type: "object" };
  const fitted = strict && strictly ? structuredSchema(schema) : null;
  return {
    name,
    ...(description === null || description.trim() === "" ? {} : { description }),
    input_schema: fitted ?? schema,
    ...(fitted === null ? {} : { strict: true }),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  };
}

function choiceJson(
  choice: ToolChoice | undefined,
  alone: { disable_parallel_tool_use?: boolean },
): object | null {
  switch (choice?.kind) {
    case undefined:
      return alone.disable_parallel_tool_use ? { type: "auto", ...alone } : null;
    case "auto":
      return { type: "auto", ...alone };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...alone };
    case "named":
      return { type: "tool", name: choice.names[0], ...alone };
  }
}

/** Requests caching of the prompt up to its last part. */
function cacheControlOf(fields: RequestFields): Fields | null {
  const control = fields.take("cache_control");
  return isObject(control) ? control : null;
}

/** Anthropic's `metadata.user_id` corresponds to OpenAI's `user` and `safety_identifier`: an opaque id for abuse detection. */
function userOf(fields: RequestFields): string | null {
  const user = fields.take("safety_identifier") ?? fields.take("user");
  return typeof user === "string" && user !== "" && user.length <= 256 ? user : null;
}
