// What a completion is: its request, its result and its outcome.

import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { AttemptRecord, Trial } from "#ai/failover/call.ts";
import type { BudgetOwner } from "#ai/pools/pool-key.ts";
import type { Repeatable, Slot } from "#ai/repeats/repeatable.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { CallSpan } from "#ai/tracing/call-span.ts";
import type { CallKind, Form } from "#contract/ai/operations.ts";
import type { Cost } from "#contract/cost.ts";
import type { ApiError, Usage, VendorAnswer } from "#providers/provider.ts";

export interface CompletionRequest {
  kind: CallKind;
  /** The request body as received, and parsed. */
  text: string;
  body: Readonly<Record<string, unknown>>;
  /** The content type of a forwarded operation that accepts one. */
  form?: Form;
  /** The request in the client's own API. */
  api: ApiRequest;
  model: string | null;
  stream: boolean;
  /** The client asked for the usage chunk (`stream_options.include_usage`). */
  includeUsage: boolean;
  /** The models that the key may use; null for all. */
  allowedModels: readonly string[] | null;
  /** The owner of the budget that excludes models without a known price; absent or null if none does. */
  pricedOnlyBy?: BudgetOwner["kind"] | null;
  /** Estimated tokens of the input (see `limits/estimate.ts`). */
  promptTokens: number;
  /** Headers that are added to each request to a member. */
  extraHeaders?: Readonly<Record<string, string>> | null | undefined;
  /** How it may share the answer of an equal request; absent if it always calls a member. */
  repeatable?: Repeatable;
  /** A person tries the pool; absent if a client uses it. */
  trial?: Trial;
  /** Absent if the call records no spans. */
  span?: CallSpan | undefined;
}

/** A request as the HTTP route passes it in. */
export type ClientRequest = Omit<
  CompletionRequest,
  "allowedModels" | "pricedOnlyBy" | "promptTokens" | "extraHeaders" | "span"
>;

/** How a call ended, for the usage record. */
export interface CallOutcome {
  /** The status that the client saw; 499: the client disconnected. */
  status: number;
  member: string | null;
  model: string | null;
  attempts: readonly AttemptRecord[];
  usage: Usage;
  /** The provider reported no usage; it is estimated from the texts. */
  estimated: boolean;
  /** The cost and whose price it is based on; null if no price is known. */
  cost: (Cost & { source: "set" | "list" }) | null;
  /** No member was called: the answer is that of an equal request. Absent if members were called. */
  reused?: Slot["kind"] | null;
  /** Time to the first byte to the client; null if none was sent. */
  firstByteMs: number | null;
  ms: number;
}

/** The text of a streamed response, piece by piece. */
export interface ResponseStream {
  /** The next text; null at the end of the stream. */
  next(): Promise<string | null>;
  /** Whether the text that `next` returned is the last one; absent if only `next` tells. */
  isOver?(): boolean;
  /** The client disconnected. */
  cancel(): void;
  /** What it sends while it is silent; absent for a comment. */
  keepAlive?: (() => string) | undefined;
  /** The process is stopping: a stream that has begun ends with an in-band error. */
  stop(): void;
}

export type CompletionResult =
  /** `leftOut`: parts of the request that the member was not sent. `media`: the answer is not JSON but these bytes. */
  | {
      kind: "answer";
      text: string;
      served: ServicePool;
      leftOut?: readonly string[];
      media?: VendorAnswer;
    }
  /** `served` is null if the headers are sent before any member has answered. */
  | { kind: "stream"; stream: ResponseStream; served: ServicePool | null; leftOut?: readonly string[] }
  | {
      kind: "error";
      status: number;
      error: ApiError;
      retryAfterMs: number | null;
      served: ServicePool | null;
    }
  | { kind: "aborted" };
