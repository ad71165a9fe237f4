// How long a member takes to its first output, and when its silence becomes unusual. Kept by kind of response: a whole answer takes as long
// as all of its tokens, embeddings take none of that time, and one average over all would depend on what clients happen to request.

import type { ForwardedOperation } from "#contract/ai/operations.ts";

export type ResponseKind = "stream" | "whole" | "embeddings" | ForwardedOperation;

/** Weight of a new time that is below the moving average. */
const decay = 0.2;
/** Long prompts delay the first output: times are not scaled for prompts up to this size, tokens. */
const typicalPromptTokens = 4_000;
/** A wait is overdue after this many times the average. */
const overdueFactor = 4;
/** The minimum, ms: a member that answers in 20 ms is not slow after 80. */
const minOverdueMs: Record<ResponseKind, number> = {
  stream: 5_000,
  whole: 10_000,
  embeddings: 5_000,
  image: 30_000,
  speech: 10_000,
  transcription: 30_000,
  moderation: 5_000,
  rerank: 5_000,
};
/** Lower bound for a timeout derived from past responses, because one request may need far longer than the others. */
const minAnswerMs = 60_000;
/** Callers who leave sooner say nothing: they may have changed their minds. */
const minUnusualMs = 1_000;
/** For a member without an average: thinking or cold models take long, an image or an hour of sound a minute. */
const defaultOverdueMs = 20_000;
const defaultMediaMs = 60_000;

/** How much longer than usual a prompt of this many tokens may take: 1 for all but long ones. */
export const promptSizeFactor = (promptTokens: number) => Math.max(1, promptTokens / typicalPromptTokens);

/** Number of times that a percentile is computed from, and the minimum. */
const maxRecent = 100;
const minRecent = 20;

/** The position of a time, present or to be inserted, in a sorted list. */
function placeOf(sorted: readonly number[], ms: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < ms) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class ResponseTimes {
  readonly #averages: Partial<Record<ResponseKind, number>> = {};
  /** The last times of each kind, normalised: in order of arrival, with the position of the next one, and sorted. */
  readonly #recent: Partial<Record<ResponseKind, { times: number[]; next: number; sorted: number[] }>> = {};

  /** The moving average, ms, normalised to short prompts; null if there was no such response yet. */
  average(kind: ResponseKind): number | null {
    return this.#averages[kind] ?? null;
  }

  /** Records a time to the first output. Increases take effect immediately, improvements gradually. */
  record(kind: ResponseKind, tookMs: number, size: number): void {
    const ms = tookMs / size;
    this.#recent[kind] ??= { times: [], next: 0, sorted: [] };
    const recent = this.#recent[kind];
    const oldest = recent.times[recent.next];
    // Kept sorted, because each call needs a percentile.
    if (oldest !== undefined) recent.sorted.splice(placeOf(recent.sorted, oldest), 1);
    recent.sorted.splice(placeOf(recent.sorted, ms), 0, ms);
    recent.times[recent.next] = ms;
    recent.next = (recent.next + 1) % maxRecent;
    const before = this.average(kind);
    this.#averages[kind] = before === null || ms > before ? ms : before + decay * (ms - before);
  }

  /** The 95th percentile of the last times, ms; null if there are too few. */
  lateMs(kind: ResponseKind, size: number): number | null {
    return this.#percentile(kind, size, 0.95);
  }

  /** The longest wait for a whole answer while another member is left, ms; null if too few times are known. */
  answerMs(kind: ResponseKind, size: number): number | null {
    const slowest = this.#percentile(kind, size, 0.99);
    return slowest === null ? null : Math.max(minAnswerMs, overdueFactor * slowest);
  }

  /**
   * After how long a wait, ms, a caller's disconnect is evidence against this member, and whether one such wait is sufficient. Otherwise
   * the waits of several callers must add up to `overdueMs`.
   */
  unusual(kind: ResponseKind, size: number): { ms: number; isKnown: boolean } {
    const slowest = this.#percentile(kind, size, 0.99);
    const ms = slowest === null ? 2 * (this.average(kind) ?? 0) * size : overdueFactor * slowest;
    return { ms: Math.max(minUnusualMs * size, ms), isKnown: slowest !== null };
  }

  #percentile(kind: ResponseKind, size: number, share: number): number | null {
    const sorted = this.#recent[kind]?.sorted ?? [];
    if (sorted.length < minRecent) return null;
    return (sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * size;
  }

  /** After how long a wait is overdue for this member, ms. */
  overdueMs(kind: ResponseKind, size: number): number {
    const average = this.average(kind);
    const unknownMs = kind === "image" || kind === "transcription" ? defaultMediaMs : defaultOverdueMs;
    const ms = average === null ? unknownMs : Math.max(minOverdueMs[kind], overdueFactor * average);
    return ms * size;
  }
}
