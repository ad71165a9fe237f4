// A call on its way through the members of a pool: what it requests, what has happened so far, and how it ended.

import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { Affinity } from "#ai/pools/affinity.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { AttemptSpan } from "#ai/tracing/attempt-span.ts";
import type { CallSpan } from "#ai/tracing/call-span.ts";
import type { Form, ForwardedOperation } from "#contract/ai/operations.ts";
import type { ListPrices } from "#providers/prices/list-price.ts";
import type { Chunk, Failure, Usage, VendorAnswer } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { Learned } from "./adaptations/learned.ts";
import type { AttemptDeps } from "./attempt.ts";
import type { SealedOrigins } from "./sealed-origins.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

/** `buffered`: a stream that is held back until it is complete. `folded`: a whole answer that is requested as a stream. */
export type AnswerMode = "chat" | "stream" | "buffered" | "folded" | "embeddings" | ForwardedOperation;

/** The result of a request to a member. `ok`: it has begun to answer. */
interface AttemptEnd extends Pick<AttemptRecord, "outcome" | "status"> {
  /** Why it failed, for the pool's owner: the vendor's error text, without keys. Null if it did not fail. */
  reason: string | null;
}

/** A call with which a person tries the pool and watches how it is served. */
export interface Trial {
  /** Ids of members that count as down in this call even if they are healthy. */
  pretendDown: readonly string[];
  /** A member is being called. The returned callback runs when that request has failed or the answer begins. */
  asked(choice: Choice<Member>): (end: AttemptEnd) => void;
}

export interface FailoverCall {
  /** Its rules determine the order of the members. */
  pool: Pool;
  choices: readonly Choice<Member>[];
  /** Identifies the conversation, for session affinity within a tier; null if the pool keeps no conversations. */
  affinity?: Affinity | null;
  mode: AnswerMode;
  text: string;
  body: Readonly<Record<string, unknown>>;
  /** The content type of a forwarded operation that accepts one; null if the request is `text`. */
  form: Form | null;
  /** The request in the client's own API. */
  api: ApiRequest;
  /** Estimated tokens of the input: long prompts take longer. */
  promptTokens: number;
  /** Headers that are added to each request to a member. */
  extraHeaders?: Readonly<Record<string, string>> | null | undefined;
  /** Monotonic ms. */
  deadlineAt: number;
  signal: LightAbortSignal;
  trial?: Trial | undefined;
  /** Absent if the call records no spans. */
  span?: CallSpan | undefined;
  /** Whether `signal` aborted because another member, called at the same time, was first; absent if only one is called. */
  isGivenUp?: () => boolean;
}

export interface FailoverDeps extends AttemptDeps {
  clock: Clock;
  random: () => number;
  /** The vendors' list prices; absent for those that come with this version. */
  prices?: ListPrices | undefined;
  /** Who made the sealed reasoning that clients send back. */
  origins: SealedOrigins;
  /** A member's circuit opened or its credentials were refused, and the reason; reported to the account. */
  memberDown(member: Member, failure: Failure): void;
  memberUp(member: Member): void;
  /** One of a member's keys was refused; `position`: its place in the list, from 1. The others remain in use. */
  keyRefused(member: Member, position: number, failure: Failure): void;
  /** A different member is called after a failure. `memberCount`: members called so far. */
  failedOver(from: Choice<Member>, to: Choice<Member>, failure: Failure, memberCount: number): void;
  /** No member could serve the call, and the cause lies in the pool, not in the call. */
  exhausted(last: Choice<Member> | null, failure: Failure, memberCount: number): void;
}

/** One attempt, for the usage record. */
export interface AttemptRecord {
  member: string;
  model: string;
  /** When it began, ms from the start of the call. The gaps between attempts are waits. */
  started_ms: number;
  ms: number;
  /** `pretended_down`: nothing was sent because the call treats the member as down. */
  outcome: "ok" | Failure["kind"] | "unsupported_parameter" | "aborted" | "pretended_down";
  status: number | null;
  /** It was abandoned because another member was first: the provider may bill it. */
  given_up?: true;
}

/** `memberCount` of a failure: the number of attempted members, as in `Winner`. */
export type FailoverResult = { attempts: AttemptRecord[] } & (
  | { kind: "answer"; text: string; usage: Usage | null; media?: VendorAnswer; won: Winner }
  | { kind: "streaming"; stream: UpstreamStream; won: Winner }
  | { kind: "buffered"; chunks: Chunk[]; won: Winner }
  | { kind: "failed"; failure: Failure; last: Choice<Member> | null; memberCount: number }
  | { kind: "aborted" }
);

/** The member that answered. */
export interface Winner {
  choice: Choice<Member>;
  /** Attempted members, including this one; a retry at the same member does not count. */
  memberCount: number;
  /** The request was forwarded unchanged in its API's format, and the answer is in that format too. */
  forwarded: boolean;
  /** Parameters that were not sent or were sent under another name. */
  adapted: readonly string[];
  /** The span of the attempt, which `settle` ends; null if there is none. */
  span: AttemptSpan | null;
  /** Reports how the stream ended, for the member's health. */
  settle(how: "completed" | "failed" | "dropped"): void;
}

/** The state of one call so far. */
export interface Run {
  /** Monotonic ms. */
  startedAt: number;
  attempts: AttemptRecord[];
  failures: Failure[];
  /** Not attempted again in this request. */
  excluded: Choice<Member>[];
  /** Ids of the attempted members. */
  attemptedIds: string[];
  last: Choice<Member> | null;
  learned: Learned;
  /** The member of each failure, so that the reported error and the reported member belong together. */
  failedBy: Map<Failure, Choice<Member>> | null;
}
