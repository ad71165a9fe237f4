// The outcome of a request to a member, and the meaning of a member's state, in plain words.

import type { PoolCall, PoolCallAttempt, PoolMemberHealth } from "#ui/api/schema.ts";

type Attempt = Pick<PoolCallAttempt, "outcome" | "status">;

const outcomes: Readonly<Record<string, string>> = {
  ok: "answered",
  aborted: "ended here: the caller went away, or another member was faster",
  upstream_error: "failed",
  rate_limited: "asked to wait",
  unauthorized: "refused the key, balance or permission",
  model_not_found: "does not have the model",
  context_length: "the request is too long for it",
  content_policy: "refused the content",
  invalid_request: "refused the request",
  unsupported: "cannot do what the request asks for",
  pretended_down: "not asked: pretended down",
  unsupported_parameter: "not asked: it cannot do what the request asks for",
};

/** Whether an attempt without an answer says nothing about its member. */
export const isBlameless = (outcome: string): boolean =>
  outcome === "aborted" || outcome === "pretended_down";

/** `failed · 503`; without a status, there was no answer. A word of a newer service is shown unchanged. */
export function outcomeOf({ outcome, status }: Attempt): string {
  const words = outcomes[outcome] ?? outcome.replaceAll("_", " ");
  if (outcome === "ok") return words;
  if (outcome === "upstream_error" && status === null) return "no answer";
  return status === null ? words : `${words} · ${status}`;
}

/** How a call was answered without a member, for its tag and in a sentence. */
export const reusedWords: Readonly<
  Record<NonNullable<PoolCall["reused"]>, { tag: string; sentence: string }>
> = {
  cache: {
    tag: "cache",
    sentence: "The pool's cache answered with the answer to an equal request. No member was called.",
  },
  idempotency_key: {
    tag: "repeat",
    sentence:
      "The answer to an earlier request with the same Idempotency-Key was repeated. No member was called.",
  },
};

/** `ready`: it takes requests, and has not answered one recently; `failed`: it takes requests, and failed the last one. */
type State = PoolMemberHealth["state"] | "ready" | "failed";

interface StateWords {
  /** The state, in plain words. */
  word: string;
  /** Its reason, and what happens automatically; null if there is nothing to explain. */
  why: string | null;
  /** Whether requests are sent to it as to any other. */
  serves: boolean;
}

const stateWords: Readonly<Record<State, StateWords>> = {
  up: { word: "up", why: null, serves: true },
  ready: {
    word: "not asked recently",
    why: "It takes requests. The pool's last 1,000 calls have no answer from it.",
    serves: true,
  },
  failed: { word: "failed when last asked", why: "It still takes requests.", serves: true },
  half_open: {
    word: "being tried",
    why: "It was down. One request is sent to it as a test: if that succeeds, it is up again.",
    serves: false,
  },
  open: {
    word: "down",
    why: "It failed twice in a row or for a third of the last minute's requests, or it was overloaded and asked for a pause. It is asked only if no other member can answer.",
    serves: false,
  },
  cooling_down: {
    word: "resting",
    why: "The provider asked to wait. It is not asked until then.",
    serves: false,
  },
  unauthorized: {
    word: "refused",
    why: "The provider refuses the key, its balance or its permission. Look at its settings, or at the account there.",
    serves: false,
  },
  off: { word: "off", why: "It is switched off and receives no requests.", serves: false },
};

type Known = Omit<PoolMemberHealth, "member" | "name" | "until" | "responses" | "keys" | "refused">;

function stateIn({ state, first_output_ms, last_answered_at, last_failure }: Known): State {
  if (state !== "up") return state;
  const answered = Date.parse(last_answered_at ?? "");
  // A comparison with no answer at all is false.
  if (last_failure !== null && !(Date.parse(last_failure.at) <= answered)) return "failed";
  return last_answered_at === null && first_output_ms === null ? "ready" : "up";
}

/** The state that a person should see: a member is up only if its last request was answered. */
export const stateOf = (known: Known): StateWords & { state: State } => {
  const state = stateIn(known);
  const isAsked = state === "ready" && known.recent.asked + known.in_flight > 0;
  return { state, ...stateWords[state], ...(isAsked ? { word: "no recent answer" } : {}) };
};

/** `half`, among members of one priority that may serve: a weight of 1 beside a 3 is 25 %. */
export const shareOf = (weight: number, weights: readonly number[]): string =>
  `${Math.round((weight / weights.reduce((sum, each) => sum + each, 0)) * 100)} %`;
