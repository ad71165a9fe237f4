// Writes a whole message as the stream that was requested: some servers and proxies that speak the Messages API do not stream. The opposite
// of fold.ts. Source: platform.claude.com/docs/en/build-with-claude/streaming

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";

const event = (type: string, fields: Fields) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** Text fields of a block that are sent as deltas, and the delta type of each. */
const growing = {
  text: "text_delta",
  thinking: "thinking_delta",
  signature: "signature_delta",
} as const;

/** The beginning of a block, and the deltas for the rest of it. */
function pieces(block: Fields): { begin: Fields; deltas: Fields[] } {
  const begin: Record<string, unknown> = { ...block };
  const deltas: Fields[] = [];
  for (const [name, type] of Object.entries(growing)) {
    const text = textOf(block[name]);
    if (text === "" || (block.type !== "text" && block.type !== "thinking")) continue;
    begin[name] = "";
    deltas.push({ type, [name]: text });
  }
  for (const citation of fieldsIn(block.type === "text" ? block.citations : [])) {
    begin.citations = [];
    deltas.push({ type: "citations_delta", citation });
  }
  if (isObject(block.input)) {
    begin.input = {};
    if (Object.keys(block.input).length > 0)
      deltas.push({ type: "input_json_delta", partial_json: JSON.stringify(block.input) });
  }
  return { begin, deltas };
}

/** The events of a whole message, with all of its fields and digits. */
export function unfoldedMessage(text: string): string {
  const message = parseAnswerExactly(text);
  if (!isObject(message)) return "";
  const { usage, stop_reason, stop_sequence = null, stop_details } = message;
  const end = { stop_reason, stop_sequence, ...(stop_details === undefined ? {} : { stop_details }) };
  const open = Object.fromEntries(Object.keys(end).map((name) => [name, null]));
  return [
    event("message_start", { message: { ...message, content: [], ...open } }),
    ...fieldsIn(message.content).flatMap((block, index) => {
      const { begin, deltas } = pieces(block);
      return [
        event("content_block_start", { index, content_block: begin }),
        ...deltas.map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index }),
      ];
    }),
    event("message_delta", { delta: end, usage: isObject(usage) ? usage : {} }),
    event("message_stop", {}),
  ].join("");
}
