// Reads whole answers with the stream readers: an adapter unfolds an answer into the events of its stream, and the chunks that the reader
// writes are folded into one completion, without a JSON text for each.

import { type Fields, isObject } from "#contract/normalise.ts";
import type { ParsedAnswer, StreamPiece } from "#providers/provider.ts";
import { type ChunkWriter, type CompletionHead, chunkWriter } from "./completion.ts";
import { foldedChunks } from "./fold.ts";

/** Creates the reader's writer once the head of its answer is known. */
export type OpenWriter = (head: CompletionHead) => ChunkWriter;

/** OpenAI has these fields in every whole answer, and no content if something else replaces it. */
function completed({ message, ...choice }: Fields): Fields {
  const { content, ...more }: Fields = isObject(message) ? message : {};
  const isSpoken = content !== "" || (more.tool_calls === undefined && more.refusal === undefined);
  return {
    logprobs: null,
    ...choice,
    message: { content: isSpoken ? content : null, refusal: null, ...more },
  };
}

/** Writes one completion from its pieces. `text`: that of the `chat.completion`. */
export function wholeWriter(head: CompletionHead): { write: ChunkWriter; text(): string } {
  const chunks: Fields[] = [];
  const collect = (chunk: Fields) => {
    chunks.push(chunk);
    return "";
  };
  const text = () => {
    const { choices, ...answer } = foldedChunks(chunks);
    return JSON.stringify({ ...answer, choices: choices.map(completed) });
  };
  return { write: chunkWriter(head, { body: {} }, collect), text };
}

/**
 * The completion of an answer that arrived whole. `open` creates the reader of its format, and `events` are those of an equivalent complete
 * stream.
 */
export function wholeAnswer<Event>(
  events: readonly Event[],
  open: (openWriter: OpenWriter) => { read(event: Event): StreamPiece[]; mayBeEmpty?(): boolean },
): ParsedAnswer {
  let text = () => "";
  const reader = open((head) => {
    const whole = wholeWriter(head);
    text = whole.text;
    return whole.write;
  });
  let output = false;
  let usage = null;
  for (const event of events)
    for (const piece of reader.read(event)) {
      if (piece.kind === "failure") return piece;
      if (piece.kind !== "chunk") continue;
      output ||= piece.output;
      usage = piece.usage ?? usage;
    }
  return { kind: "answer", text: text(), output: output || reader.mayBeEmpty?.() === true, usage };
}
