// Translates the tools of a Responses or Messages request to functions of a chat completion, and back: a namespace and a name become one
// flat name, a custom tool becomes a function of one text. Chat completions have only functions, with names of at most 64 characters;
// Anthropic's names have up to 128.

import { createHash } from "node:crypto";
import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";

export interface ToolName {
  /** The type of its calls: `function_call`, `custom_tool_call` or `tool_search_call`. */
  kind: "function" | "custom" | "tool_search";
  name: string;
  /** Null for a tool without a namespace. */
  namespace: string | null;
}

interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters: unknown; strict?: boolean };
}

const maxLength = 64;

/** OpenAI's own namespace for tools without one: its calls omit it. */
const bareNamespace = "functions";

/** Tools that OpenAI runs itself. */
const hosted =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|mcp)(_\d{4}_\d{2}_\d{2})?$/;

/** A tool of a type that a function cannot replace. */
export class UnknownTool extends Error {}

export class ToolNames {
  readonly #byFlat = new Map<string, ToolName>();
  readonly #flatOf = new Map<string, string>();
  /** In the order of the request; if a tool occurs again, the later one replaces the earlier. */
  readonly #tools = new Map<string, ChatTool>();

  get tools(): ChatTool[] {
    return [...this.#tools.values()];
  }

  /** The tool for a name that a model called; an unknown name is treated as a function. */
  find(flat: string): ToolName {
    return this.#byFlat.get(flat) ?? { kind: "function", name: flat, namespace: null };
  }

  /** The flat name, which every vendor accepts and which is unique to this tool. */
  flat(tool: ToolName): string {
    // Answers omit the default namespace, so the calls in the history have none.
    const namespace = tool.namespace === bareNamespace ? null : tool.namespace;
    const key = `${namespace ?? ""}\0${tool.name}`;
    const known = this.#flatOf.get(key);
    if (known !== undefined) return known;
    const spaced = namespace === null ? tool.name : `${namespace}__${tool.name}`;
    const plain = spaced.replace(/[^A-Za-z0-9_-]/g, "_");
    const unique = plain === spaced && plain.length <= maxLength && plain !== "" && !this.#byFlat.has(plain);
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 8);
    const flat = unique ? plain : `${plain.slice(0, maxLength - 9)}_${hash}`;
    this.#flatOf.set(key, flat);
    this.#byFlat.set(flat, tool);
    return flat;
  }

  /** Adds a list of tools, and the types of those that the vendor runs itself to `leftOut`. */
  add(tools: unknown, leftOut: string[], namespace: string | null = null): void {
    for (const tool of fieldsIn(tools)) this.#addOne(tool, leftOut, namespace);
  }

  #addOne(tool: Fields, leftOut: string[], namespace: string | null): void {
    const type = textOf(tool.type);
    const name = textOf(tool.name);
    const description = textOf(tool.description);
    switch (type) {
      case "namespace":
        this.add(tool.tools, leftOut, name);
        return;
      case "function":
        this.#put({ kind: "function", name, namespace }, description, {
          parameters: isObject(tool.parameters) ? tool.parameters : { type: "object", properties: {} },
          ...(tool.strict === true ? { strict: true } : {}),
        });
        return;
      case "custom":
        this.#put({ kind: "custom", name, namespace }, withGrammar(description, tool.format), {
          parameters: textParameter,
        });
        return;
      case "tool_search":
        if (tool.execution !== "client") break;
        this.#put({ kind: "tool_search", name: "tool_search", namespace: null }, description, {
          parameters: isObject(tool.parameters) ? tool.parameters : { type: "object", properties: {} },
        });
        return;
    }
    if (!hosted.test(type) && type !== "tool_search")
      throw new UnknownTool(`This member has no tool of type \`${type}\`.`);
    leftOut.push(type);
  }

  #put(tool: ToolName, description: string, rest: { parameters: unknown; strict?: boolean }): void {
    const name = this.flat(tool);
    this.#byFlat.set(name, tool);
    const described = description === "" ? {} : { description };
    this.#tools.set(name, { type: "function", function: { name, ...described, ...rest } });
  }
}

const textParameter = {
  type: "object",
  properties: { input: { type: "string", description: "The verbatim input: no JSON, no quotes." } },
  required: ["input"],
  additionalProperties: false,
};

/** The grammar of a custom tool's input, written where a model can read it. */
function withGrammar(description: string, format: unknown): string {
  const definition = isObject(format) ? textOf(format.definition) : "";
  if (!isObject(format) || definition === "") return description;
  return `${description}\n\nThe input follows this ${textOf(format.syntax)} grammar:\n${definition}`.trim();
}
