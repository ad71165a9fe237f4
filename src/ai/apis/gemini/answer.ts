// Writes a chat completion as an answer of Google's Gemini API. Source: ai.google.dev/api/generate-content

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { AnswerRules } from "#ai/apis/api-request.ts";
import { type AnswerPicture, type Counts, readChat } from "#ai/apis/chat-answer.ts";
import type { ToolNames } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { parseExactly } from "#providers/translate/json.ts";
import { packed } from "#providers/translate/reasoning-details.ts";
import { isUnsealed } from "#providers/translate/unsealed-thoughts.ts";

/** What the answer depends on besides the completion. */
export interface ContentRules extends Pick<AnswerRules, "model" | "maker"> {
  /** The id of this answer. */
  stem: string;
  /** The request's tools: calls must use the names that the client knows. */
  names: ToolNames;
  /** The client requested thoughts. */
  thoughts: boolean;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
  signature: string;
}

export const callPart = ({ id, name, arguments: text, signature }: Call, { names }: ContentRules): object => {
  const args = text.trim() === "" ? {} : parseExactly(text);
  return {
    functionCall: {
      ...(id === "" ? {} : { id }),
      name: names.find(name).name,
      args: isObject(args) ? args : { INVALID_JSON: text },
    },
    ...(signature === "" ? {} : { thoughtSignature: signature }),
  };
};

export const picturePart = (picture: AnswerPicture): object =>
  "url" in picture
    ? { text: `![picture](${picture.url})` }
    : { inlineData: { mimeType: picture.mediaType, data: picture.base64 } };

/** Google's finish reason; an unknown one is converted to capitals, as Google writes them. */
export function finishReason(finish: string | null, refused: boolean): string {
  if (finish === "length") return "MAX_TOKENS";
  if (finish === "content_filter" || refused) return "SAFETY";
  return finish === null || finish === "tool_calls" ? "STOP" : finish.toUpperCase();
}

/** Google counts thoughts separately from the answer. */
export const usageMetadata = ({ input, output, cached, reasoning }: Counts): object => ({
  promptTokenCount: input,
  candidatesTokenCount: Math.max(0, output - reasoning),
  ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
  ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
  totalTokenCount: input + output,
});

/** The fields of every answer and every piece of a stream. */
export const responseOf = (
  parts: readonly object[],
  more: object,
  usage: object,
  rules: ContentRules,
): object => ({
  candidates: [{ content: { parts, role: "model" }, ...more, index: 0 }],
  ...usage,
  modelVersion: rules.model,
  responseId: rules.stem,
});

/** The parts of an answer. What the client has to send back is attached to the first call or text that Google did not sign. */
export function withThoughts(parts: readonly object[], details: readonly Fields[]): readonly object[] {
  const own = details.filter(isUnsealed);
  const isFree = (part: object) => !("thoughtSignature" in part || "thought" in part);
  const call = parts.findIndex((part) => "functionCall" in part && isFree(part));
  const at = call === -1 ? parts.findLastIndex((part) => "text" in part && isFree(part)) : call;
  const part = parts[at];
  return own.length === 0 || part === undefined
    ? parts
    : parts.with(at, { ...part, thoughtSignature: packed(own) });
}

/** Returns a `GenerateContentResponse` as JSON, from the JSON of a chat completion. */
export function contentOf(text: string, rules: ContentRules): string {
  const piece = readChat(text);
  const { text: content, reasoning, refusal, pictures, calls, finish, counts } = piece;
  const thoughts = new AnswerThoughts(rules.maker);
  thoughts.add(piece);
  const visible = content + refusal;
  const parts = [
    ...(rules.thoughts && reasoning !== "" ? [{ text: reasoning, thought: true }] : []),
    ...(visible === "" ? [] : [{ text: visible }]),
    ...pictures.map(picturePart),
    ...calls.map((call) => callPart(call, rules)),
  ];
  const usage = counts === null ? {} : { usageMetadata: usageMetadata(counts) };
  return JSON.stringify(
    responseOf(
      withThoughts(parts, thoughts.take()),
      { finishReason: finishReason(finish, refusal !== "") },
      usage,
      rules,
    ),
  );
}
