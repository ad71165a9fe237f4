// A stream that waits for an equal request's answer for longer than its client should wait for headers: they are sent first, and the result
// follows.

import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { CompletionResult, ResponseStream } from "#ai/completion.ts";

/** `pending`: the answer, or an error, which is then sent in the stream. */
export function lateStream(api: ApiRequest, pending: Promise<CompletionResult>): ResponseStream {
  let inner: ResponseStream | null = null;
  let over = false;
  return {
    keepAlive: api.keepAlive,
    next: async () => {
      if (over) return null;
      if (inner) return await inner.next();
      const result = await pending;
      if (result.kind === "stream" && !over) {
        inner = result.stream;
        return await inner.next();
      }
      over = true;
      return result.kind === "error" ? api.failed(result.error, result.served) : null;
    },
    cancel: () => {
      over = true;
      // A failure reaches the code that awaits it.
      if (inner) inner.cancel();
      else
        void pending.then(
          (result) => result.kind === "stream" && result.stream.cancel(),
          () => {},
        );
    },
    stop: () => inner?.stop(),
  };
}
