// Puts a stream, as its client got it, together to the answer that it made: what the API answers without streaming. A stream that
// broke off, or whose client left, makes as much of an answer as it got to.

import { fold } from "#ai/stream/fold.ts";
import { isObject } from "#contract/normalise.ts";
import { foldedMessage } from "#providers/anthropic/fold.ts";
import { foldedCompletion } from "#providers/openai/completions.ts";
import { foldedResponse } from "#providers/openai/responses.ts";
import type { Chunk, ClientFormat } from "#providers/provider.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";

type Fields = Record<string, unknown>;

/** The frames of a stream of server-sent events; a frame that was cut off is left out. */
function eventsOf(text: string): { event: string; data: string }[] {
  const events: { event: string; data: string }[] = [];
  let event = "";
  let data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n") });
      event = "";
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice(6).trim();
  }
  return events;
}

const finishing: readonly string[] = ["response.completed", "response.incomplete", "response.failed"];

const chunkOf = ({ event, data }: { event: string; data: string }): Chunk => ({
  kind: "chunk",
  text: data,
  event,
  output: false,
  finish: finishing.includes(event),
  usage: null,
  usageOnly: false,
  units: 0,
});

/** The error that a stream ended with. */
function errorIn(values: readonly Fields[]): Fields {
  const last = values.findLast(({ error, type }) => isObject(error) || type === "error");
  if (last === undefined) return {};
  return { error: isObject(last.error) ? last.error : last };
}

/** A response that has not ended: its items so far, and the text of the one that was being written. */
function cutResponse(values: readonly Fields[]): Fields {
  const begun = values.find(({ response }) => isObject(response))?.response;
  const output = values.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  const lastDone = values.findLastIndex(({ type }) => type === "response.output_item.done");
  const text = values
    .slice(lastDone + 1)
    .map(({ type, delta }) => (type === "response.output_text.delta" ? textOf(delta) : ""))
    .join("");
  const open =
    text === ""
      ? []
      : [
          {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text }],
            status: "in_progress",
          },
        ];
  return { ...(isObject(begun) ? begun : {}), output: [...output, ...open] };
}

/** Pieces of Gemini's answer: the parts of each candidate are joined, and of everything else the last counts. */
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

/** The pieces of a JSON array that may be cut off, as Gemini's streams are without `alt=sse`. */
function piecesOfArray(text: string): Fields[] {
  const pieces = text.split(",\r\n");
  return pieces.flatMap((piece, at) => {
    const value = parseJson((at === 0 ? piece.replace(/^\[/, "") : piece).replace(/\]$/, ""));
    return isObject(value) ? [value] : [];
  });
}

/** The answer that a stream's text makes. */
export function wholeAnswer(format: ClientFormat, text: string): unknown {
  if (format === "gemini" && text.startsWith("[")) return joinedContents(piecesOfArray(text));
  const events = eventsOf(text);
  const values = events.flatMap(({ data }) => {
    const value = parseJson(data);
    return isObject(value) ? [value] : [];
  });
  if (format === "gemini") return joinedContents(values);
  const chunks = events.map(chunkOf);
  if (format === "chat_completions") return parseJson(fold(chunks).text);
  if (format === "completions") return parseJson(foldedCompletion(chunks).text);
  if (format === "messages") {
    const message = parseJson(foldedMessage(chunks).text);
    return { ...(isObject(message) ? message : {}), ...errorIn(values) };
  }
  if (chunks.some(({ finish }) => finish)) return parseJson(foldedResponse(chunks).text);
  return { ...cutResponse(values), ...errorIn(values) };
}
