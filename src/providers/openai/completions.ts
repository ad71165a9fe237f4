// OpenAI's legacy completions, which continue a text: passed on unchanged and read only as far as the gateway needs. They differ from chat
// completions in that a choice has a `text`. Source: platform.openai.com/docs/api-reference/completions

import { type Fields, isObject } from "#contract/normalise.ts";
import type { Chunk, ParsedAnswer, StreamReader, Usage } from "#providers/provider.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";
import { answerWith } from "./answer.ts";
import { openaiStream } from "./stream.ts";

/** The content of a choice, as a message. */
const contentOf = ({ text }: Fields): Fields => ({ content: text });

/** A whole answer, unchanged. */
export const completionsAnswer = (text: string): ParsedAnswer => answerWith(text, contentOf);

/** Reads the chunks of a stream as they are passed on. */
export const completionsStream = (): StreamReader => openaiStream({ body: {} }, contentOf);

/** Maximum number of choices that are distinguished. */
const maxChoices = 4_096;

/** Adds a chunk to a choice: texts and lists of log probabilities are joined; for everything else the last value counts. */
function added(before: Fields, piece: Fields): Fields {
  const joined = { ...before };
  for (const [name, value] of Object.entries(piece)) {
    const known = joined[name];
    if (name === "text") joined.text = textOf(known) + textOf(value);
    else if (name === "logprobs" && isObject(known) && isObject(value))
      joined.logprobs = concat(known, value);
    else if (value !== null || known === undefined) joined[name] = value;
  }
  return joined;
}

/** Lists with an item for each token. */
const concat = (before: Fields, piece: Fields): Fields =>
  Object.fromEntries(
    Object.entries(piece).map(([name, value]) => {
      const known = before[name];
      return [name, Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value];
    }),
  );

/** The whole answer that the chunks of a stream amount to. */
export function foldedCompletion(chunks: readonly Chunk[]): { text: string; usage: Usage | null } {
  const choices = new Map<number, Fields>();
  let answer: Fields = {};
  let usage: Usage | null = null;
  for (const chunk of chunks) {
    const value = parseJson(chunk.text);
    if (!isObject(value)) continue;
    usage = chunk.usage ?? usage;
    const { choices: pieces, ...rest } = value;
    answer = { ...answer, ...rest };
    for (const piece of fieldsIn(pieces)) {
      const index = typeof piece.index === "number" ? piece.index : 0;
      const known = choices.get(index);
      if (known === undefined && choices.size >= maxChoices) continue;
      choices.set(index, added(known ?? {}, piece));
    }
  }
  const folded = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  return { text: JSON.stringify({ ...answer, choices: folded }), usage };
}

/** The events of a stream with the content of the whole answer. */
export const unfoldedCompletion = (text: string): string =>
  `data: ${text.replaceAll(/[\r\n]+/g, " ")}\n\ndata: [DONE]\n\n`;
