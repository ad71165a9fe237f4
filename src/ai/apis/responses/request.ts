// Translates a request of OpenAI's Responses API to a chat completion. Items of a turn that belong together (a text, calls and their
// outputs) become one assistant message with its tool messages. Source: platform.openai.com/docs/api-reference/responses and the requests
// of Codex 0.169.

import type { ChatForm } from "#ai/apis/api-request.ts";
import { type ToolNames, UnknownTool } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import type { PreparedRequest } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import { argumentsText, bodyText, fieldsIn, parseExactly, textOf } from "#providers/translate/json.ts";
import { unpacked } from "#providers/translate/reasoning-details.ts";

type Issue = Extract<PreparedRequest, { kind: "unsupported_parameter" }>;
type Part = Record<string, unknown>;

/** Parameters that have an equivalent or that the gateway itself reads; others are reported as left out. */
const known: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_output_tokens",
  "temperature",
  "top_p",
  "reasoning",
  "text",
  "store",
  "include",
  "top_logprobs",
  "metadata",
  "client_metadata",
  "user",
  "safety_identifier",
  "background",
  "previous_response_id",
  "conversation",
]);

/** Items that record what OpenAI itself did; the accompanying text summarizes it. */
const skipped: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
]);

/** Thrown only in this file, if something in the request cannot be expressed in chat completions. */
class Untranslatable extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}

/** Adds the names of what the chat completion lacks to `leftOut` and the tools to `names`. */
export function chatOfResponses(text: string, names: ToolNames, leftOut: string[]): ChatForm | Issue {
  const parsed = parseExactly(text);
  const body = isObject(parsed) ? parsed : {};
  try {
    const chat = translated(body, names, leftOut);
    return { kind: "chat", text: bodyText(chat), body: chat };
  } catch (error) {
    if (error instanceof UnknownTool)
      return { kind: "unsupported_parameter", param: "tools", message: error.message };
    if (!(error instanceof Untranslatable)) throw error;
    return { kind: "unsupported_parameter", param: error.param, message: error.message };
  }
}

function translated(body: Fields, names: ToolNames, leftOut: string[]): Fields {
  names.add(body.tools, leftOut);
  const items: Fields[] =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : fieldsIn(body.input);
  // An earlier call may name a tool.
  for (const { type, tools } of items)
    if (type === "additional_tools" || type === "tool_search_output") names.add(tools, leftOut);
  const instructions = textOf(body.instructions);
  const messages = new Messages(items, names);
  for (const [at, item] of items.entries()) messages.add(item, `input[${at}]`);
  for (const name of Object.keys(body))
    if (!known.has(name) && body[name] !== null && body[name] !== undefined) leftOut.push(name);
  const { tools } = names;
  const text = isObject(body.text) ? body.text : {};
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return {
    model: body.model,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...messages.written(),
    ],
    ...(body.stream === true ? { stream: true } : {}),
    ...(typeof body.max_output_tokens === "number" ? { max_tokens: body.max_output_tokens } : {}),
    ...(typeof body.temperature === "number" ? { temperature: body.temperature } : {}),
    ...(typeof body.top_p === "number" ? { top_p: body.top_p } : {}),
    ...(typeof reasoning.effort === "string" ? { reasoning_effort: reasoning.effort } : {}),
    ...(typeof text.verbosity === "string" ? { verbosity: text.verbosity } : {}),
    ...formatOf(text.format),
    ...logprobsOf(body),
    ...(tools.length === 0
      ? {}
      : {
          tools,
          ...choiceOf(body.tool_choice, names),
          ...(body.parallel_tool_calls === false ? { parallel_tool_calls: false } : {}),
        }),
  };
}

/** Log probabilities are returned if they are included: the number of alternatives by itself requests nothing. */
function logprobsOf({ include, top_logprobs: alternatives }: Fields): Fields {
  if (!Array.isArray(include) || !include.includes("message.output_text.logprobs")) return {};
  return { logprobs: true, ...(typeof alternatives === "number" ? { top_logprobs: alternatives } : {}) };
}

