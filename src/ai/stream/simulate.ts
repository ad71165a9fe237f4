// An answer that a provider makes here instead of asking for it (the sandbox), played as if it came over the wire:
// at its pace, and cut off where it says so.

import type { SimulatedResponse } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { BodyError, BodyReader, UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

/** The answer as an upstream's. Its head comes with the first piece, within `headersMs` or not at all. */
export async function simulate(
  answer: SimulatedResponse,
  clock: Clock,
  headersMs: number,
  signal: LightAbortSignal,
): Promise<UpstreamResult> {
  const ended = new AbortController();
  const stop = () => ended.abort();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const pieces = [...answer.pieces];
  const [first] = pieces;
  if (first && first.waitMs > 0) await clock.sleep(Math.min(first.waitMs, headersMs), ended.signal);
  if (ended.signal.aborted) return failed("aborted", "Stopped.");
  if (first && first.waitMs > headersMs)
    return failed("headers_timeout", `No answer from the sandbox within ${headersMs} ms.`);
  if (first && "cut" in first) return failed("cut", "The sandbox broke the connection.");
  let started = true;
  const body: BodyReader = {
    read: async (patienceMs): Promise<Buffer | null | BodyError> => {
      if (ended.signal.aborted) return { why: "cancelled", reason: "stopped" };
      const piece = pieces.shift();
      if (!piece) return null;
      // The first wait was for the head.
      const waitMs = started ? 0 : piece.waitMs;
      started = false;
      if (waitMs > 0) await clock.sleep(Math.min(waitMs, patienceMs), ended.signal);
      if (ended.signal.aborted) return { why: "cancelled", reason: "stopped" };
      if (waitMs > patienceMs) return { why: "timeout", reason: `nothing came within ${patienceMs} ms` };
      return "cut" in piece ? { why: "cut", reason: "the connection was reset" } : Buffer.from(piece.text);
    },
    cancel: stop,
  };
  return { kind: "answer", status: answer.status, headers: { "content-type": answer.contentType }, body };
}

function failed(why: "aborted" | "headers_timeout" | "cut", reason: string): UpstreamResult {
  return { kind: "failed", why, reason, reused: false };
}
