// Signed and sealed thoughts in chat completions: in `reasoning_details`, as OpenRouter has them, and in `thinking_blocks`, as
// LiteLLM has them. Answers have both, and clients send one of them back with the assistant's message. Source:
// openrouter.ai/docs/use-cases/reasoning-tokens and docs.litellm.ai/docs/reasoning_content

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, parseJson, textOf } from "./json.ts";

/** Whose thoughts they are. */
export const claudeFormat = "anthropic-claude-v1";
export const responsesFormat = "openai-responses-v1";
/** Signatures of Gemini, whose `id` tells the part of the answer: `textPlace`, or a picture's `picturePlace`. */
export const geminiFormat = "google-gemini-v1";
const textPlace = "content";
const picturePlace = (index: number) => `images.${index}`;

/** Thoughts of Claude; `signature` empty: not signed yet, as in the pieces of a stream. */
export function thoughtDetail(index: number, text: string, signature: string): Fields {
  return {
    type: "reasoning.text",
    text,
    ...(signature === "" ? {} : { signature }),
    format: claudeFormat,
    index,
  };
}

/** Thoughts that their maker alone can read. */
export function sealedDetail(index: number, data: string, format: string): Fields {
  return { type: "reasoning.encrypted", data, format, index };
}

/** Gemini's signature of a part of its answer: of the text, or of the picture with that number. */
export const partSignature = (index: number, signature: string, picture: number | null): Fields => ({
  ...sealedDetail(index, signature, geminiFormat),
  id: picture === null ? textPlace : picturePlace(picture),
});

/** The newest signature of Gemini's for the text of the message, or for its picture of that number; null if it has none. */
export function signatureOfPart(message: Fields, picture: number | null): string | null {
  const place = picture === null ? textPlace : picturePlace(picture);
  const detail = fieldsIn(message.reasoning_details).findLast(
    ({ format, id }) => format === geminiFormat && id === place,
  );
  const seal = detail === undefined ? "" : sealOf(detail);
  return seal === "" ? null : seal;
}

/** The thoughts that a message of the assistant brings back; empty: none. */
export function detailsOf({ reasoning_details: details, thinking_blocks: blocks }: Fields): Fields[] {
  const own = fieldsIn(details);
  if (own.length > 0) return joined(own);
  return fieldsIn(blocks).map((block, index) =>
    block.type === "redacted_thinking"
      ? sealedDetail(index, textOf(block.data), claudeFormat)
      : thoughtDetail(index, textOf(block.thinking), textOf(block.signature)),
  );
}

/** Details with the pieces of each together. Pieces of one have the same index and follow one another. */
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

/** What only the maker can open of a detail, or of one of LiteLLM's blocks; empty: nothing. */
export function sealOf({ type, signature, data }: Fields): string {
  if (type === "reasoning.text" || type === "thinking") return textOf(signature);
  return type === "reasoning.encrypted" || type === "redacted_thinking" ? textOf(data) : "";
}

/** Claude's details as the blocks of its own API; `null`: not Claude's, or not signed. */
export function thinkingBlock(detail: Fields): Fields | null {
  const { format, text } = detail;
  const seal = sealOf(detail);
  if (seal === "" || (format !== claudeFormat && format !== undefined && format !== null)) return null;
  if (detail.type === "reasoning.text") return { type: "thinking", thinking: textOf(text), signature: seal };
  return format === claudeFormat ? { type: "redacted_thinking", data: seal } : null;
}

/** Marks plain thoughts among what is sealed: their maker's vendor may have them, and a seal is of one account. */
const plainMark = "plain ";

/** Stands for thoughts that nothing seals, as a seal does; empty: there are none. */
export const plainThought = (text: string): string => (text === "" ? "" : plainMark + text);

export const isPlainThought = (value: string): boolean => value.startsWith(plainMark);

/** What begins a seal that was packed here, where a client API has one text for it. No vendor opens it. */
const packedMark = "trunkline-sealed.";

/** The details as one text. */
export const packed = (details: readonly Fields[]): string =>
  packedMark + Buffer.from(JSON.stringify(details)).toString("base64url");

export const hasPacked = (text: string): boolean => text.includes(packedMark);

export const isPacked = (seal: unknown): boolean => typeof seal === "string" && seal.startsWith(packedMark);

/** The details in a text that `packed` made; empty: it is another one, or damaged. */
export function unpacked(seal: unknown): Fields[] {
  if (typeof seal !== "string" || !isPacked(seal)) return [];
  const details = parseJson(Buffer.from(seal.slice(packedMark.length), "base64url").toString("utf8"));
  return fieldsIn(details).filter((detail) => isObject(detail) && textOf(detail.type) !== "");
}