function formatOf(format: unknown): Fields {
  if (!isObject(format)) return {};
  if (format.type === "json_object") return { response_format: { type: "json_object" } };
  if (format.type !== "json_schema" || !isObject(format.schema)) return {};
  const strict = typeof format.strict === "boolean" ? { strict: format.strict } : {};
  const json_schema = { name: textOf(format.name) || "answer", schema: format.schema, ...strict };
  return { response_format: { type: "json_schema", json_schema } };
}

function choiceOf(choice: unknown, names: ToolNames): Fields {
  if (choice === "none" || choice === "required") return { tool_choice: choice };
  if (isObject(choice)) {
    if (choice.type === "allowed_tools" && choice.mode === "required") return { tool_choice: "required" };
    if (choice.type === "function" || choice.type === "custom") {
      const namespace = typeof choice.namespace === "string" ? choice.namespace : null;
      const name = names.flat({ kind: choice.type, name: textOf(choice.name), namespace });
      if (names.tools.some((tool) => tool.function.name === name))
        return { tool_choice: { type: "function", function: { name } } };
    }
  }
  return { tool_choice: "auto" };
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** Writes items as messages: each call directly before its output, even if there was something between them. */
class Messages {
  readonly #names: ToolNames;
  readonly #outputs = new Map<string, Fields>();
  readonly #written: object[] = [];
  /** Thoughts that a translated answer has packed; no other vendor can open what OpenAI sealed. */
  #details: Fields[] = [];
  #texts: string[] = [];
  #calls: Call[] = [];
  /** The ids in `#calls`. */
  readonly #callIds = new Set<unknown>();
  #answered = false;

  constructor(items: readonly Fields[], names: ToolNames) {
    this.#names = names;
    for (const item of items)
      if (textOf(item.type).endsWith("_output")) this.#outputs.set(textOf(item.call_id), item);
  }

  written(): readonly object[] {
    this.#flush();
    return this.#written;
  }

  add(item: Fields, where: string): void {
    const { type = "message" } = item;
    switch (type) {
      case "message":
        this.#message(item, where);
        return;
      case "reasoning":
        if (this.#answered) this.#flush();
        append(this.#details, unpacked(item.encrypted_content));
        return;
      case "function_call":
        this.#call(item, "function", argumentsText(item.arguments));
        return;
      case "custom_tool_call":
        this.#call(item, "custom", JSON.stringify({ input: textOf(item.input) }));
        return;
      case "tool_search_call":
        this.#call({ ...item, name: "tool_search" }, "tool_search", JSON.stringify(item.arguments ?? {}));
        return;
      case "image_generation_call":
        this.#picture(textOf(item.result), textOf(item.output_format));
        return;
      case "function_call_output":
      case "custom_tool_call_output":
      case "tool_search_output":
        if (this.#callIds.has(item.call_id)) this.#answered = true;
        return;
    }
    if (skipped.has(type)) return;
    throw new Untranslatable("input", `${where}: this member takes no item of type \`${textOf(type)}\`.`);
  }

  #message(item: Fields, where: string): void {
    const parts: Part[] =
      typeof item.content === "string"
        ? [{ type: "text", text: item.content }]
        : fieldsIn(item.content).map((part, at) => partOf(part, `${where}.content[${at}]`));
    const texts = parts.map(({ text }) => textOf(text)).filter((text) => text !== "");
    if (item.role === "assistant") {
      if (this.#calls.length > 0) this.#flush();
      append(this.#texts, texts);
      return;
    }
    this.#flush();
    if (parts.length === 0) return;
    if (item.role === "system" || item.role === "developer")
      this.#written.push({ role: "system", content: texts.join("\n") });
    else if (item.role === "user") {
      const [first] = parts;
      const plain = parts.length === 1 && first?.type === "text";
      this.#written.push({ role: "user", content: plain ? first.text : parts });
    } else throw new Untranslatable("input", `${where} has a role that this member does not know.`);
  }

  /** Chat completions accept images only from the user. */
  #picture(base64: string, format: string): void {
    if (base64 === "") return;
    this.#flush();
    const url = `data:image/${format || "png"};base64,${base64}`;
    const note = { type: "text", text: "The assistant made this picture:" };
    this.#written.push({ role: "user", content: [note, { type: "image_url", image_url: { url } }] });
  }

  #call(item: Fields, kind: "function" | "custom" | "tool_search", text: string): void {
    if (this.#answered) this.#flush();
    const namespace = typeof item.namespace === "string" ? item.namespace : null;
    const name = this.#names.flat({ kind, name: textOf(item.name), namespace });
    this.#calls.push({ id: textOf(item.call_id), name, arguments: text });
    this.#callIds.add(textOf(item.call_id));
  }

  /** Writes the open assistant turn, with the outputs of its calls. */
  #flush(): void {
    const calls = this.#calls;
    const content = this.#texts.join("");
    const details = this.#details;
    this.#details = [];
    this.#texts = [];
    this.#calls = [];
    this.#callIds.clear();
    this.#answered = false;
    if (content === "" && calls.length === 0) return;
    this.#written.push({
      role: "assistant",
      content: content === "" ? null : content,
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, arguments: text }) => ({
              id,
              type: "function",
              function: { name, arguments: text },
            })),
          }),
    });
    const media: Part[] = [];
    for (const { id } of calls) {
      const output = this.#outputs.get(id);
      const { texts, parts } = outputOf(output, `the output of ${id}`);
      this.#written.push({ role: "tool", tool_call_id: id, content: texts.join("\n") });
      if (parts.length > 0) media.push({ type: "text", text: `From the result of ${id}:` }, ...parts);
    }
    if (media.length > 0) this.#written.push({ role: "user", content: media });
  }
}

