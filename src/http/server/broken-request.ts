// Requests whose bytes went wrong while they were being answered: Node's parser finds the fault, and only the reader of
// the body can say so in an answer that fits what was done with the request.

import type { IncomingMessage } from "node:http";

/** `malformed`: what follows is not HTTP. `too_slow`: the rest did not arrive within Node's own limit. */
export type RequestError = "malformed" | "too_slow";

/** Emitted on the request, with the `RequestError`. */
export const brokenEvent = Symbol("broken");

const broken = new WeakMap<IncomingMessage, RequestError>();

/** No more of the request's body will arrive. Every reader of it, now or later, gets the reason. */
export function breakRequest(request: IncomingMessage, how: RequestError): void {
  if (broken.has(request)) return;
  broken.set(request, how);
  request.emit(brokenEvent, how);
}

/** How the request broke; undefined if it did not. */
export function requestErrorOf(request: IncomingMessage): RequestError | undefined {
  return broken.get(request);
}
