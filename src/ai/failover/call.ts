// A call on its way through the members of a pool: what it asks for, what it has met so far, and how it ends.

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
import type { AttemptDeps } from "./attempt.ts";
import type { SealedOrigins } from "./sealed-origins.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

/** `buffered`: a stream that is held back until it is whole. `folded`: a whole answer that is asked for as a stream. */
export type AnswerMode = "chat" | "stream" | "buffered" | "folded" | "embeddings" | ForwardedOperation;

/** What became of a request to a member. `ok`: it has begun to answer. */
interface AttemptEnd extends Pick<AttemptRecord, "outcome" | "status"> {
  /** Why it failed, for the pool's owner: the vendor's words, without keys. Null: it did not. */
  reason: string | null;
}

/** A call by which a person tries the pool and sees how it is served. */
export interface Trial {
  /** Ids of members that count as down in this call, also when they are well. */
  pretendDown: readonly string[];
  /** A member is asked. What this returns is called when that request has failed, or the answer begins. */
  asked(choice: Choice<Member>): (end: AttemptEnd) => void;
}

export interface FailoverCall {
  /** Its rules say how its members are gone through. */
  pool: Pool;
  choices: readonly Choice<Member>[];
  /** Identifies the conversation, for session affinity within a tier; null if the pool keeps no conversations. */
  affinity?: Affinity | null;
  mode: AnswerMode;
  text: string;
  body: Readonly<Record<string, unknown>>;
  /** Of a forwarded operation that takes one; null if the request is `text`. */
  form: Form | null;
  /** The request in the API in which the client asks. */
  api: ApiRequest;
  /** Estimated tokens of the input: long prompts take longer. */
  promptTokens: number;
  /** Headers that each request to a member has too. */
  extraHeaders?: Readonly<Record<string, string>> | null | undefined;
  /** Monotonic ms. */
  deadlineAt: number;
  signal: LightAbortSignal;
  trial?: Trial | undefined;
  /** Absent: the call leaves no spans. */
  span?: CallSpan | undefined;
  /** Whether `signal` aborted because another member that was asked too was first; absent: only one is asked. */
  isGivenUp?: () => boolean;
}

export interface FailoverDeps extends AttemptDeps {
  clock: Clock;
  random: () => number;
  /** The vendors' list prices; absent: those that come with this version. */
  prices?: ListPrices | undefined;
  /** Who made the sealed reasoning that clients send back. */
  origins: SealedOrigins;
  /** A member's circuit opened or its credentials were refused, and why; reported to the account. */
  memberDown(member: Member, failure: Failure): void;
  memberUp(member: Member): void;
  /** One of several keys of a member was refused; `position`: in its list, from 1 on. The others are used. */
  keyRefused(member: Member, position: number, failure: Failure): void;
  /** Another member is asked than the one that failed. `memberCount`: members asked so far. */
  failedOver(from: Choice<Member>, to: Choice<Member>, failure: Failure, memberCount: number): void;
  /** No member could serve the call, and none is to blame for it but the pool's own. */
  exhausted(last: Choice<Member> | null, failure: Failure, memberCount: number): void;
}

/** One attempt, for the usage record. */
export interface AttemptRecord {
  member: string;
  model: string;
  /** When it began, ms from the start of the call. What is between attempts are waits. */
  started_ms: number;
  ms: number;
  /** `pretended_down`: nothing was sent, since the call says that the member is to count as down. */
  outcome: "ok" | Failure["kind"] | "unsupported_parameter" | "aborted" | "pretended_down";
  status: number | null;
  /** It was given up, since another member that was asked too was first: the provider may bill it. */
  given_up?: true;
}

/** `memberCount` of a failure: the members that were attempted, as in `Winner`. */
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
  /** Members attempted, including this one; a repeat at the same member does not count. */
  memberCount: number;
  /** The request was forwarded in its API's format, in which the answer is too. */
  forwarded: boolean;
  /** Parameters that it was not sent, or under another name. */
  adapted: readonly string[];
  /** Of the attempt, which `settle` ends; null if it has none. */
  span: AttemptSpan | null;
  /** Reports how the stream ended; the member's health needs it. */
  settle(how: "completed" | "failed" | "dropped"): void;
}

/** How members are asked in the rest of the call, after what they refused. The two attempts of a hedged call share it. */
export interface Learned {
  /** Members asked again for a shorter answer, which happens once. */
  shortened: Set<Choice<Member>>;
  /** Members that refused the sealed reasoning of the request, and are asked without any. */
  unsealed: Set<Choice<Member>>;
  /** Members that refused a conversation without their thoughts, and are asked with a filler in place of them. */
  filled: Set<Choice<Member>>;
  /**
   * Members that refused the request as it came, in a format that their vendor documents, and are asked with a translated one.
   * The values: whether they had no such path.
   */
  translated: Map<Choice<Member>, boolean>;
  /** Positions of the keys that were limited or refused in this call, of members with several. */
  spentKeys: Map<Choice<Member>, Set<number>>;
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
