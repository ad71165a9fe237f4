// Conversations that grow, as every API writes them: many calls, results in another order or of no call, many tools, large
// schemas, references. A shape is written once, and each format has a writer: a new format without one does not compile.

import type { ClientFormat } from "#providers/provider.ts";

type Json = Record<string, unknown>;

interface Item {
  role: "system" | "user" | "assistant" | "call" | "result";
  /** Of a text. */
  text?: string;
  /** Of a call and its result. */
  id?: string;
  name?: string;
}

export interface Conversation {
  items: readonly Item[];
  /** Each item is a message of its own; else those of one side are one message. */
  apart?: boolean;
  tools?: readonly { name: string; schema: Json }[];
  /** Of the answer. */
  schema?: Json;
  /** Parameters that no API knows. */
  more?: Json;
}

export interface Shape {
  name: string;
  /** The small size. */
  size: number;
  make(size: number): Conversation;
}

const range = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at));

const call = (at: number): Item => ({ role: "call", id: `call_${at}`, name: `tool_${at % 7}` });
const result = (at: number): Item => ({
  role: "result",
  id: `call_${at}`,
  name: `tool_${at % 7}`,
  text: "ok",
});
const hello: Item = { role: "user", text: "Hello!" };
const open: Json = { type: "object", properties: {} };

/** A strict schema of many properties, whose names are required in reverse. */
function wide(size: number, property: (at: number) => Json, more: Json = {}): Json {
  const properties = Object.fromEntries(range(size, (at) => [`p${at}`, property(at)]));
  const required = Object.keys(properties).reverse();
  return { type: "object", properties, required, additionalProperties: false, ...more };
}

const ofSchema = (name: string, size: number, schema: (size: number) => Json): Shape[] => [
  {
    name: `the answer's schema has ${name}`,
    size,
    make: (size) => ({ items: [hello], schema: schema(size) }),
  },
  {
    name: `a tool's schema has ${name}`,
    size,
    make: (size) => ({ items: [hello], tools: [{ name: "tool", schema: schema(size) }] }),
  },
];

type Draft = Omit<Shape, "size"> & Partial<Shape>;

const drafts: readonly Draft[] = [
  { name: "calls and results", make: (size) => ({ items: [...range(size, call), ...range(size, result)] }) },
  {
    name: "results in reverse",
    make: (size) => ({ items: [...range(size, call), ...range(size, result).reverse()] }),
  },
  {
    name: "results of other calls",
    make: (size) => ({ items: [...range(size, call), ...range(size, (at) => result(size + at))] }),
  },
  { name: "results without a call", make: (size) => ({ items: [hello, ...range(size, result)] }) },
  { name: "calls without a result", make: (size) => ({ items: [hello, ...range(size, call)] }) },
  {
    name: "each result behind its call",
    make: (size) => ({ apart: true, items: range(size, (at) => [call(at), result(at)]).flat() }),
  },
  {
    name: "calls and results apart, in reverse",
    make: (size) => ({ apart: true, items: [...range(size, call), ...range(size, result).reverse()] }),
  },
  {
    name: "calls without ids, of one tool",
    make: (size) => ({
      items: [
        ...range(size, (): Item => ({ role: "call", id: "", name: "tool" })),
        ...range(size, (): Item => ({ role: "result", id: "", name: "tool", text: "ok" })),
      ],
    }),
  },
  {
    name: "calls and results of one id",
    make: (size) => ({
      items: [
        ...range(size, (at): Item => ({ ...call(at), id: "one" })),
        ...range(size, (at): Item => ({ ...result(at), id: "one" })),
      ],
    }),
  },
  {
    name: "texts of the user in one message",
    make: (size) => ({ items: range(size, (at): Item => ({ role: "user", text: `text ${at}` })) }),
  },
  {
    name: "texts of all sides in messages of their own",
    make: (size) => ({
      apart: true,
      items: range(size, (at): Item => ({ role: at % 3 === 0 ? "assistant" : "user", text: `text ${at}` })),
    }),
  },
  {
    name: "system messages",
    make: (size) => ({
      apart: true,
      items: [...range(size, (at): Item => ({ role: "system", text: `text ${at}` })), hello],
    }),
  },
  {
    name: "tools",
    make: (size) => ({ items: [hello], tools: range(size, (at) => ({ name: `tool_${at}`, schema: open })) }),
  },
  {
    name: "tools whose names differ in signs that are not allowed",
    make: (size) => ({
      items: [hello],
      tools: range(size, (at) => ({
        name: `t ${range(14, (bit) => ((at >> bit) & 1 ? "." : "/")).join("")}`,
        schema: open,
      })),
    }),
  },
  {
    name: "tools of one name",
    make: (size) => ({ items: [hello], tools: range(size, () => ({ name: "tool", schema: open })) }),
  },
  { name: "unknown parameters", make: (size) => ({ items: [hello], more: wide(size, () => ({})) }) },
  ...ofSchema("many properties", 200, (size) => wide(size, () => ({ type: "string" }))),
  ...ofSchema("a chain of references", 30, (size) =>
    wide(size, (at) => ({ $ref: `#/$defs/d${at}` }), {
      $defs: Object.fromEntries(range(size, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])),
    }),
  ),
  ...ofSchema("properties that refer to it", 60, (size) => wide(size, () => ({ $ref: "#" }))),
  ...ofSchema("many references to a long one", 20, (size) =>
    wide(size, () => ({ $ref: "#/$defs/long" }), { $defs: { long: { $ref: "#/a".repeat(size * 200) } } }),
  ),
  ...ofSchema("many references to a long value", 20, (size) =>
    wide(size, () => ({ $ref: "#/$defs/long" }), { $defs: { long: { default: "a".repeat(size * 2_000) } } }),
  ),
  ...ofSchema("alternatives", 60, (size) =>
    wide(1, () => ({ anyOf: range(size, (at) => ({ type: "string", enum: [`v${at}`] })) })),
  ),
];

