// A stream that is kept until it is whole (`stream_mode: complete`), so that one that breaks off can be rescued.

import type { AttemptResult } from "#ai/failover/attempt.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Chunk, Failure } from "#providers/provider.ts";
import type { StopSignal } from "#runtime/light-abort-controller.ts";

/** Longest stream that is kept until it is whole, UTF-16 units. */
const maxBufferedUnits = 64 * 1024 * 1024;

/** The whole of a stream, or the failure that it would have ended with. */
export async function bufferStream(spoken: AttemptResult, signal: StopSignal): Promise<AttemptResult> {
  if (spoken.kind !== "streaming") return spoken;
  const { stream } = spoken;
  const chunks: Chunk[] = [];
  let size = 0;
  for (;;) {
    const said = await stream.next();
    if (said.kind === "done") return { kind: "buffered", chunks };
    if (said.kind === "failed") {
      stream.cancel();
      if (signal.aborted) return { kind: "aborted", heard: true };
      return {
        kind: "failed",
        failure: said.failure,
        reused: false,
        timeout: said.timeout,
        overtime: said.overtime === true,
      };
    }
    chunks.push(...said.chunks);
    size += said.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
    if (size <= maxBufferedUnits) continue;
    stream.cancel();
    const error = apiError("The provider's answer is too long.", "server_error", "bad_upstream_answer");
    const failure: Failure = { kind: "upstream_error", status: 502, retryAfterMs: null, error };
    return { kind: "failed", failure, reused: false, timeout: false };
  }
}
