// What an adaptation is: a change of requests to one member, which is learned from the member's failures.

import type { FailoverCall, FailoverDeps, Run } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { MemberKey } from "#ai/pools/member-keys.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { ChatRequest, Failure, NativeApi, SealedReasoning, ToolsApi } from "#providers/provider.ts";

/** The sealed reasoning of a request on its way to one member. */
export interface SealedInRequest {
  /** How the member seals; null if it does not. */
  sealed: SealedReasoning | null;
  /** All that can be left out. */
  values: readonly string[];
  /** What the member cannot open. */
  foreign: ReadonlySet<string>;
}

/** In which form a member is asked, by what is known of it. */
export interface Plan {
  /** The member, with the key that is used. */
  asked: Choice<Member>;
  /** Null if the member has no more than one. */
  key: MemberKey | null;
  /** The API in which the member gets the request as it came; null if the request is translated. */
  native: NativeApi | null;
  /** The API that is used instead of chat completions; null if chat completions are. */
  tools: ToolsApi | null;
  sealed: SealedInRequest;
}

/** An attempt that failed. */
export interface FailedAttempt {
  deps: FailoverDeps;
  call: FailoverCall;
  run: Run;
  /** The member as it is in the pool, which `run` remembers. */
  choice: Choice<Member>;
  plan: Plan;
  request: ChatRequest;
  /** Parameters that the request was sent without, since the model had refused them. */
  refused: readonly string[];
  /** Monotonic ms. */
  now: number;
}

/** What a failure means, as far as the adaptations know. */
export interface Reading {
  failure: Failure;
  /** The member has a key that the call has not tried. */
  hasNextKey?: true;
  /** All keys are refused, and the first may be tried again after this time, ms. */
  keysRestMs?: number;
}

export interface Adaptation {
  name: string;
  /** What the failure means; absent if the adaptation changes no meanings. `reading`: by the adaptations before this one. */
  read?(attempt: FailedAttempt, reading: Reading): Reading;
  /** Remembers what the failure says. True if the member can be asked once more, with another request. */
  learn?(attempt: FailedAttempt, reading: Reading): boolean;
  /** The failure that it learns from says nothing about the member's health. */
  ignoredByHealth?: true;
}
