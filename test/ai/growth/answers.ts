// Streams of answers that grow, as every vendor sends them: many pieces of a text, many blocks, many calls, calls side by
// side. A stream is written once, as what its pieces say, and each wire has a writer: a new wire without one does not compile.

import type { ClientFormat, VendorEvent } from "#providers/provider.ts";

type Json = Record<string, unknown>;

/** A piece of a call, which is known by `at`; the first one has its name. */
interface CallPiece {
  kind: "call";
  at: number;
  name?: string;
  args: string;
}

/** What one event says. */
export type Piece = { kind: "text"; text: string } | { kind: "thought"; text: string } | CallPiece;

interface Answer {
  name: string;
  /** The small size. */
  size: number;
  make(size: number): Piece[];
}

const range = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at));

const opened = (at: number, args: string): Piece => ({ kind: "call", at, name: `tool_${at % 7}`, args });
const more = (at: number, args: string): Piece => ({ kind: "call", at, args });

export const answers: readonly Answer[] = [
  {
    name: "a text in pieces",
    size: 100,
    make: (size) => range(size, () => ({ kind: "text", text: "word " })),
  },
  {
    name: "thoughts in pieces",
    size: 100,
    make: (size) => [
      ...range(size, (): Piece => ({ kind: "thought", text: "so " })),
      { kind: "text", text: "!" },
    ],
  },
  {
    name: "thoughts and texts by turns",
    // The whole answer in the last event is so long at both sizes that its values are counted.
    size: 400,
    make: (size) =>
      range(size, (): Piece[] => [
        { kind: "thought", text: "so " },
        { kind: "text", text: "word " },
      ]).flat(),
  },
  { name: "calls", size: 15, make: (size) => range(size, (at) => opened(at, "{}")) },
  {
    name: "a call in pieces",
    size: 100,
    make: (size) => [opened(0, '{"a":"'), ...range(size, () => more(0, "x")), more(0, '"}')],
  },
  {
    name: "calls side by side",
    size: 15,
    make: (size) => [...range(size, (at) => opened(at, "{")), ...range(size, (at) => more(at, "}"))],
  },
  {
    name: "calls side by side, ended in reverse",
    size: 15,
    make: (size) => [
      ...range(size, (at) => opened(at, "{")),
      ...range(size, (at) => more(at, "}")).reverse(),
    ],
  },
  {
    name: "calls with thoughts between them",
    size: 15,
    make: (size) => range(size, (at): Piece[] => [{ kind: "thought", text: "so " }, opened(at, "{}")]).flat(),
  },
];

/** How vendors send streams: the formats of clients, and Bedrock's. */
/** A compaction is no stream. */
export type StreamedFormat = Exclude<ClientFormat, "compaction">;
export type Wire = StreamedFormat | "converse";

/** A text, thoughts or a call: pieces of one kind are one block, and a call's are one, however they come. */
interface Block {
  at: number;
  first: Piece;
  texts: string[];
}

/** Each piece with its block; `ended`: the block before it, where that is no call. */
function blocksOf(pieces: readonly Piece[]) {
  const blocks: Block[] = [];
  const calls = new Map<number, Block>();
  let last: Block | null = null;
  const steps = pieces.map((piece) => {
    const known =
      piece.kind === "call" ? calls.get(piece.at) : last?.first.kind === piece.kind ? last : undefined;
    const block = known ?? { at: blocks.length, first: piece, texts: [] };
    block.texts.push(piece.kind === "call" ? piece.args : piece.text);
    if (known === undefined) blocks.push(block);
    if (piece.kind === "call" && known === undefined) calls.set(piece.at, block);
    const ended = last !== null && last !== block && last.first.kind !== "call" ? last : null;
    last = block;
    return { piece, block, isNew: known === undefined, ended };
  });
  return { steps, blocks };
}

const idOf = ({ at }: { at: number }) => `call_${at}`;
const nameOf = (piece: Piece) => (piece.kind === "call" ? (piece.name ?? "") : "");
const named = (type: string, rest: Json): VendorEvent => ({
  event: type,
  data: JSON.stringify({ type, ...rest }),
});
const bare = (event: string | null, data: Json): VendorEvent => ({ event, data: JSON.stringify(data) });

/** A chunk of OpenAI's. */
function chatChunk(delta: Json, finish: string | null): Json {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices };
}

/** The chunks of a stream of OpenAI's, without its end mark. */
export function chatChunks(pieces: readonly Piece[]): Json[] {
  const isCalled = pieces.some(({ kind }) => kind === "call");
  return [
    chatChunk({ role: "assistant", content: "" }, null),
    ...pieces.map((piece) => {
      if (piece.kind === "text") return chatChunk({ content: piece.text }, null);
      if (piece.kind === "thought") return chatChunk({ reasoning_content: piece.text }, null);
      const { at, name, args } = piece;
      const head = name === undefined ? {} : { id: idOf(piece), type: "function" };
      const call = { index: at, ...head, function: { ...(name && { name }), arguments: args } };
      return chatChunk({ tool_calls: [call] }, null);
    }),
    chatChunk({}, isCalled ? "tool_calls" : "stop"),
  ];
}

/** A block as an item of the Responses API. */
function itemOf({ first, at, texts }: Block, isDone: boolean): Json {
  const text = isDone ? texts.join("") : "";
  const status = isDone ? "completed" : "in_progress";
  if (first.kind === "thought")
    return { type: "reasoning", id: `rs_${at}`, summary: isDone ? [{ type: "summary_text", text }] : [] };
  if (first.kind === "text") {
    const content = isDone ? [{ type: "output_text", text, annotations: [] }] : [];
    return { type: "message", id: `msg_${at}`, role: "assistant", status, content };
  }
  return {
    type: "function_call",
    id: `fc_${at}`,
    call_id: idOf(first),
    name: nameOf(first),
    arguments: text,
    status,
  };
}

