// An adaptation changes the requests to one member; it is learned from the member's failures.

import type { FailoverCall, FailoverDeps, Run } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { MemberKey } from "#ai/pools/member-keys.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { ChatRequest, Failure, NativeApi, SealedReasoning, ToolsApi } from "#providers/provider.ts";

/** The sealed reasoning of a request to one member. */
export interface SealedInRequest {
  /** How the member seals; null if it does not. */
  sealed: SealedReasoning | null;
  /** All values that can be left out. */
  values: readonly string[];
  /** The values that the member cannot open. */
  foreign: ReadonlySet<string>;
}

/** How a member is called, based on what is known about it. */
export interface Plan {
  /** The member, with the key in use. */
  asked: Choice<Member>;
  /** Null if the member has at most one. */
  key: MemberKey | null;
  /** The API in which the member receives the request unchanged; null if the request is translated. */
  native: NativeApi | null;
  /** The API that is used instead of chat completions; null if chat completions are used. */
  tools: ToolsApi | null;
  sealed: SealedInRequest;
}

/** A failed attempt. */
export interface FailedAttempt {
  deps: FailoverDeps;
  call: FailoverCall;
  run: Run;
  /** The member as it is in the pool; `run` uses it as a key. */
  choice: Choice<Member>;
  plan: Plan;
  request: ChatRequest;
  /** Parameters that the request was sent without because the model had refused them. */
  refused: readonly string[];
  /** Monotonic ms. */
  now: number;
}

/** What a failure means, as far as the adaptations can tell. */
export interface Reading {
  failure: Failure;
  /** The member has a key that the call has not used yet. */
  hasNextKey?: true;
  /** All keys are refused; the first may be used again after this time, ms. */
  keysRestMs?: number;
}

export interface Adaptation {
  name: string;
  /**
   * What the failure means; absent if the adaptation does not change the meaning. `reading`: the meaning according to the adaptations
   * before this one.
   */
  read?(attempt: FailedAttempt, reading: Reading): Reading;
  /** Records what the failure says. True if the member can be called once more with a different request. */
  learn?(attempt: FailedAttempt, reading: Reading): boolean;
  /** The failure that it learns from does not count against the member's health. */
  ignoredByHealth?: true;
}
