// A trial of a pool: the events of its stream as they arrive, for the signed-in person.

import { createParser } from "eventsource-parser";
import { openStream } from "./client.ts";
import type { TryPoolRequest } from "./schema.ts";

/** A member that was called, and the outcome. Times count from the start of the call, ms. */
export interface TrialAttempt {
  number: number;
  /** Its id, and its name. */
  member: string;
  name: string;
  model: string;
  asked_ms: number;
  /** null: it has not answered yet. */
  outcome: string | null;
  status: number | null;
  /** In the provider's words. */
  reason: string | null;
  failed_ms: number | null;
  first_word_ms: number | null;
}

interface Sums {
  request_id: string;
  tokens: { prompt: number; completion: number; estimated: boolean };
  /** Null if no price is known. */
  cost: number | null;
  /** Requests to members. */
  attempts: number;
  first_byte_ms: number | null;
  ms: number;
}

export interface TrialEnd extends Sums {
  member: string | null;
  model: string | null;
  finish_reason: string | null;
}

/** The last frame of an incomplete stream. */
export interface TrialError extends Sums {
  status: number;
  code: string | null;
  message: string;
  retry_after_ms: number | null;
}

export type TrialEvent =
  | { event: "attempt"; data: TrialAttempt }
  | { event: "chunk"; data: { text?: string; reasoning?: string } }
  | { event: "end"; data: TrialEnd }
  | { event: "error"; data: TrialError };

interface Listener {
  /** The id under which the call is recorded. */
  onRequest: (id: string | null) => void;
  onEvent: (event: TrialEvent) => void;
}

const kinds: ReadonlySet<string | undefined> = new Set(["attempt", "chunk", "end", "error"]);

/** Asks, and resolves when the stream has ended. Throws `ApiError` if the service refuses or goes away. Aborting abandons the call. */
export async function tryPool(
  params: { account: string; pool: string },
  body: TryPoolRequest,
  signal: AbortSignal,
  { onRequest, onEvent }: Listener,
): Promise<void> {
  const { requestId, pieces } = await openStream("tryPool", { params, body, signal });
  onRequest(requestId);
  const parser = createParser({
    // A newer service may have other events, which are ignored.
    onEvent: ({ event, data }) => {
      if (kinds.has(event)) onEvent({ event, data: JSON.parse(data) } as TrialEvent);
    },
  });
  for await (const piece of pieces) parser.feed(piece);
}
