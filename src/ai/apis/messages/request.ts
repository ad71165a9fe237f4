// Translates a request of Anthropic's Messages API to a chat completion. Fields that only Anthropic has and that do not change the meaning
// of the answer (`context_management`, `cache_control`, signed thoughts, …) are left out; if a block or a tool cannot be expressed in chat
// completions, such a member cannot serve the request. Source: platform.claude.com/docs/en/api/messages and the requests of Claude Code
// 2.1.

import type { ChatForm } from "#ai/apis/api-request.ts";
import { isStrictSchema } from "#ai/apis/strict-schema.ts";
import type { ToolNames } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import type { PreparedRequest } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import { bodyText, fieldsIn, parseExactly, textOf } from "#providers/translate/json.ts";
import { unpacked } from "#providers/translate/reasoning-details.ts";

type Issue = Extract<PreparedRequest, { kind: "unsupported_parameter" }>;
type Part = Record<string, unknown>;

/** Parameters that have an equivalent, or none that chat completions need. */
const known: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "system",
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  // The gateway reads the end user from it; cache marks are reported if a member does not accept them.
  "metadata",
  "cache_control",
]);

/** Claude Code's first system block differs in each conversation, which would prevent prompt caching. */
const billingBlock = /^x-anthropic-billing-header:/;

/** Tools that Anthropic runs itself; their dates are suffixes. */
const serverTool = /^(web_search|web_fetch|code_execution|tool_search_tool_\w+|mcp_toolset)(_\d{8})?$/;

/** Thrown only in this file, if something in the request cannot be expressed in chat completions. */
class Untranslatable extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}

/** Adds the tools to `tools` and the names of what the chat completion lacks or expresses differently to `leftOut`. */
export function chatOfMessages(text: string, tools: ToolNames, leftOut: string[]): ChatForm | Issue {
  const parsed = parseExactly(text);
  const body = isObject(parsed) ? parsed : {};
  try {
    const chat = translated(body, tools, leftOut, false);
    const plain = { kind: "chat", text: bodyText(chat), body: chat } as const;
    if (!text.includes('"cache_control"')) return plain;
    return {
      ...plain,
      marked: () => {
        const marked = translated(body, tools, [], true);
        return { text: bodyText(marked), body: marked };
      },
    };
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return { kind: "unsupported_parameter", param: error.param, message: error.message };
  }
}

/** `marks`: `cache_control` stays on parts and tools, and a text that has one becomes a part. */
function translated(body: Fields, names: ToolNames, leftOut: string[], marks: boolean): Fields {
  const tools = toolsOf(body.tools, names, leftOut, marks);
  const config = isObject(body.output_config) ? body.output_config : {};
  const format = isObject(config.format) ? config.format : {};
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const stops = Array.isArray(body.stop_sequences) ? body.stop_sequences : [];
  const effort = thinking.type === "disabled" ? null : effortOf(config.effort, thinking, leftOut);
  for (const name of Object.keys(body))
    if (!known.has(name) && body[name] !== null && body[name] !== undefined) leftOut.push(name);
  return {
    model: body.model,
    messages: [...systemOf(body.system, marks), ...messagesOf(body.messages, names, marks)],
    max_tokens: body.max_tokens,
    ...(body.stream === true ? { stream: true } : {}),
    ...taken(body, ["temperature", "top_p", "top_k"]),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(tools.length === 0 ? {} : { tools, ...choiceOf(body.tool_choice, tools, names) }),
    ...markOf(body, marks),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(format.type === "json_schema" && isObject(format.schema)
      ? {
          response_format: {
            type: "json_schema",
            json_schema: { name: "answer", schema: format.schema, strict: isStrictSchema(format.schema) },
          },
        }
      : {}),
  };
}

/** The smallest thinking budgets, in tokens, for the efforts `medium` and `high`. */
const [mediumBudget, highBudget] = [4_096, 16_384];

/** Chat completions have no thinking budget: the closest effort is used instead. */
function effortOf(effort: unknown, { budget_tokens: budget }: Fields, leftOut: string[]): string | null {
  if (typeof effort === "string") return effort;
  if (typeof budget !== "number") return null;
  leftOut.push("thinking");
  return budget < mediumBudget ? "low" : budget < highBudget ? "medium" : "high";
}

