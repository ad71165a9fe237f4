// Folds the chunks of a stream into one whole answer (`whole_answers: stream`). Every field of the chunks is in the answer: texts and lists
// are joined, list items with an `index` are joined by it, and for other values the last one counts.

import { isObject } from "#contract/normalise.ts";
import type { Chunk, Usage } from "#providers/provider.ts";
import { isFinish } from "./finish-reasons.ts";
import { parseJson } from "./json.ts";

type Fields = Record<string, unknown>;

/** Texts that are complete in each chunk that has them. */
const wholeTexts: ReadonlySet<string> = new Set([
  "id",
  "object",
  "type",
  "role",
  "format",
  "model",
  "signature",
]);
/** Vendors repeat the name of a call, or stream it in pieces. */
const maxIndex = 4_096;

/** A `chat.completion` as JSON text, and its usage. */
export function fold(chunks: readonly Chunk[]): { text: string; usage: Usage | null } {
  const usage = chunks.findLast((chunk) => chunk.usage !== null)?.usage ?? null;
  return { text: JSON.stringify(foldedChunks(valuesOf(chunks))), usage };
}

function* valuesOf(chunks: readonly Chunk[]): Generator<Fields> {
  for (const { text } of chunks) {
    const value = parseJson(text);
    if (isObject(value)) yield value;
  }
}

/** The `chat.completion` of the chunks of one stream. */
export function foldedChunks(chunks: Iterable<Fields>): Fields & { choices: Fields[] } {
  const answer: Fields = {};
  const choices: Fields[] = [];
  for (const value of chunks) {
    for (const name in value) {
      if (name === "choices" || name === "__proto__") continue;
      const field = value[name];
      if (field !== null && (name !== "id" || answer.id === undefined)) answer[name] = field;
    }
    if (!Array.isArray(value.choices)) continue;
    for (const choice of value.choices) if (isObject(choice)) addChoice(choices, choice);
  }
  const folded = choices.filter((choice) => choice !== undefined).map(finished);
  return { ...answer, object: "chat.completion", choices: folded };
}

function addChoice(choices: Fields[], choice: Fields): void {
  const { index = 0, delta } = choice;
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index > maxIndex) return;
  const known = choices[index] ?? { index, message: { role: "assistant", content: null } };
  choices[index] = known;
  if (isObject(delta)) join(known.message as Fields, delta);
  for (const name in choice) {
    const value = choice[name];
    if (value === null || value === undefined || name === "delta" || name === "__proto__") continue;
    if (name === "finish_reason" && !isFinish(value)) continue;
    if (name === "logprobs" && isObject(value)) {
      const logprobs = isObject(known.logprobs) ? known.logprobs : {};
      known.logprobs = join(logprobs, value);
    } else known[name] = value;
  }
}

/** Adds a piece to the preceding ones. */
function join(to: Fields, piece: Fields): Fields {
  for (const name in piece) {
    if (name === "__proto__") continue;
    const value = piece[name];
    const before = Object.hasOwn(to, name) ? to[name] : undefined;
    if (value === null || value === undefined) to[name] ??= null;
    else if (typeof value === "string" && typeof before === "string")
      to[name] =
        wholeTexts.has(name) || (name === "name" && before === value) ? value || before : before + value;
    else if (Array.isArray(value)) {
      const list = Array.isArray(before) ? before : [];
      // Each image is sent whole, and vendors number all of them 0.
      to[name] = name === "images" ? [...list, ...value] : joinList(list, value);
    } else if (isObject(value)) to[name] = join(isObject(before) ? before : {}, value);
    else to[name] = value;
  }
  return to;
}

/** The items of a list by their `index`: searching for each of 20,000 tool calls would take a second. */
const itemsOf = new WeakMap<unknown[], Map<number, Fields>>();

function joinList(to: unknown[], pieces: readonly unknown[]): unknown[] {
  const items = itemsOf.get(to) ?? new Map<number, Fields>();
  itemsOf.set(to, items);
  for (const piece of pieces) {
    const index = isObject(piece) && typeof piece.index === "number" ? piece.index : null;
    const before = index === null ? undefined : items.get(index);
    if (before !== undefined && isObject(piece)) join(before, piece);
    else {
      // Items without an index are complete and may contain numbers whose spelling is kept.
      const item = index !== null && isObject(piece) ? join({}, piece) : piece;
      if (index !== null && isObject(item)) items.set(index, item);
      to.push(item);
    }
  }
  return to;
}

/** Calls of whole answers have no index. */
function finished(choice: Fields): Fields {
  const { message } = choice;
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return { finish_reason: null, ...choice };
  const calls = message.tool_calls.map((call: unknown) => {
    if (!isObject(call)) return call;
    const { index: _index, ...rest } = call;
    return rest;
  });
  return { finish_reason: null, ...choice, message: { ...message, tool_calls: calls } };
}
