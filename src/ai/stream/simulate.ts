// Delivers a simulated response (of the sandbox) as if it arrived over the network: at its pace, and cut off where it says so.

import type { SimulatedResponse } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { BodyError, BodyReader, UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

/** The response in the form of an upstream's. Its headers arrive with the first piece, or not at all if that exceeds `headersMs`. */
export async function simulate(
  answer: SimulatedResponse,
  clock: Clock,
  headersMs: number,
  signal: LightAbortSignal,
): Promise<UpstreamResult> {
  const aborted = new AbortController();
  const stop = () => aborted.abort();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const pieces = [...answer.pieces];
  const [first] = pieces;
  if (first && first.waitMs > 0) await clock.sleep(Math.min(first.waitMs, headersMs), aborted.signal);
  if (aborted.signal.aborted) return failed("aborted", "Stopped.");
  if (first && first.waitMs > headersMs)
    return failed("headers_timeout", `No answer from the sandbox within ${headersMs} ms.`);
  if (first && "cut" in first) return failed("cut", "The sandbox broke the connection.");
  let isFirst = true;
  const body: BodyReader = {
    read: async (timeoutMs): Promise<Buffer | null | BodyError> => {
      if (aborted.signal.aborted) return { why: "cancelled", reason: "stopped" };
      const piece = pieces.shift();
      if (!piece) return null;
      // The first wait was spent on the headers.
      const waitMs = isFirst ? 0 : piece.waitMs;
      isFirst = false;
      if (waitMs > 0) await clock.sleep(Math.min(waitMs, timeoutMs), aborted.signal);
      if (aborted.signal.aborted) return { why: "cancelled", reason: "stopped" };
      if (waitMs > timeoutMs) return { why: "timeout", reason: `nothing came within ${timeoutMs} ms` };
      return "cut" in piece ? { why: "cut", reason: "the connection was reset" } : Buffer.from(piece.text);
    },
    cancel: stop,
  };
  return { kind: "answer", status: answer.status, headers: { "content-type": answer.contentType }, body };
}

function failed(why: "aborted" | "headers_timeout" | "cut", reason: string): UpstreamResult {
  return { kind: "failed", why, reason, reused: false };
}
