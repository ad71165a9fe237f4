// Writes a conversation as Gemini's contents: function responses directly after their calls, in the same order and
// without text (which breaks the pairing and yields a 400); otherwise `user` and `model` alternate. Source:
// ai.google.dev/api/caching#Content, /gemini-api/docs/function-calling, /gemini-api/docs/thought-signatures

import { isObject } from "#contract/normalise.ts";
import type { Call, Turn } from "#providers/translate/conversation.ts";
import { parseExactly } from "#providers/translate/json.ts";
import type { Part, TextPart } from "#providers/translate/message-parts.ts";
import { skipSignature } from "#providers/translate/unsealed-thoughts.ts";

type GeminiPart = Record<string, unknown>;

interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

/**
 * `signs`: the model uses call ids and requires a signature on the first call of a turn (Gemini 3 and later).
 */
export function geminiContents(
  turns: readonly Turn[],
  signs: boolean,
): { contents: GeminiContent[]; issue: string | null } {
  const contents: GeminiContent[] = [];
  const issues: string[] = [];
  // Media of results, which the model accepts only from the user.
  let media: GeminiPart[] = [];
  for (const turn of turns) {
    if (media.length > 0 && turn.role !== "user") contents.push({ role: "user", parts: media });
    const parts = partsOf(turn, signs, issues);
    const isMediaFirst = turn.role === "user" && media.length > 0;
    contents.push({
      role: turn.role === "assistant" ? "model" : "user",
      parts: isMediaFirst ? [...media, ...parts] : parts,
    });
    media = turn.role === "tool" ? mediaOf(turn, signs, issues) : [];
  }
  if (media.length > 0) contents.push({ role: "user", parts: media });
  return { contents, issue: issues[0] ?? null };
}

/** The system text, one part for each message. */
export function geminiSystem(system: readonly TextPart[]): { parts: GeminiPart[] } | null {
  return system.length === 0 ? null : { parts: system.map(({ text }) => ({ text })) };
}

function partsOf(turn: Turn, signs: boolean, issues: string[]): GeminiPart[] {
  const written = (part: Part) => partOf(part, issues);
  if (turn.role === "user") return turn.parts.map(written);
  if (turn.role === "assistant") {
    return [...turn.parts.map(written), ...turn.calls.map((call, at) => callPart(call, signs, at === 0))];
  }
  return turn.results.map(({ call, parts }) => {
    const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
    const inside = parts.filter((part) => isInside(part, signs)).map(written);
    return {
      functionResponse: {
        ...idOf(call, signs),
        name: call.name,
        response: responseOf(text),
        ...(inside.length === 0 ? {} : { parts: inside }),
      },
    };
  });
}

/** Bytes are part of the result from Gemini 3 on; links never are. */
const isInside = (part: Part, signs: boolean): boolean => signs && part.kind === "data";

/** The media of the results that must follow them, each with a sentence that names its call. */
function mediaOf(
  { results }: Extract<Turn, { role: "tool" }>,
  signs: boolean,
  issues: string[],
): GeminiPart[] {
  return results.flatMap(({ call, parts }) => {
    const media = parts.filter((part) => part.kind !== "text" && !isInside(part, signs));
    if (media.length === 0) return [];
    return [{ text: `From the result of ${call.name}:` }, ...media.map((part) => partOf(part, issues))];
  });
}

/** An object is used as the response itself; any other text becomes its `output`. */
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

function partOf(part: Part, issues: string[]): GeminiPart {
  const signed =
    part.kind === "link" || part.signature === undefined ? {} : { thoughtSignature: part.signature };
  if (part.kind === "text") return { text: part.text, ...signed };
  if (part.kind === "data") return { inlineData: { mimeType: part.mediaType, data: part.base64 }, ...signed };
  if (!part.url.startsWith("https:")) issues.push("Gemini fetches only `https:` URLs.");
  // Links are treated as images unless their extension says otherwise. The model inspects the bytes, so the type only has to be an image
  // type.
  return { fileData: { mimeType: part.mediaType ?? "image/jpeg", fileUri: part.url } };
}
