// Translates a chat completion to a message of Anthropic's Messages API.

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { AnswerRules } from "#ai/apis/api-request.ts";
import { type AnswerPicture, type Counts, callIds, readChat } from "#ai/apis/chat-answer.ts";
import type { ToolNames } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { foreignSignature } from "#providers/anthropic/sealed-thinking.ts";
import { parseExactly } from "#providers/translate/json.ts";
import { packed, sealOf } from "#providers/translate/reasoning-details.ts";
import { hasMaker } from "#providers/translate/unsealed-thoughts.ts";

/** What the answer depends on besides the completion. */
export interface MessageRules extends Pick<AnswerRules, "model" | "maker"> {
  /** The id of this answer; also the stem of ids for calls whose vendor gave no id that other vendors accept. */
  stem: string;
  /** The request's tools: calls must use the names that the client knows. */
  names: ToolNames;
  /** The client requested thoughts. */
  thinking: boolean;
  /** The client requested thoughts or only their signatures: it sends them back. */
  signed: boolean;
}

/** Replaces a signature: what another vendor's model needs back, or a marker if it needs nothing. */
export const signatureFor = (details: readonly Fields[]): string =>
  details.some((detail) => sealOf(detail) !== "" || hasMaker(detail)) ? packed(details) : foreignSignature;

/**
 * Whether to write a thinking block without visible text. `called`: calls follow. After them, members that identify the maker of their
 * thoughts need the thoughts back, even from a client that did not request thoughts.
 */
export const isSilentBlock = (
  details: readonly Fields[],
  { signed }: MessageRules,
  called: boolean,
): boolean => (signed && signatureFor(details) !== foreignSignature) || (called && details.some(hasMaker));

/** The text that replaces an answer's images, since the Messages API has no block for them. Empty if there are none. */
export function pictureNote(pictures: readonly AnswerPicture[]): string {
  const notes = pictures.map((picture) =>
    "url" in picture
      ? `![picture](${picture.url})`
      : `(The model made a picture, ${picture.mediaType}. The Messages API cannot carry it; chat completions and responses can.)`,
  );
  return notes.join("\n");
}

/** Anthropic's stop reason. Some vendors end calls with `stop`. An unknown reason is passed on and does not end a turn. */
export function stopReason(finish: string | null, called: boolean, refused: boolean): string {
  if (finish === "length") return "max_tokens";
  if (finish === "content_filter" || refused) return "refusal";
  if (finish !== null && finish !== "stop" && finish !== "tool_calls") return finish;
  return called ? "tool_use" : "end_turn";
}

/** `input_tokens` excludes tokens read from or written to a cache. */
export function messageUsage({ input, output, cached, cacheWrite, reasoning }: Counts): object {
  return {
    input_tokens: Math.max(0, input - cached - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

/** The call's arguments as an object. Text that is not JSON is put under a key, as Anthropic recommends. */
export function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  const value = parseExactly(text);
  return isObject(value) ? value : { INVALID_JSON: text };
}

/** Returns a Messages API message as JSON, from the JSON of a chat completion. */
export function messageOf(text: string, rules: MessageRules): string {
  const piece = readChat(text);
  const { text: content, reasoning, refusal, pictures, calls, finish, counts } = piece;
  const thoughts = new AnswerThoughts(rules.maker);
  thoughts.add(piece);
  const details = thoughts.take();
  const idOf = callIds("toolu_", rules.stem);
  const visibleText = content + refusal;
  const note = pictureNote(pictures);
  return JSON.stringify({
    id: `msg_${rules.stem}`,
    type: "message",
    role: "assistant",
    model: rules.model,
    content: [
      ...((rules.thinking && reasoning !== "") || isSilentBlock(details, rules, calls.length > 0)
        ? [{ type: "thinking", thinking: rules.thinking ? reasoning : "", signature: signatureFor(details) }]
        : []),
      ...(visibleText === "" ? [] : [{ type: "text", text: visibleText }]),
      ...(note === "" ? [] : [{ type: "text", text: note }]),
      ...calls.map((call) => ({
        type: "tool_use",
        id: idOf(call.id),
        name: rules.names.find(call.name).name,
        input: inputOf(call.arguments),
      })),
    ],
    stop_reason: stopReason(finish, calls.length > 0, refusal !== ""),
    stop_sequence: null,
    usage: messageUsage(counts ?? { input: 0, output: 0, cached: 0, cacheWrite: 0, reasoning: 0 }),
  });
}