/** The texts of an output, and its media, which most vendors' tool messages cannot contain. */
function outputOf(item: Fields | undefined, where: string): { texts: string[]; parts: Part[] } {
  // An interrupted turn has calls without outputs, which chat completions refuse.
  if (item === undefined) return { texts: ["(There is no output.)"], parts: [] };
  if (item.type === "tool_search_output")
    return { texts: [`These tools can be called now: ${toolNamesIn(item.tools).join(", ")}`], parts: [] };
  if (!Array.isArray(item.output)) return { texts: [textOf(item.output)], parts: [] };
  const texts: string[] = [];
  const parts: Part[] = [];
  for (const block of fieldsIn(item.output)) {
    const part = partOf(block, where);
    if (part.type === "text") texts.push(textOf(part.text));
    else parts.push(part);
  }
  if (parts.length > 0) texts.push("(The media of this result follows.)");
  return { texts, parts };
}

function toolNamesIn(tools: unknown): string[] {
  return fieldsIn(tools).flatMap((tool) =>
    tool.type === "namespace"
      ? toolNamesIn(tool.tools).map((name) => `${textOf(tool.name)}.${name}`)
      : [textOf(tool.name)],
  );
}

function partOf(part: Fields, where: string): Part {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: textOf(part.text) };
    case "refusal":
      return { type: "text", text: textOf(part.refusal) };
    case "input_image": {
      const url = textOf(part.image_url);
      if (url === "") break;
      // Chat completions do not have the detail `original`.
      const detail = part.detail === "low" || part.detail === "high" ? { detail: part.detail } : {};
      return { type: "image_url", image_url: { url, ...detail } };
    }
    case "input_file": {
      const { file_data: data, file_url: url } = part;
      const filename = textOf(part.filename) || "file";
      if (textOf(data) !== "") return { type: "file", file: { filename, file_data: data } };
      if (textOf(url) === "") break;
      return { type: "file", file: { filename, file_url: url } };
    }
    case "input_audio":
      return { type: "input_audio", input_audio: part.input_audio };
  }
  throw new Untranslatable(
    "input",
    `${where}: this member takes no content of type \`${textOf(part.type)}\` in this form.`,
  );
}