/** The cache mark of a block, in the form that chat completions have next to a part. */
const markOf = (block: Fields, marks: boolean): Fields =>
  marks && isObject(block.cache_control) ? { cache_control: block.cache_control } : {};

const hasMark = (parts: readonly Fields[]) => parts.some((part) => part.cache_control !== undefined);

function taken(body: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  );
}

function systemOf(system: unknown, marks: boolean): object[] {
  const blocks = typeof system === "string" ? [{ text: system }] : fieldsIn(system);
  const parts = blocks.flatMap((block: Fields) => {
    const text = textOf(block.text);
    return text.trim() === "" || billingBlock.test(text)
      ? []
      : [{ type: "text", text, ...markOf(block, marks) }];
  });
  if (parts.length === 0) return [];
  return [{ role: "system", content: hasMark(parts) ? parts : parts.map(({ text }) => text).join("\n") }];
}

function messagesOf(messages: unknown, names: ToolNames, marks: boolean): object[] {
  return fieldsIn(messages).flatMap((message, at): object[] => {
    const where = `messages.${at}`;
    const blocks: Fields[] =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : fieldsIn(message.content);
    if (message.role === "assistant") return assistantOf(blocks, names, where, marks);
    if (message.role === "user") return userOf(blocks, where, marks);
    if (message.role === "system") return systemOf(blocks, marks);
    throw new Untranslatable("messages", `${where} has a role that this member does not know.`);
  });
}

