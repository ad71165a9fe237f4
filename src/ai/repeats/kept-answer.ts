// An answer that is kept for the next equal request: the text that the client received, also for a stream, so that the repeated answer is
// the same in every byte.

import type { CompletionResult, ResponseStream } from "#ai/completion.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { VendorAnswer } from "#providers/provider.ts";

export interface KeptAnswer {
  /** The fingerprint of the request that it answers. */
  fingerprint: string;
  /** The text is everything that a stream sent. */
  stream: boolean;
  text: string;
  /** The answer is not JSON but these bytes. */
  media: VendorAnswer | null;
  /** The member; null if the headers of the stream were sent before any had answered. */
  served: Pick<ServicePool, "provider" | "model"> | null;
  leftOut: readonly string[];
  /** Epoch ms. */
  expiresAt: number;
}

/** The largest answer that is kept: characters of a text, bytes of media. */
export const maxKeptSize = 8 * 1024 * 1024;

/** Characters or bytes. */
export const sizeOf = ({ text, media }: Pick<KeptAnswer, "media" | "text">): number =>
  text.length + (media?.bytes.length ?? 0);

type Answered = Extract<CompletionResult, { kind: "answer" | "stream" }>;

/** What is kept of an answer besides its text. */
export function keptOf({ served, leftOut }: Answered): Pick<KeptAnswer, "leftOut" | "served"> {
  return {
    served: served && { provider: served.provider, model: served.model },
    leftOut: leftOut ?? [],
  };
}

/**
 * The repeated answer. It costs nothing, and no member is called. `keepAlive`: the keep-alive of the request's API. `ended`: it was
 * delivered, or its client left (499).
 */
export function replayed(
  kept: KeptAnswer,
  latencyMs: number,
  keepAlive: ResponseStream["keepAlive"],
  ended: (status: 200 | 499) => void,
): CompletionResult {
  const latency_ms = Math.round(latencyMs * 10) / 10;
  const served = kept.served && { ...kept.served, latency_ms, attempts: 0, cost: 0 };
  const { text, media, leftOut } = kept;
  if (kept.stream) return { kind: "stream", stream: streamOf(text, keepAlive, ended), served, leftOut };
  ended(200);
  // An answer that is not a stream always has a member.
  const by = served ?? { provider: "", model: "", latency_ms, attempts: 0, cost: 0 };
  return { kind: "answer", text, served: by, leftOut, ...(media && { media }) };
}

function streamOf(
  text: string,
  keepAlive: ResponseStream["keepAlive"],
  ended: (status: 200 | 499) => void,
): ResponseStream {
  let left: string | null = text;
  const take = (status: 200 | 499): string | null => {
    const next = left;
    left = null;
    if (next !== null) ended(status);
    return next;
  };
  return {
    keepAlive,
    next: async () => take(200),
    isOver: () => left === null,
    cancel: () => void take(499),
    stop: () => {},
  };
}
