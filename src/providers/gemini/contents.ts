// Writes a conversation as Gemini's contents: function responses directly after their calls, in the same order and
// without text (which breaks the pairing and yields a 400); otherwise `user` and `model` alternate. Source:
// ai.google.dev/api/caching#Content, /gemini-api/docs/function-calling, /gemini-api/docs/thought-signatures

import { isObject } from "#contract/normalise.ts";
import type { Call, Turn } from "#providers/translate/conversation.ts";
import { parseExactly } from "#providers/translate/json.ts";
import type { Part, TextPart } from "#providers/translate/message-parts.ts";

type GeminiPart = Record<string, unknown>;

interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

/** Google's marker for unsigned calls: made by another model, or with a lost signature. */
export const skipSignature = "skip_thought_signature_validator";

/**
 * `signs`: the model uses call ids and requires a signature on the first call of a turn (Gemini 3 and later).
 */
export function geminiContents(
  turns: readonly Turn[],
  signs: boolean,
): { contents: GeminiContent[]; issue: string | null } {
  const contents: GeminiContent[] = [];
  const issues: string[] = [];
  for (const turn of turns) {
    contents.push({
      role: turn.role === "assistant" ? "model" : "user",
      parts: partsOf(turn, signs, issues),
    });
  }
  return { contents, issue: issues[0] ?? null };
}

/** The system text, one part for each message. */
export function geminiSystem(system: readonly TextPart[]): { parts: GeminiPart[] } | null {
  return system.length === 0 ? null : { parts: system.map(({ text }) => ({ text })) };
}

function partsOf(turn: Turn, signs: boolean, issues: string[]): GeminiPart[] {
  if (turn.role === "user") return turn.parts.map(partOf);
  if (turn.role === "assistant") {
    return [...turn.parts.map(partOf), ...turn.calls.map((call, at) => callPart(call, signs, at === 0))];
  }
  return turn.results.map(({ call, parts }) => {
    if (parts.some(({ kind }) => kind !== "text")) issues.push("Gemini takes text alone as a tool's result.");
    const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
    return { functionResponse: { ...idOf(call, signs), name: call.name, response: responseOf(text) } };
  });
}

/** An object is the response itself; any other text becomes its `output`. */
function responseOf(text: string): object {
  const value = /^\s*\{/.test(text) ? parseExactly(text) : undefined;
  return isObject(value) ? value : { output: text };
}

const idOf = ({ id }: Call, signs: boolean) => (signs ? { id } : {});

function callPart(call: Call, signs: boolean, first: boolean): GeminiPart {
  const { name, arguments: text, signature } = call;
  const parsed = parseExactly(text);
  const args = isObject(parsed) ? parsed : text.trim() === "" ? {} : { INVALID_JSON: text };
  const sign = signature ?? (signs && first ? skipSignature : null);
  return {
    functionCall: { ...idOf(call, signs), name, args },
    ...(sign === null ? {} : { thoughtSignature: sign }),
  };
}

function partOf(part: Part): GeminiPart {
  if (part.kind === "text") return { text: part.text };
  if (part.kind === "data") return { inlineData: { mimeType: part.mediaType, data: part.base64 } };
  const type = part.mediaType === null ? {} : { mimeType: part.mediaType };
  return { fileData: { ...type, fileUri: part.url } };
}
