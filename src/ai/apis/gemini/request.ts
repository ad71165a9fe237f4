// Translates a Gemini API request to a chat completion. Names may be in camel case or with underscores, since Google accepts both. Fields
// that only Google has and that do not change the meaning of the answer (safety settings, its own tools, …) are left out and reported; if a
// part cannot be expressed in chat completions, such a member cannot serve the request. Source: ai.google.dev/api/generate-content,
// /api/caching#Part, /gemini-api/docs/thinking

import type { ChatForm } from "#ai/apis/api-request.ts";
import type { ToolNames } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import type { PreparedRequest } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import { bodyText, fieldsIn, parseExactly, textOf } from "#providers/translate/json.ts";
import { isPacked, unpacked } from "#providers/translate/reasoning-details.ts";
import { camelCased, nameOthers, Untranslatable } from "./fields.ts";
import { generationOf, jsonSchemaOf } from "./generation.ts";

type Issue = Extract<PreparedRequest, { kind: "unsupported_parameter" }>;

/** Parameters that are translated here. */
const known: ReadonlySet<string> = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "model",
]);

/** Adds the tools to `names` and the names of what the chat completion lacks to `leftOut`. */
export function chatOfContents(
  text: string,
  stream: boolean,
  names: ToolNames,
  leftOut: string[],
): ChatForm | Issue {
  const body = camelCased(parseExactly(text));
  try {
    const chat = translated(body, stream, names, leftOut);
    return { kind: "chat", text: bodyText(chat), body: chat };
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return { kind: "unsupported_parameter", param: error.param, message: error.message };
  }
}

function translated(body: Fields, stream: boolean, names: ToolNames, leftOut: string[]): Fields {
  if (textOf(body.cachedContent) !== "")
    throw new Untranslatable(
      "cachedContent",
      "Content that is cached at Google is not there for this member.",
    );
  for (const name of Object.keys(body)) if (!known.has(name) && body[name] !== null) leftOut.push(name);
  const tools = toolsOf(body.tools, names, leftOut);
  return {
    messages: [...systemOf(body.systemInstruction, leftOut), ...messagesOf(body.contents, names, leftOut)],
    ...(stream ? { stream: true } : {}),
    ...generationOf(camelCased(body.generationConfig), leftOut),
    ...(tools.length === 0 ? {} : { tools, ...choiceOf(body.toolConfig, tools, names, leftOut) }),
  };
}

/** A content object, a list of parts, one part, or a string. */
function partsOf(content: unknown): Fields[] {
  if (typeof content === "string") return [{ text: content }];
  const parts = isObject(content) && content.parts !== undefined ? content.parts : content;
  return (Array.isArray(parts) ? parts : [parts]).flatMap((part) =>
    typeof part === "string" ? [{ text: part }] : isObject(part) ? [camelCased(part)] : [],
  );
}

/** Fields of a part; each is translated or causes an issue. */
const partFields: readonly string[] = [
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
];

function systemOf(content: unknown, leftOut: string[]): object[] {
  const parts = content === undefined ? [] : partsOf(content);
  for (const part of parts) nameOthers(part, ["text"], "systemInstruction", leftOut);
  const texts = parts.map(({ text }) => textOf(text));
  const kept = texts.filter((text) => text.trim() !== "");
  return kept.length === 0 ? [] : [{ role: "system", content: kept.join("\n") }];
}

interface Call {
  id: string;
  answered: boolean;
}

/** Calls in the order in which they came. */
class Queue {
  readonly #calls: Call[] = [];
  #next = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  /** The first call without a result. One of them may have been answered through another queue. */
  first(): Call | undefined {
    while (this.#calls[this.#next]?.answered) this.#next++;
    return this.#calls[this.#next];
  }
}

/**
 * Assigns an id to each call that lacks one, and to each result that lacks one the id of the first call of the same name without a result.
 */
class Calls {
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();
  #made = 0;

