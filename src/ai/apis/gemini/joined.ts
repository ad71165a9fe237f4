// Assembles the content from the pieces of a stream.

import { chunksIn, objectsIn } from "#ai/stream/recorded.ts";
import { isObject } from "#contract/normalise.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";

type Fields = Record<string, unknown>;

/** Joins the parts of each candidate. For every other field, the last value counts. */
function joinedContents(values: readonly Fields[]): Fields {
  const candidates = new Map<unknown, Fields & { parts: Fields[]; role: unknown }>();
  const answer = new Map<string, unknown>();
  for (const { candidates: pieces, ...rest } of values) {
    for (const [name, value] of Object.entries(rest)) answer.set(name, value);
    for (const { index = 0, content, ...of } of fieldsIn(pieces)) {
      const known = candidates.get(index) ?? { parts: [], role: "model" };
      candidates.set(index, Object.assign(known, of));
      for (const part of fieldsIn(isObject(content) ? content.parts : [])) {
        const before = known.parts.at(-1);
        const isText = (one: Fields) => typeof one.text === "string" && one.functionCall === undefined;
        if (before !== undefined && isText(before) && isText(part) && before.thought === part.thought)
          known.parts[known.parts.length - 1] = {
            ...before,
            ...part,
            text: `${textOf(before.text)}${textOf(part.text)}`,
          };
        else known.parts.push({ ...part });
      }
    }
  }
  const joined = [...candidates].map(([index, { parts, role, ...of }]) => ({
    content: { parts, role },
    ...of,
    ...(index === 0 ? {} : { index }),
  }));
  return { candidates: joined, ...Object.fromEntries(answer) };
}

/** The pieces of a stream without `alt=sse`: a JSON array, which may be truncated. */
function piecesOfArray(text: string): Fields[] {
  const pieces = text.split(",\r\n");
  return pieces.flatMap((piece, at) => {
    const value = parseJson((at === 0 ? piece.replace(/^\[/, "") : piece).replace(/\]$/, ""));
    return isObject(value) ? [value] : [];
  });
}

/** The content of a stream's text. */
export const joinedContent = (text: string): unknown =>
  joinedContents(text.startsWith("[") ? piecesOfArray(text) : objectsIn(chunksIn(text)));
