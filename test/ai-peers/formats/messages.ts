// A member that speaks Anthropic's Messages API.

import type { Offered, Step } from "../turn.ts";
import {
  checkCalls,
  type Format,
  isSealedBy,
  type Json,
  listOf,
  newId,
  parametersOf,
  Refusal,
  seal,
  textOf,
} from "./format.ts";

const usage = { input_tokens: 900, output_tokens: 40 };

const contentOf = ({ thought, text, call }: Step, member: string): Json[] => [
  ...(thought === null ? [] : [{ type: "thinking", thinking: thought, signature: seal(member, thought) }]),
  { type: "text", text },
  ...(call === null
    ? []
    : [{ type: "tool_use", id: newId("toolu"), name: call.tool.name, input: JSON.parse(call.input) }]),
];

const stopReason = (step: Step) => (step.call === null ? "end_turn" : "tool_use");

export const messages: Format = {
  path: "/messages",
  read(body, member) {
    if (typeof body.max_tokens !== "number") throw new Refusal("max_tokens: Field required");
    const tools = listOf(body.tools).map((tool): Offered => {
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name))) {
        throw new Refusal(`tools: '${String(tool.name)}' is not a name.`);
      }
      return { name: String(tool.name), kind: "function", parameters: parametersOf(tool.input_schema) };
    });
    const results: string[] = [];
    let open: string[] = [];
    for (const [at, { role, content }] of listOf(body.messages).entries()) {
      const blocks = listOf(content);
      if (role === "system") continue;
      if (role !== "user" && role !== "assistant") {
        throw new Refusal(`messages.${at}.role: Input should be 'user' or 'assistant'`);
      }
      const found = blocks.filter(({ type }) => type === "tool_result");
      if (role === "user" && (open.length > 0 || found.length > 0)) {
        const ids = found.map(({ tool_use_id }) => String(tool_use_id));
        checkCalls(open, ids, `messages.${at}: each tool_use block must have one tool_result block.`);
        open = [];
        results.push(...found.map((block) => textOf(block.content)));
      }
      if (role === "assistant") {
        if (open.length > 0) throw new Refusal(`messages.${at}: a tool_result block is missing.`);
        open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
        if (blocks.some(({ type, signature }) => type === "thinking" && !isSealedBy(member, signature))) {
          throw new Refusal(`messages.${at}: Invalid \`signature\` in \`thinking\` block`);
        }
      }
    }
    if (open.length > 0) throw new Refusal("messages: the last tool_use block has no tool_result block.");
    const { format } = (body.output_config ?? {}) as { format?: { schema?: Json } };
    const schema = format?.schema ?? null;
    return { model: String(body.model), tools, results, stream: body.stream === true, schema };
  },
  stream({ step, turn, member }) {
    const event = (type: string, fields: Json) => ({ name: type, data: JSON.stringify({ type, ...fields }) });
    const start = { id: newId("msg"), type: "message", role: "assistant", model: turn.model, content: [] };
    const deltas = (block: Json): { empty: Json; pieces: Json[] } => {
      if (block.type === "thinking") {
        return {
          empty: { type: "thinking", thinking: "", signature: "" },
          pieces: [
            { type: "thinking_delta", thinking: block.thinking },
            { type: "signature_delta", signature: block.signature },
          ],
        };
      }
      if (block.type === "text") {
        return { empty: { type: "text", text: "" }, pieces: [{ type: "text_delta", text: block.text }] };
      }
      const input = JSON.stringify(block.input);
      const half = Math.floor(input.length / 2);
      return {
        empty: { ...block, input: {} },
        pieces: [input.slice(0, half), input.slice(half)].map((piece) => ({
          type: "input_json_delta",
          partial_json: piece,
        })),
      };
    };
    return [
      event("message_start", { message: { ...start, stop_reason: null, stop_sequence: null, usage } }),
      ...contentOf(step, member).flatMap((block, index) => {
        const { empty, pieces } = deltas(block);
        return [
          event("content_block_start", { index, content_block: empty }),
          ...pieces.map((delta) => event("content_block_delta", { index, delta })),
          event("content_block_stop", { index }),
        ];
      }),
      event("message_delta", { delta: { stop_reason: stopReason(step), stop_sequence: null }, usage }),
      event("message_stop", {}),
    ];
  },
  whole({ step, turn, member }) {
    return {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model: turn.model,
      content: contentOf(step, member),
      stop_reason: stopReason(step),
      stop_sequence: null,
      usage,
    };
  },
  refusal: ({ message, code }) => ({ type: "error", error: { type: code, message } }),
};
