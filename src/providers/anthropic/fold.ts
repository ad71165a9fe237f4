// Folds the events of a Messages stream into the whole message (`whole_answers: stream`): the answer that Anthropic would have given
// without streaming. Source: platform.claude.com/docs/en/build-with-claude/streaming

import { type Fields, isObject } from "#contract/normalise.ts";
import type { Chunk, Usage } from "#providers/provider.ts";
import { parseAnswerExactly, textOf } from "#providers/translate/json.ts";
import { mergeUsage } from "./answer.ts";

/** A content block, and the text of its input so far. */
interface Block {
  fields: Record<string, unknown>;
  input: string;
}

/** The message as JSON text, with every number in its original spelling, and its usage. For events of one complete stream. */
export function foldedMessage(chunks: readonly Chunk[]): { text: string; usage: Usage | null } {
  const blocks = new Map<unknown, Block>();
  let message: Fields = {};
  let usage: Usage | null = null;
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const value = parseAnswerExactly(chunk.text);
    if (!isObject(value)) continue;
    const { type, index, delta, usage: counted, ...rest } = value;
    if (type === "message_start" && isObject(value.message)) message = { ...value.message };
    else if (type === "content_block_start" && isObject(value.content_block))
      blocks.set(index, { fields: { ...value.content_block }, input: "" });
    else if (type === "content_block_delta" && isObject(delta)) {
      const block = blocks.get(index);
      if (block !== undefined) add(block, delta);
    } else if (type === "message_delta") {
      const counts = mergeUsage(isObject(message.usage) ? message.usage : {}, counted);
      message = { ...message, ...rest, ...(isObject(delta) ? delta : {}), usage: counts };
    }
  }
  const content = [...blocks.values()].map(finished);
  return { text: JSON.stringify({ ...message, content }), usage };
}

/** Texts of a block are concatenated; a citation is appended to its list. Texts of an unknown kind of delta are concatenated too. */
function add(block: Block, { type, ...delta }: Fields): void {
  if (type === "input_json_delta") {
    block.input += textOf(delta.partial_json);
    return;
  }
  const { fields } = block;
  for (const name in delta) {
    const value = delta[name];
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (name === "__proto__") continue;
    if (type === "citations_delta" && name === "citation")
      fields.citations = [...(Array.isArray(fields.citations) ? fields.citations : []), value];
    else fields[name] = typeof value === "string" && typeof before === "string" ? before + value : value;
  }
}

/** Truncated input that is not JSON is kept as Anthropic recommends for such input. */
function finished({ fields, input }: Block): Fields {
  if (input.trim() === "") return fields;
  return { ...fields, input: parseAnswerExactly(input) ?? { INVALID_JSON: input } };
}
