// The server's streams: an account's hints about which kinds of things changed, without data, and the link of a gateway.

import { createParser } from "eventsource-parser";
import { ApiError, addressOf, notifyListeners } from "./client.ts";
import { session } from "./freshness.ts";
import type { GatewayLink } from "./schema.ts";

/** The server writes something every 15 s; a stream that is silent for this long is dead. */
const deadMs = 40_000;

/** The delay before a stream of a link is reopened, ms. */
const againMs = 2_000;

/** Resolves after this time, or when the signal aborts. */
export const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Passes on the events of a stream until it ends or the signal aborts. Throws `ApiError` if the service refuses or does not answer. */
async function listen(
  address: string,
  signal: AbortSignal,
  onEvent: (event: string | undefined, data: string) => void,
): Promise<void> {
  const dead = new AbortController();
  let timer = setTimeout(() => dead.abort(), deadMs);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => dead.abort(), deadMs);
  };
  const parser = createParser({
    onComment: alive,
    onEvent: ({ event, data }) => onEvent(event, data),
  });
  try {
    const response = await fetch(address, {
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

interface Listener {
  /** The stream is open; earlier changes are not repeated. */
  onOpen: () => void;
  onChanged: (topics: readonly string[]) => void;
}

/** Watches an account until the stream ends or the signal aborts. Throws `ApiError` if the service refuses or does not answer. */
export const watchAccount = (
  account: string,
  signal: AbortSignal,
  { onOpen, onChanged }: Listener,
): Promise<void> =>
  listen(addressOf("watchAccount", { account }), signal, (event, data) => {
    if (event === "hello") onOpen();
    else if (event === "changed") onChanged((JSON.parse(data) as { topics: string[] }).topics);
  });

/** Watches the link of a gateway until the signal aborts; a stream that ends is reopened, one that is refused is not. */
export async function watchGatewayLink(
  of: { account: string; gateway: string },
  signal: AbortSignal,
  onLink: (link: GatewayLink) => void,
): Promise<void> {
  while (!signal.aborted) {
    if (!session.hasEnded) {
      try {
        await listen(addressOf("watchGatewayLink", of), signal, (event, data) => {
          if (event === "link") onLink(JSON.parse(data) as GatewayLink);
        });
      } catch (error) {
        // The gateway does not belong to this person, or no longer does.
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return;
      }
    }
    await wait(againMs, signal);
  }
}
