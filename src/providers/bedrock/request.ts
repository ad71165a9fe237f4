// Translates an OpenAI request for Bedrock's Converse. Each parameter is translated, at its default, a hint, or refused by
// name; what is of one maker's models alone goes in `additionalModelRequestFields`, in that maker's form. Dropped as hints: an
// image's `detail`, `strict` of tools (Claude from 4.5 on has it), and those of request-fields.ts. Source:
// docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, …/userguide/structured-output.html,
// …/userguide/tool-use-inference-call.html, …/userguide/claude-messages-extended-thinking.html, docs.aws.amazon.com/nova

import { isObject } from "#contract/normalise.ts";
import { type ClaudeCapabilities, claudeCapabilities } from "#providers/anthropic/model.ts";
import {
  forcedBy,
  samplingOf,
  type Thinking,
  thinkingOf,
  withoutThoughts,
} from "#providers/anthropic/request.ts";
import { structuredSchema } from "#providers/anthropic/schema.ts";
import type { ChatRequest, PreparedRequest } from "#providers/provider.ts";
import { unmarked } from "#providers/translate/cache-marks.ts";
import { type Conversation, readConversation } from "#providers/translate/conversation.ts";
import { parseExactly } from "#providers/translate/json.ts";
import {
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
import { bedrockMessages, bedrockSystem, cachePoint } from "./messages.ts";

/** Whose model it is, as far as that decides about the request; the ARN of an application's profile does not tell. */
type Maker = "claude" | "openai" | "nova" | "other";

export function makerOf(model: string): Maker {
  if (/\banthropic\.claude\b/.test(model)) return "claude";
  if (/\bopenai\./.test(model)) return "openai";
  return /\bamazon\.nova\b/.test(model) ? "nova" : "other";
}

/** What is left for the answer when the request names no limit and thoughts have a budget. */
const tokensBesideThinking = 8192;

export function bedrockBody(
  request: ChatRequest,
):
  | { kind: "body"; body: object; adapted: readonly string[] }
  | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const exactBody = parseExactly(request.text);
  const fields = requestFields(isObject(exactBody) ? exactBody : request.body, "Bedrock");
  const read = readConversation(fields.take("messages"));
  if (read.kind === "issue") return { kind: "unsupported_parameter", ...read.issue };
  const maker = makerOf(request.model);
  const ability = { caches: maker === "claude" || maker === "nova" };
  const { messages, issue } = bedrockMessages(read.turns, ability);
  if (issue !== null) fields.issue("messages", issue);
  if (
    maker === "claude" &&
    !claudeCapabilities(request.model).prefill &&
    messages.at(-1)?.role === "assistant"
  )
    fields.issue("messages", "This model does not go on with an answer that the request begins.");
  const limit = maxTokensOf(fields);
  const tools = toolsOf(fields);
  const choice = toolChoiceOf(fields, tools);
  const { thinking, sampling, more } = modelFields(
    fields,
    request.model,
    maker,
    read,
    limit,
    isForcing(choice),
  );
  const stops = stopsOf(fields);
  const maxTokens = limit ?? (thinking.budget > 0 ? thinking.budget + tokensBesideThinking : undefined);
  const inference = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...sampling,
    ...(stops.length === 0 ? {} : { stopSequences: stops }),
  };
  const output = outputOf(fields, request.model, maker);
  const facts = maker === "claude" ? claudeCapabilities(request.model) : null;
  const { forced, offered } =
    facts === null ? { forced: null, offered: tools } : forcedBy(facts, choice, tools);
  const resting = restingTools(read, offered, choice);
  const notes = [forced, resting.note].flatMap((text) =>
    text === null ? [] : [{ kind: "text" as const, text }],
  );
  const system = bedrockSystem([...read.system, ...notes], ability);
  const isFree = forced !== null || resting.note !== null;
  const config = toolConfigOf(fields, facts, resting.tools, isFree ? undefined : choice);
  const body = {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
    ...(config === null ? {} : { toolConfig: config }),
    ...(output === null ? {} : { outputConfig: output }),
    ...(Object.keys(more).length === 0 ? {} : { additionalModelRequestFields: more }),
  };
  const marks = ability.caches ? [] : unmarked(read, tools);
  const adapted = [
    ...(forced === null ? [] : ["tool_choice"]),
    ...resting.adapted,
    ...marks,
    ...fields.leftOut(),
  ];
  return fields.firstIssue() ?? { kind: "body", body, adapted: [...new Set(adapted)] };
}

/** Whether a tool has to be called. */
const isForcing = (choice: ToolChoice | undefined): boolean =>
  choice?.kind === "required" || choice?.kind === "named";

interface ModelFields {
  thinking: Thinking;
  /** In the names of Converse. */
  sampling: object;
  more: object;
}