function assistantOf(blocks: readonly Fields[], names: ToolNames, where: string, marks: boolean): object[] {
  const texts: Part[] = [];
  const calls: object[] = [];
  const details: Fields[] = [];
  for (const [at, block] of blocks.entries()) {
    switch (block.type) {
      case "text":
        texts.push({ type: "text", text: textOf(block.text), ...markOf(block, marks) });
        break;
      case "tool_use":
        calls.push({
          id: textOf(block.id),
          type: "function",
          function: { name: flat(names, block.name), arguments: JSON.stringify(block.input ?? {}) },
        });
        break;
      // Thoughts are signed for their own vendor; those packed by a translated answer are returned to their maker.
      case "thinking":
        append(details, unpacked(block.signature));
        break;
      // The accompanying text describes what Anthropic's own tools did.
      case "redacted_thinking":
      case "server_tool_use":
      case "web_search_tool_result":
      case "web_fetch_tool_result":
      case "code_execution_tool_result":
      case "tool_search_tool_result":
        break;
      default:
        throw unknownBlock(block, `${where}.content.${at}`);
    }
  }
  const content = texts.map(({ text }) => text).join("");
  if (content === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" ? null : hasMark(texts) ? texts : content,
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Results come first, each in its own message; their images follow in the user's message. */
function userOf(blocks: readonly Fields[], where: string, marks: boolean): object[] {
  const results: object[] = [];
  const parts: Part[] = [];
  for (const [at, block] of blocks.entries()) {
    const here = `${where}.content.${at}`;
    if (block.type !== "tool_result") {
      const own = partsOf(block, here);
      append(parts, own.slice(0, -1));
      append(
        parts,
        own.slice(-1).map((part) => ({ ...part, ...markOf(block, marks) })),
      );
      continue;
    }
    const { texts, media } = resultOf(block, here);
    const id = textOf(block.tool_use_id);
    const text = texts.join("\n");
    const mark = markOf(block, marks);
    const content = mark.cache_control === undefined ? text : [{ type: "text", text, ...mark }];
    results.push({ role: "tool", tool_call_id: id, content });
    if (media.length > 0) parts.push({ type: "text", text: `From the result of ${id}:` }, ...media);
  }
  if (parts.length === 0) return results;
  const [first] = parts;
  const plain = parts.length === 1 && first?.type === "text" && !hasMark(parts);
  return [...results, { role: "user", content: plain ? first.text : parts }];
}

/** Chat completions cannot mark a result as an error: the text says so. */
const failureNote = "The tool failed:";

function resultOf(result: Fields, where: string): { texts: string[]; media: Part[] } {
  const { content } = result;
  const texts: string[] = result.is_error === true ? [failureNote] : [];
  if (typeof content === "string") return { texts: [...texts, content], media: [] };
  const media: Part[] = [];
  for (const [at, block] of fieldsIn(content).entries()) {
    if (block.type === "tool_reference") texts.push(`The tool ${textOf(block.tool_name)} can be called now.`);
    else
      for (const part of partsOf(block, `${where}.content.${at}`)) {
        if (part.type === "text") texts.push(textOf(part.text));
        else media.push(part);
      }
  }
  if (media.length > 0) texts.push("(The media of this result follows.)");
  return { texts, media };
}

function partsOf(block: Fields, where: string): Part[] {
  const source = isObject(block.source) ? block.source : {};
  const data = `data:${textOf(source.media_type)};base64,${textOf(source.data)}`;
  switch (block.type) {
    case "text":
      return textOf(block.text).trim() === "" ? [] : [{ type: "text", text: textOf(block.text) }];
    case "image": {
      if (source.type === "base64") return [{ type: "image_url", image_url: { url: data } }];
      if (source.type === "url") return [{ type: "image_url", image_url: { url: textOf(source.url) } }];
      throw unknownBlock(block, where);
    }
    case "document": {
      if (source.type === "text") return [{ type: "text", text: textOf(source.data) }];
      if (source.type === "content")
        return typeof source.content === "string"
          ? [{ type: "text", text: source.content }]
          : fieldsIn(source.content).flatMap((inner) => partsOf(inner, where));
      const filename = textOf(block.title) || "document.pdf";
      if (source.type === "url") return [{ type: "file", file: { filename, file_url: textOf(source.url) } }];
      if (source.type !== "base64") throw unknownBlock(block, where);
      return [{ type: "file", file: { filename, file_data: data } }];
    }
    case "search_result": {
      const texts = fieldsIn(block.content).map(({ text }) => textOf(text));
      return [
        { type: "text", text: [textOf(block.title), textOf(block.source), ...texts].join("\n").trim() },
      ];
    }
    default:
      throw unknownBlock(block, where);
  }
}

function unknownBlock({ type, source }: Fields, where: string): Untranslatable {
  const of = isObject(source) && typeof source.type === "string" ? ` from a source \`${source.type}\`` : "";
  return new Untranslatable(
    "messages",
    `${where}: this member takes no block of type \`${textOf(type)}\`${of}.`,
  );
}

interface FunctionTool {
  type: "function";
  function: { name: string };
}

/** The tool name that chat completions accept. */
const flat = (names: ToolNames, name: unknown): string =>
  names.flat({ kind: "function", name: textOf(name), namespace: null });

function toolsOf(tools: unknown, names: ToolNames, leftOut: string[], marks: boolean): FunctionTool[] {
  return fieldsIn(tools).flatMap((tool, at): FunctionTool[] => {
    const type = textOf(tool.type);
    if (serverTool.test(type)) {
      leftOut.push(type);
      return [];
    }
    if (type !== "" && type !== "custom")
      throw new Untranslatable("tools", `tools.${at}: this member has no tool of type \`${type}\`.`);
    const definition = {
      name: flat(names, tool.name),
      ...(textOf(tool.description) === "" ? {} : { description: tool.description }),
      parameters: isObject(tool.input_schema) ? tool.input_schema : { type: "object", properties: {} },
    };
    return [{ type: "function", function: definition, ...markOf(tool, marks) }];
  });
}

function choiceOf(choice: unknown, tools: readonly FunctionTool[], names: ToolNames): Fields {
  if (!isObject(choice)) return {};
  const alone = choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  switch (choice.type) {
    case "any":
      return { tool_choice: "required", ...alone };
    case "none":
      return { tool_choice: "none" };
    case "tool": {
      const name = flat(names, choice.name);
      // The tool may be one that was left out.
      if (!tools.some((tool) => tool.function.name === name)) return alone;
      return { tool_choice: { type: "function", function: { name } }, ...alone };
    }
    default:
      return { tool_choice: "auto", ...alone };
  }
}
