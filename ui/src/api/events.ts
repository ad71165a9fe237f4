// The stream of an account's hints: which kinds of things changed. It carries no data.

import { createParser } from "eventsource-parser";
import { ApiError, notifyListeners } from "./client.ts";
import { routes } from "./schema.ts";

/** The server writes something every 15 s; a stream that is silent for so long is dead. */
const deadMs = 40_000;

interface Listener {
  /** The stream is open: what changed before is not repeated. */
  onOpen: () => void;
  onChanged: (topics: readonly string[]) => void;
}

/** Watches an account until the stream or the signal ends. Throws `ApiError` when the service refuses or does not answer. */
export async function watchAccount(
  account: string,
  signal: AbortSignal,
  { onOpen, onChanged }: Listener,
): Promise<void> {
  const dead = new AbortController();
  let timer = setTimeout(() => dead.abort(), deadMs);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => dead.abort(), deadMs);
  };
  const parser = createParser({
    onComment: alive,
    onEvent: ({ event, data }) => {
      if (event === "hello") onOpen();
      else if (event === "changed") onChanged((JSON.parse(data) as { topics: string[] }).topics);
    },
  });
  try {
    const response = await fetch(routes.watchAccount[1].replace("{account}", encodeURIComponent(account)), {
      headers: { accept: "text/event-stream" },
      credentials: "same-origin",
      signal: AbortSignal.any([signal, dead.signal]),
    });
    notifyListeners(response.status);
    if (!response.ok || response.body === null)
      throw new ApiError(response.status, `The service answered ${response.status}.`);
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      alive();
      parser.feed(decoder.decode(piece.value, { stream: true }));
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiError ? error : new ApiError(0, "The service did not answer.");
  } finally {
    clearTimeout(timer);
  }
}