export const shapes: readonly Shape[] = drafts.map((draft) => ({ size: 100, ...draft }));

/** Items as messages: those of one side together, unless they are apart. */
function messagesOf<Message>(
  { items, apart = false }: Conversation,
  sideOf: (item: Item) => string,
  write: (side: string, items: readonly Item[]) => Message,
): Message[] {
  const groups: { side: string; items: Item[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const side = sideOf(item);
    if (last?.side === side && !apart) last.items.push(item);
    else groups.push({ side, items: [item] });
  }
  return groups.map((group) => write(group.side, group.items));
}

/** What a list holds, where it holds something. */
const some = (name: string, list: readonly unknown[]): Json => (list.length === 0 ? {} : { [name]: list });

const isText = ({ role }: Item) => role !== "call" && role !== "result";

/** Writes a conversation as the body of a request. */
export const writers: Readonly<Record<ClientFormat, (conversation: Conversation) => Json>> = {
  chat_completions: (conversation) => ({
    ...conversation.more,
    messages: messagesOf(
      conversation,
      ({ role }) => (role === "call" ? "assistant" : role),
      (role, items): Json[] => {
        if (role === "result")
          return items.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
        const texts = items.filter(isText).map(({ text }) => ({ type: "text", text }));
        const calls = items
          .filter((item) => item.role === "call")
          .map(({ id, name }) => ({ id, type: "function", function: { name, arguments: "{}" } }));
        return [{ role, content: texts.length === 0 ? null : texts, ...some("tool_calls", calls) }];
      },
    ).flat(),
    ...some(
      "tools",
      (conversation.tools ?? []).map(({ name, schema }) => ({
        type: "function",
        function: { name, parameters: schema },
      })),
    ),
    ...(conversation.schema
      ? {
          response_format: {
            type: "json_schema",
            json_schema: { name: "answer", schema: conversation.schema, strict: true },
          },
        }
      : {}),
  }),

  messages: (conversation) => ({
    ...conversation.more,
    max_tokens: 100,
    messages: messagesOf(
      conversation,
      ({ role }) => (role === "call" ? "assistant" : role === "result" ? "user" : role),
      (role, items): Json => ({
        role,
        content: items.map((item) => {
          if (item.role === "call") return { type: "tool_use", id: item.id, name: item.name, input: {} };
          if (item.role === "result")
            return { type: "tool_result", tool_use_id: item.id, content: item.text };
          return { type: "text", text: item.text };
        }),
      }),
    ),
    ...some(
      "tools",
      (conversation.tools ?? []).map(({ name, schema }) => ({ name, input_schema: schema })),
    ),
    ...(conversation.schema
      ? { output_config: { format: { type: "json_schema", schema: conversation.schema } } }
      : {}),
  }),

  responses: (conversation) => ({
    ...conversation.more,
    input: messagesOf(
      conversation,
      ({ role }) => role,
      (role, items): Json[] => {
        if (role === "call")
          return items.map(({ id, name }) => ({ type: "function_call", call_id: id, name, arguments: "{}" }));
        if (role === "result")
          return items.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
        const type = role === "assistant" ? "output_text" : "input_text";
        return [{ type: "message", role, content: items.map(({ text }) => ({ type, text })) }];
      },
    ).flat(),
    ...some(
      "tools",
      (conversation.tools ?? []).map(({ name, schema }) => ({ type: "function", name, parameters: schema })),
    ),
    ...(conversation.schema
      ? { text: { format: { type: "json_schema", name: "answer", schema: conversation.schema } } }
      : {}),
  }),

  compaction: (conversation) => writers.responses(conversation),

  // It has no turns, tools and schemas.
  completions: ({ items, more }) => ({ ...more, prompt: items.map(({ text = "" }) => text) }),

  gemini: (conversation) => ({
    ...conversation.more,
    contents: messagesOf(
      conversation,
      ({ role }) => (role === "call" || role === "assistant" ? "model" : "user"),
      (role, items): Json => ({
        role,
        parts: items.map((item) => {
          const id = item.id === "" ? {} : { id: item.id };
          if (item.role === "call") return { functionCall: { ...id, name: item.name, args: {} } };
          if (item.role === "result")
            return { functionResponse: { ...id, name: item.name, response: { output: item.text } } };
          return { text: item.text };
        }),
      }),
    ),
    ...some(
      "tools",
      (conversation.tools ?? []).map(({ name, schema }) => ({
        functionDeclarations: [{ name, parametersJsonSchema: schema }],
      })),
    ),
    ...(conversation.schema
      ? {
          generationConfig: {
            responseMimeType: "application/json",
            responseJsonSchema: conversation.schema,
          },
        }
      : {}),
  }),
};
