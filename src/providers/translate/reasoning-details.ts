// Signed and sealed thoughts in chat completions: in `reasoning_details`, as in OpenRouter, and in `thinking_blocks`, as in LiteLLM.
// Answers contain both, and clients send one of them back with the assistant's message. Source:
// openrouter.ai/docs/use-cases/reasoning-tokens and docs.litellm.ai/docs/reasoning_content

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, parseJson, textOf } from "./json.ts";

/** The maker of the thoughts. */
export const claudeFormat = "anthropic-claude-v1";
export const responsesFormat = "openai-responses-v1";
/** Signatures of Gemini, whose `id` identifies the part of the answer: `textPlace`, or an image's `picturePlace`. */
export const geminiFormat = "google-gemini-v1";
const textPlace = "content";
const picturePlace = (index: number) => `images.${index}`;

/** Thoughts of Claude; `signature` is empty while not signed, as in the pieces of a stream. */
export function thoughtDetail(index: number, text: string, signature: string): Fields {
  return {
    type: "reasoning.text",
    text,
    ...(signature === "" ? {} : { signature }),
    format: claudeFormat,
    index,
  };
}

/** Thoughts that only their maker can read. */
export function sealedDetail(index: number, data: string, format: string): Fields {
  return { type: "reasoning.encrypted", data, format, index };
}

/** Gemini's signature of a part of its answer: of the text, or of the image with that number. */
export const partSignature = (index: number, signature: string, picture: number | null): Fields => ({
  ...sealedDetail(index, signature, geminiFormat),
  id: picture === null ? textPlace : picturePlace(picture),
});

/** Gemini's newest signature for the text of the message, or for its image of that number; null if it has none. */
export function signatureOfPart(message: Fields, picture: number | null): string | null {
  const place = picture === null ? textPlace : picturePlace(picture);
  const detail = fieldsIn(message.reasoning_details).findLast(
    ({ format, id }) => format === geminiFormat && id === place,
  );
  const seal = detail === undefined ? "" : sealOf(detail);
  return seal === "" ? null : seal;
}

/** The thoughts that an assistant message brings back; empty if there are none. */
export function detailsOf({ reasoning_details: details, thinking_blocks: blocks }: Fields): Fields[] {
  const own = fieldsIn(details);
  if (own.length > 0) return joined(own);
  return fieldsIn(blocks).map((block, index) =>
    block.type === "redacted_thinking"
      ? sealedDetail(index, textOf(block.data), claudeFormat)
      : thoughtDetail(index, textOf(block.thinking), textOf(block.signature)),
  );
}

/** Details with the pieces of each joined. Pieces of one detail have the same index and follow one another. */
export function joined(pieces: readonly Fields[]): Fields[] {
  const details: Record<string, unknown>[] = [];
  for (const piece of pieces) {
    const last = details.at(-1);
    const goesOn =
      last !== undefined &&
      piece.type === "reasoning.text" &&
      last.type === "reasoning.text" &&
      piece.index !== undefined &&
      piece.index === last.index &&
      sealOf(last) === "";
    if (!goesOn) details.push({ ...piece });
    else Object.assign(last, piece, { text: textOf(last.text) + textOf(piece.text) });
  }
  return details;
}

/** The part of a detail, or of one of LiteLLM's blocks, that only the maker can open; empty if there is none. */
export function sealOf({ type, signature, data }: Fields): string {
  if (type === "reasoning.text" || type === "thinking") return textOf(signature);
  return type === "reasoning.encrypted" || type === "redacted_thinking" ? textOf(data) : "";
}

/** Claude's details as the blocks of its own API; `null` if they are not Claude's or not signed. */
export function thinkingBlock(detail: Fields): Fields | null {
  const { format, text } = detail;
  const seal = sealOf(detail);
  if (seal === "" || (format !== claudeFormat && format !== undefined && format !== null)) return null;
  if (detail.type === "reasoning.text") return { type: "thinking", thinking: textOf(text), signature: seal };
  return format === claudeFormat ? { type: "redacted_thinking", data: seal } : null;
}

/**
 * Distinguishes plain thoughts from sealed values: all members of the maker's vendor may receive them, while a seal belongs to one account.
 */
const plainMark = "plain ";

/** Identifies thoughts that are not sealed, as a seal does; empty if there are none. */
export const plainThought = (text: string): string => (text === "" ? "" : plainMark + text);

export const isPlainThought = (value: string): boolean => value.startsWith(plainMark);

/** The prefix of a seal that was packed here because a client API has only one text for it. No vendor can open it. */
const packedMark = "trunkline-sealed.";

/** The details as one text. */
export const packed = (details: readonly Fields[]): string =>
  packedMark + Buffer.from(JSON.stringify(details)).toString("base64url");

export const hasPacked = (text: string): boolean => text.includes(packedMark);

export const isPacked = (seal: unknown): boolean => typeof seal === "string" && seal.startsWith(packedMark);

/** The details in a text that `packed` created; empty if it is a different text or damaged. */
export function unpacked(seal: unknown): Fields[] {
  if (typeof seal !== "string" || !isPacked(seal)) return [];
  const details = parseJson(Buffer.from(seal.slice(packedMark.length), "base64url").toString("utf8"));
  return fieldsIn(details).filter((detail) => isObject(detail) && textOf(detail.type) !== "");
}
