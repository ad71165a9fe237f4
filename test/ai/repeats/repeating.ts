// Calls that may share answers, with members that a test answers for, and a storage as the test has it.

import assert from "node:assert/strict";
import type { CallOutcome, CompletionResult } from "#ai/completion.ts";
import type { Pool } from "#ai/pools/member.ts";
import { Repeats } from "#ai/repeats/repeats.ts";
import type { AnswerStorage } from "#ai/repeats/stored-answers.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { poolOf, requested } from "../completing.ts";
import { poolKey } from "../pools/pool-keys.ts";

const outcomeOf = (status: number): CallOutcome => ({
  status,
  member: "one",
  model: "gpt",
  attempts: [],
  usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
  estimated: false,
  cost: null,
  firstByteMs: 1,
  ms: 1,
});
const served = { provider: "one", model: "gpt", latency_ms: 1, attempts: 1 };

/** No storage; that has its own tests. */
const unstored: AnswerStorage = {
  open: async () => ({ kind: "mine" }),
  keep: async () => {},
  release: () => {},
};

interface Asked {
  resolve(result: CompletionResult): void;
  reject(error: Error): void;
}

export function open(pool: Partial<Pool> = {}, storage: Partial<AnswerStorage> = {}) {
  const clock: MovableClock = movableClock();
  const repeats: Repeats = new Repeats({ clock, stored: { ...unstored, ...storage } });
  const asked: Asked[] = [];
  const outcomes: CallOutcome[] = [];
  const call = ({
    stream = false,
    idempotencyKey = null as string | null,
    text = "hello",
    gone = new AbortController(),
    keepAlive = undefined as (() => string) | undefined,
  } = {}) => {
    const body = { messages: [{ role: "user", content: text }] };
    let outcome: CallOutcome | null = null;
    const request = requested(stream, { body, text: JSON.stringify(body) });
    const served = repeats.serve({
      pool: poolOf([], { cache: { ttl_s: 60 }, ...pool }),
      key: poolKey(),
      request: keepAlive ? { ...request, api: Object.assign(request.api, { keepAlive }) } : request,
      repeatable: { path: "/p", idempotencyKey, skipsCache: false },
      signal: gone.signal,
      answer: async () => {
        const { promise, resolve, reject } = Promise.withResolvers<CompletionResult>();
        asked.push({ resolve, reject });
        return await promise;
      },
      outcome: () => outcome,
      ended: (how) => {
        outcome = how;
        outcomes.push(how);
      },
    });
    const settle = (status: number) => {
      outcome = outcomeOf(status);
    };
    return { served, settle };
  };
  return { clock, asked, outcomes, call };
}

export const answer = (text: string): CompletionResult => ({ kind: "answer", text, served });
export const failure: CompletionResult = {
  kind: "error",
  status: 502,
  error: { message: "No.", type: "server_error", param: null, code: null },
  retryAfterMs: null,
  served: null,
};
export const textOf = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed, origin } = await served;
  return [completed.kind === "answer" ? completed.text : completed.kind, origin.cache, origin.replayed];
};

export const streamed = (pieces: (string | null)[], ends: () => void): CompletionResult => ({
  kind: "stream",
  served,
  stream: {
    next: async () => {
      const next = pieces.shift() ?? null;
      if (pieces.length === 0) ends();
      return next;
    },
    cancel: () => {},
    stop: () => {},
  },
});
export const streamIn = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed } = await served;
  assert.ok(completed.kind === "stream");
  return completed.stream;
};

export const keyed = { idempotencyKey: "once" };
export const codeOf = async (served: ReturnType<Repeats["serve"]>) => {
  const { completed } = await served;
  return completed.kind === "error" ? [completed.status, completed.error.code] : completed.kind;
};