  called(id: string, name: string): string {
    const call = { id: id === "" ? `call_${this.#made++}` : id, answered: false };
    queueOf(this.#byId, call.id).add(call);
    queueOf(this.#byName, name).add(call);
    return call.id;
  }

  answered(id: string, name: string): string {
    const call = (id === "" ? this.#byName.get(name) : this.#byId.get(id))?.first();
    if (call) call.answered = true;
    return call?.id ?? (id === "" ? `call_${this.#made++}` : id);
  }
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  const known = queues.get(key) ?? new Queue();
  queues.set(key, known);
  return known;
}

function messagesOf(contents: unknown, names: ToolNames, leftOut: string[]): object[] {
  const calls = new Calls();
  const list = Array.isArray(contents) ? contents : [contents];
  return list.flatMap((content, at): object[] => {
    const where = `contents.${at}`;
    const parts = partsOf(content);
    for (const part of parts) {
      nameOthers(part, partFields, "contents", leftOut);
      if (isObject(part.functionResponse))
        nameOthers(
          part.functionResponse,
          ["id", "name", "response", "parts"],
          "contents.functionResponse",
          leftOut,
        );
    }
    const role = isObject(content) ? textOf(content.role) : "";
    return role === "model" ? modelOf(parts, calls, names, where) : userOf(parts, calls, where);
  });
}

function modelOf(parts: readonly Fields[], calls: Calls, names: ToolNames, where: string): object[] {
  const texts: string[] = [];
  const called: object[] = [];
  const details: Fields[] = [];
  const images: Fields[] = [];
  for (const [at, part] of parts.entries()) {
    const call = part.functionCall;
    append(details, unpacked(part.thoughtSignature));
    if (isObject(call)) {
      const name = names.flat({ kind: "function", name: textOf(call.name), namespace: null });
      const signature = isPacked(part.thoughtSignature) ? "" : textOf(part.thoughtSignature);
      called.push({
        id: calls.called(textOf(call.id), textOf(call.name)),
        type: "function",
        function: { name, arguments: JSON.stringify(call.args ?? {}) },
        ...(signature === "" ? {} : { extra_content: { google: { thought_signature: signature } } }),
      });
      // Thoughts belong to the model that produced them, and Google needs only their signatures back.
    } else if (typeof part.text === "string") {
      if (part.thought !== true) texts.push(part.text);
    } else if (part.inlineData === undefined) throw unknownPart(part, `${where}.parts.${at}`);
    else if (part.thought !== true) images.push(mediaOf(part, `${where}.parts.${at}`));
  }
  const content = texts.join("");
  if (content === "" && called.length === 0 && images.length === 0) return [];
  const message = {
    role: "assistant",
    content: content === "" ? null : content,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
  const note = { type: "text", text: "The assistant made these pictures:" };
  const made = images.length === 0 ? [] : [{ role: "user", content: [note, ...images] }];
  // There must be nothing between calls and their results.
  if (called.length > 0) return [...made, { ...message, tool_calls: called }];
  return content === "" ? made : [message, ...made];
}

/** Results come first, each in its own message. */
function userOf(parts: readonly Fields[], calls: Calls, where: string): object[] {
  const results: object[] = [];
  const own: Fields[] = [];
  for (const [at, part] of parts.entries()) {
    const result = part.functionResponse;
    if (isObject(result)) {
      const id = calls.answered(textOf(result.id), textOf(result.name));
      results.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result.response ?? {}) });
      append(
        own,
        partsOf(result.parts ?? []).map((inner) => mediaOf(inner, `${where}.parts.${at}`)),
      );
    } else if (typeof part.text === "string") own.push({ type: "text", text: part.text });
    else own.push(mediaOf(part, `${where}.parts.${at}`));
  }
  if (own.length === 0) return results;
  const [first] = own;
  const isPlain = own.length === 1 && first?.type === "text";
  return [...results, { role: "user", content: isPlain ? first.text : own }];
}

function mediaOf(part: Fields, where: string): Fields {
  if (isObject(part.inlineData)) {
    const { mimeType, data, displayName } = camelCased(part.inlineData);
    const type = textOf(mimeType);
    const url = `data:${type};base64,${textOf(data)}`;
    if (type.startsWith("image/")) return { type: "image_url", image_url: { url } };
    const [, sound] = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(type) ?? [];
    if (sound !== undefined)
      return { type: "input_audio", input_audio: { data, format: sound === "wav" ? "wav" : "mp3" } };
    return { type: "file", file: { filename: textOf(displayName) || "file", file_data: url } };
  }
  if (isObject(part.fileData)) {
    const { mimeType, fileUri } = camelCased(part.fileData);
    const url = textOf(fileUri);
    const isPicture = /^https?:/.test(url) && /^(image\/|$)/.test(textOf(mimeType));
    if (isPicture) return { type: "image_url", image_url: { url } };
    // Files at Google also have links, but only Google's key opens them.
    const isDocument =
      /^https:\/\/(?![\w.-]*\.googleapis\.com\/)/.test(url) && mimeType === "application/pdf";
    if (isDocument) return { type: "file", file: { filename: "document.pdf", file_url: url } };
    throw new Untranslatable(
      "contents",
      `${where}: this member cannot read a file at Google or a link to one.`,
    );
  }
  throw unknownPart(part, where);
}

function unknownPart(part: Fields, where: string): Untranslatable {
  const names = Object.keys(part).join("`, `");
  return new Untranslatable("contents", `${where}: this member takes no part with \`${names}\`.`);
}

interface FunctionTool {
  type: "function";
  function: { name: string };
}

function toolsOf(tools: unknown, names: ToolNames, leftOut: string[]): FunctionTool[] {
  return (Array.isArray(tools) ? tools : [tools]).map(camelCased).flatMap((tool): FunctionTool[] => {
    const { functionDeclarations, ...others } = tool;
    // Tools that Google runs itself, such as its search.
    append(leftOut, Object.keys(others));
    return fieldsIn(functionDeclarations)
      .map(camelCased)
      .map(({ name, description, parameters, parametersJsonSchema, ...more }) => {
        nameOthers(more, [], "functionDeclarations", leftOut);
        return {
          type: "function",
          function: {
            name: names.flat({ kind: "function", name: textOf(name), namespace: null }),
            ...(textOf(description) === "" ? {} : { description }),
            parameters: parametersJsonSchema ??
              jsonSchemaOf(parameters) ?? { type: "object", properties: {} },
          },
        };
      });
  });
}

function choiceOf(
  config: unknown,
  tools: readonly FunctionTool[],
  names: ToolNames,
  leftOut: string[],
): Fields {
  const { functionCallingConfig, ...others } = camelCased(config);
  nameOthers(others, [], "toolConfig", leftOut);
  const calling = camelCased(functionCallingConfig);
  nameOthers(calling, ["mode", "allowedFunctionNames"], "toolConfig.functionCallingConfig", leftOut);
  const allowed = (Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames : []).map(
    (name) => ({
      type: "function",
      function: { name: names.flat({ kind: "function", name: textOf(name), namespace: null }) },
    }),
  );
  const allowedNames = new Set(allowed.map(({ function: { name } }) => name));
  switch (calling.mode) {
    case "ANY":
      if (allowed.length === 1) return { tool_choice: allowed[0] };
      if (allowed.length === 0) return { tool_choice: "required" };
      return { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: allowed } } };
    case "NONE":
      return { tool_choice: "none" };
    default:
      // `VALIDATED`: the model's calls follow their schemas, which no other vendor guarantees here.
      if (calling.mode === "VALIDATED") leftOut.push("toolConfig.functionCallingConfig.mode");
      if (allowed.length === 0) return {};
      // A model that may call some of its tools, or none, is offered only those.
      return { tools: tools.filter((tool) => allowedNames.has(tool.function.name)) };
  }
}

/** Whether the client requested the model's thoughts. */
export function wantsThoughts(body: Fields): boolean {
  const thinking = camelCased(camelCased(camelCased(body).generationConfig).thinkingConfig);
  return thinking.includeThoughts === true;
}
