// What the writers share that make streams of another API from chunks of a chat completion.

import type { FrameRun } from "#providers/frame-run.ts";
import type { ApiError, Chunk, Usage } from "#providers/provider.ts";
import type { StreamWriter } from "./api-request.ts";
import { type ChatPiece, readChat, readRun } from "./chat-answer.ts";

export abstract class PieceWriter implements StreamWriter {
  #usage: Usage | null = null;

  get usage(): Usage | null {
    return this.#usage;
  }

  chunk(chunk: Chunk): string {
    if (chunk.usage) this.#usage = chunk.usage;
    return this.write(readChat(chunk.text));
  }

  run(run: FrameRun): string {
    let out = "";
    for (const piece of readRun(run)) out += this.write(piece);
    return out;
  }

  /** The text to send for a piece; may be empty. */
  protected abstract write(piece: ChatPiece): string;
  abstract done(): string;
  abstract failed(error: ApiError): string;
}