export const streams: Readonly<Record<Wire, (pieces: readonly Piece[]) => VendorEvent[]>> = {
  chat_completions: (pieces) => [
    ...chatChunks(pieces).map((chunk) => bare(null, chunk)),
    { event: null, data: "[DONE]" },
  ],

  // A completion of a text has nothing but text.
  completions: (pieces) => [
    ...pieces.map((piece) =>
      bare(null, {
        id: "cmpl_1",
        object: "text_completion",
        created: 1,
        model: "m",
        choices: [
          {
            index: 0,
            text: piece.kind === "call" ? piece.args : piece.text,
            finish_reason: null,
            logprobs: null,
          },
        ],
      }),
    ),
    bare(null, {
      id: "cmpl_1",
      object: "text_completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, text: "", finish_reason: "stop", logprobs: null }],
    }),
    { event: null, data: "[DONE]" },
  ],

  messages: (pieces) => {
    const { steps, blocks } = blocksOf(pieces);
    const start = ({ first }: Block): Json => {
      if (first.kind === "text") return { type: "text", text: "" };
      if (first.kind === "thought") return { type: "thinking", thinking: "", signature: "" };
      return { type: "tool_use", id: idOf(first), name: nameOf(first), input: {} };
    };
    const delta = (piece: Piece): Json => {
      if (piece.kind === "text") return { type: "text_delta", text: piece.text };
      if (piece.kind === "thought") return { type: "thinking_delta", thinking: piece.text };
      return { type: "input_json_delta", partial_json: piece.args };
    };
    const stop = ({ at }: Block) => named("content_block_stop", { index: at });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage };
    const open = blocks.filter(({ first }, at) => first.kind === "call" || at === blocks.length - 1);
    const isCalled = blocks.some(({ first }) => first.kind === "call");
    return [
      named("message_start", { message }),
      ...steps.flatMap(({ piece, block, isNew, ended }) => [
        ...(isNew && ended ? [stop(ended)] : []),
        ...(isNew ? [named("content_block_start", { index: block.at, content_block: start(block) })] : []),
        named("content_block_delta", { index: block.at, delta: delta(piece) }),
      ]),
      ...open.map(stop),
      named("message_delta", { delta: { stop_reason: isCalled ? "tool_use" : "end_turn" }, usage }),
      named("message_stop", {}),
    ];
  },

  responses: (pieces) => {
    const { steps, blocks } = blocksOf(pieces);
    const response = { id: "resp_1", object: "response", created_at: 1, model: "m" };
    const delta = ({ at, first }: Block, piece: Piece): VendorEvent => {
      const place = { output_index: at, item_id: itemOf({ at, first, texts: [] }, false).id };
      const text = piece.kind === "call" ? piece.args : piece.text;
      if (piece.kind === "call")
        return named("response.function_call_arguments.delta", { ...place, delta: text });
      if (piece.kind === "text")
        return named("response.output_text.delta", { ...place, content_index: 0, delta: text });
      return named("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta: text });
    };
    const added = (block: Block) =>
      named("response.output_item.added", { output_index: block.at, item: itemOf(block, false) });
    const done = (block: Block) =>
      named("response.output_item.done", { output_index: block.at, item: itemOf(block, true) });
    const output = blocks.map((block) => itemOf(block, true));
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      named("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      ...steps.flatMap(({ piece, block, isNew }) => [...(isNew ? [added(block)] : []), delta(block, piece)]),
      ...blocks.map(done),
      named("response.completed", { response: { ...response, status: "completed", output, usage } }),
    ];
  },

  gemini: (pieces) => {
    const usage = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const event = (parts: Json[], more: Json = {}, rest: Json = {}) =>
      bare(null, {
        candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
        modelVersion: "m",
        ...rest,
      });
    // Calls come whole.
    const part = (piece: Piece): Json[] => {
      if (piece.kind !== "call")
        return [{ text: piece.text, ...(piece.kind === "thought" && { thought: true }) }];
      return piece.name === undefined ? [] : [{ functionCall: { name: piece.name, args: { at: piece.at } } }];
    };
    return [
      ...pieces.map((piece) => event(part(piece))),
      event([], { finishReason: "STOP" }, { usageMetadata: usage }),
    ];
  },

  converse: (pieces) => {
    const { steps, blocks } = blocksOf(pieces);
    const delta = (piece: Piece): Json => {
      if (piece.kind === "text") return { text: piece.text };
      if (piece.kind === "thought") return { reasoningContent: { text: piece.text } };
      return { toolUse: { input: piece.args } };
    };
    const start = ({ first, at }: Block) =>
      first.kind === "call"
        ? [
            bare("contentBlockStart", {
              contentBlockIndex: at,
              start: { toolUse: { toolUseId: idOf(first), name: nameOf(first) } },
            }),
          ]
        : [];
    const isCalled = blocks.some(({ first }) => first.kind === "call");
    return [
      bare("messageStart", { role: "assistant" }),
      ...steps.flatMap(({ piece, block, isNew }) => [
        ...(isNew ? start(block) : []),
        bare("contentBlockDelta", { contentBlockIndex: block.at, delta: delta(piece) }),
      ]),
      ...blocks.map(({ at }) => bare("contentBlockStop", { contentBlockIndex: at })),
      bare("messageStop", { stopReason: isCalled ? "tool_use" : "end_turn" }),
      bare("metadata", { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }),
    ];
  },
};