/** Sampling and effort, as the model's maker has them. */
function modelFields(
  fields: RequestFields,
  model: string,
  maker: Maker,
  read: Conversation,
  limit: number | undefined,
  isForced: boolean,
): ModelFields {
  if (maker === "claude") {
    const facts = claudeCapabilities(model);
    const asked = thinkingOf(fields, facts, read, limit);
    const thinking = isForced && facts.forcedTools ? withoutThoughts(asked, facts, fields) : asked;
    // Bedrock takes Claude's own parameters in each version.
    const { temperature, top_p: topP, top_k: topK } = samplingOf(fields, facts, thinking, "");
    return {
      thinking,
      sampling: {
        ...(temperature === undefined ? {} : { temperature }),
        ...(topP === undefined ? {} : { topP }),
      },
      more: {
        ...(topK === undefined ? {} : { top_k: topK }),
        ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
        ...(thinking.effort === undefined ? {} : { output_config: { effort: thinking.effort } }),
      },
    };
  }
  const temperature = fields.number("temperature", 0, 2);
  const topP = fields.number("top_p", 0, 1);
  return {
    thinking: { budget: 0, on: false },
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
    },
    more: effortOf(fields, model, maker),
  };
}

const openaiEfforts: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** `reasoning_effort` of models that are not Claude's. */
function effortOf(fields: RequestFields, model: string, maker: Maker): object {
  const effort = fields.take("reasoning_effort");
  if (effort === undefined) return {};
  const isThinkingNova = maker === "nova" && /\bnova-2\b/.test(model);
  if (effort === "none" && maker === "nova")
    return isThinkingNova ? { reasoningConfig: { type: "disabled" } } : {};
  const level =
    typeof effort === "string" && Object.hasOwn(openaiEfforts, effort) ? openaiEfforts[effort] : null;
  if (level !== null && maker === "openai") return { reasoning_effort: level };
  if (level !== null && isThinkingNova)
    return { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
  fields.issue("reasoning_effort", "Bedrock has no such `reasoning_effort` for this model.");
  return {};
}

/** `response_format`: a schema alone, which Converse takes as text. */
function outputOf(fields: RequestFields, model: string, maker: Maker): object | null {
  const format = formatOf(fields);
  if (format === undefined) return null;
  if (format.kind === "json_object") {
    fields.issue("response_format", "Bedrock has no `json_object`, only `json_schema`.");
    return null;
  }
  const isClaude = maker === "claude";
  if (maker === "nova" || (isClaude && !claudeCapabilities(model).structured)) {
    fields.issue("response_format", "This model has no structured output at Bedrock.");
    return null;
  }
  const schema = isClaude ? structuredSchema(format.schema) : format.schema;
  if (schema === null) {
    fields.issue(
      "response_format",
      "Claude's structured output needs objects whose properties are all named.",
    );
    return null;
  }
  return {
    textFormat: {
      type: "json_schema",
      structure: { jsonSchema: { schema: JSON.stringify(schema), name: "answer" } },
    },
  };
}

const noCallNote = "No tool can be called now: answer only with a text.";

/**
 * Converse has no choice of no tool, and takes a conversation with calls only together with tools. Where none may be called, such a
 * conversation keeps its tools, or gets those that it called, and a note says to call none.
 */
function restingTools(
  { turns }: Conversation,
  tools: readonly FunctionTool[],
  choice: ToolChoice | undefined,
): { tools: readonly FunctionTool[]; note: string | null; adapted: readonly string[] } {
  if (tools.length > 0 && choice?.kind !== "none") return { tools, note: null, adapted: [] };
  const calls = turns.flatMap((turn) => (turn.role === "assistant" ? turn.calls : []));
  if (calls.length === 0) return { tools: [], note: null, adapted: [] };
  if (tools.length > 0) return { tools, note: noCallNote, adapted: ["tool_choice"] };
  const called = [...new Set(calls.map(({ name }) => name))].map((name) => ({
    name,
    description: null,
    parameters: null,
    strict: false,
  }));
  return { tools: called, note: noCallNote, adapted: ["tools"] };
}

function toolConfigOf(
  fields: RequestFields,
  facts: ClaudeCapabilities | null,
  tools: readonly FunctionTool[],
  choice: ToolChoice | undefined,
): object | null {
  const parallel = fields.take("parallel_tool_calls");
  if (tools.length === 0) return null;
  if (parallel !== undefined && parallel !== true)
    fields.issue("parallel_tool_calls", "Bedrock cannot be kept from calling several tools at once.");
  const isStrict = facts?.structured === true;
  return {
    tools: tools.flatMap((tool) => [
      toolSpec(tool, isStrict),
      ...cachePoint(tool.cacheControl, { caches: facts !== null }),
    ]),
    ...(choice?.kind === "auto" ? { toolChoice: { auto: {} } } : {}),
    ...(choice?.kind === "required" ? { toolChoice: { any: {} } } : {}),
    ...(choice?.kind === "named" ? { toolChoice: { tool: { name: choice.names[0] } } } : {}),
  };
}

function toolSpec({ name, description, parameters, strict }: FunctionTool, isStrict: boolean): object {
  const schema = { ...parameters, type: "object" };
  const fitted = strict && isStrict ? structuredSchema(schema) : null;
  return {
    toolSpec: {
      name,
      ...(description === null || description.trim() === "" ? {} : { description }),
      inputSchema: { json: fitted ?? schema },
      ...(fitted === null ? {} : { strict: true }),
    },
  };
}
