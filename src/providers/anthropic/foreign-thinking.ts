// Thoughts of other vendors' models, as clients of the Messages API are shown them. Anthropic takes only thoughts that
// it signed itself, so these carry a mark in place of a signature, and are taken out of what is sent to it.

import { withMembers } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import { fieldsIn, parseExactly } from "#providers/translate/json.ts";

/** In place of the signature of thoughts that Anthropic did not sign. */
export const foreignSignature = "trunkline-unsigned";

const isForeign = (block: unknown) =>
  isObject(block) && block.type === "thinking" && block.signature === foreignSignature;

/** The text of a request to Anthropic without such thoughts; nearly every text is returned as it is. */
export function withoutForeignThinking(text: string): string {
  if (!text.includes(foreignSignature)) return text;
  const body = parseExactly(text);
  if (!isObject(body)) return text;
  const messages = fieldsIn(body.messages).flatMap((message) => {
    if (!Array.isArray(message.content) || !message.content.some(isForeign)) return [message];
    const content = message.content.filter((block) => !isForeign(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return withMembers(text, { messages: JSON.stringify(messages) });
}
