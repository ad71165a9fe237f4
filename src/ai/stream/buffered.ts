// Buffers a whole stream (`stream_mode: complete`), so that another member can take over from one that is interrupted.

import type { AttemptResult } from "#ai/failover/attempt.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Chunk, Failure } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";

/** Maximum size of a buffered stream, UTF-16 units. */
const maxBufferedUnits = 64 * 1024 * 1024;

/** All chunks of a stream, or the failure that ended it. */
export async function bufferStream(attempt: AttemptResult, signal: LightAbortSignal): Promise<AttemptResult> {
  if (attempt.kind !== "streaming") return attempt;
  const { stream } = attempt;
  const chunks: Chunk[] = [];
  let size = 0;
  for (;;) {
    const event = await stream.next();
    if (event.kind === "done") return { kind: "buffered", chunks };
    if (event.kind === "failed") {
      stream.cancel();
      if (signal.aborted) return { kind: "aborted", heard: true };
      return {
        kind: "failed",
        failure: event.failure,
        reused: false,
        timeout: event.timeout,
        overtime: event.overtime === true,
      };
    }
    append(chunks, event.chunks);
    size += event.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
    if (size <= maxBufferedUnits) continue;
    stream.cancel();
    const error = apiError("The provider's answer is too long.", "server_error", "bad_upstream_answer");
    const failure: Failure = {
      kind: "upstream_error",
      status: 502,
      retryAfterMs: null,
      error,
      ignoredByHealth: true,
    };
    return { kind: "failed", failure, reused: false, timeout: false };
  }
}
