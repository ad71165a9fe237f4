// A stream put together again: the completion that a client would make of its chunks.

import assert from "node:assert/strict";
import type { StreamPiece } from "#providers/provider.ts";
import { checkedChunk } from "./openai-shapes.ts";

interface Folded {
  choices: {
    index: number;
    message: Record<string, unknown>;
    logprobs: null;
    finish_reason: string | null;
  }[];
  [field: string]: unknown;
}

type Call = { id?: string; type?: string; function: { name?: string; arguments: string } };

/** The whole completion; a stream that is not done is a fault. For one choice without log probabilities. */
export function folded(pieces: readonly StreamPiece[]): Folded {
  assert.equal(pieces.at(-1)?.kind, "done");
  const chunks = pieces.filter((piece) => piece.kind === "chunk").map(checkedChunk);
  let content = "";
  let reasoning = "";
  let refusal: string | null = null;
  let reason: string | null = null;
  const calls: Call[] = [];
  const details: Record<string, unknown>[] = [];
  const blocks: unknown[] = [];
  const images: unknown[] = [];
  for (const { delta, finish_reason } of chunks.flatMap(({ choices }) => choices)) {
    content += delta.content ?? "";
    reasoning += delta.reasoning_content ?? "";
    for (const piece of delta.reasoning_details ?? []) {
      const known = details.find(({ index }) => index === piece.index);
      if (known === undefined) details.push({ ...piece });
      else Object.assign(known, piece, { text: `${known.text}${piece.text}` });
    }
    blocks.push(...(delta.thinking_blocks ?? []));
    images.push(...(delta.images ?? []));
    if (typeof delta.refusal === "string") refusal = (refusal ?? "") + delta.refusal;
    for (const { index, id, type, function: own } of delta.tool_calls ?? []) {
      const known = calls[index];
      if (known) known.function.arguments += own.arguments ?? "";
      else
        calls[index] = {
          ...(id && { id }),
          ...(type && { type }),
          function: { arguments: "", ...own },
        } as Call;
    }
    reason = finish_reason ?? reason;
  }
  const message = {
    role: "assistant",
    content: content === "" && (calls.length > 0 || refusal !== null) ? null : content,
    refusal,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const { id, created, model } = chunks[0] ?? {};
  const usage = chunks.at(-1)?.usage;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    ...(usage ? { usage } : {}),
  };
}
