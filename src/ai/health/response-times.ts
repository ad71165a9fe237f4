// How long a member takes to say something, and from when on its silence means something. Kept apart by what is
// asked: a whole answer takes as long as all of its words, and an embedding none of that, so that one average of
// them would make a member look slow, or quick, by what its callers happen to ask for.

export type ResponseKind = "stream" | "whole" | "embeddings";

/** Weight of the newest time in the moving average, when it is lower than the average. */
const decay = 0.2;
/** The first output takes longer the longer the prompt is: times count for prompts up to this, tokens. */
const typicalPromptTokens = 4_000;
/** A wait is longer than usual from this many times the average on. */
const overdueFactor = 4;
/** And never before this, ms: a member that answers in 20 ms is not slow after 80. */
const minOverdueMs: Record<ResponseKind, number> = { stream: 5_000, whole: 10_000, embeddings: 5_000 };
/** Of a member that has not answered yet: models that think, or load first, take long. */
const defaultOverdueMs = 20_000;

/** By how much longer than usual a prompt of so many tokens may take: 1 for all that are not long. */
export const promptSizeFactor = (promptTokens: number) => Math.max(1, promptTokens / typicalPromptTokens);

export class ResponseTimes {
  readonly #averages: Record<ResponseKind, number | null> = { stream: null, whole: null, embeddings: null };

  /** The moving average, ms, for prompts that are not long; null: it has not answered such a request yet. */
  average(kind: ResponseKind): number | null {
    return this.#averages[kind];
  }

  /** It took this long to say something. Peaks are believed at once, improvements slowly. */
  record(kind: ResponseKind, tookMs: number, size: number): void {
    const ms = tookMs / size;
    const before = this.#averages[kind];
    this.#averages[kind] = before === null || ms > before ? ms : before + decay * (ms - before);
  }

  /** How long a caller waits who waits longer than is usual for this member, ms. */
  overdueMs(kind: ResponseKind, size: number): number {
    const average = this.#averages[kind];
    const ms = average === null ? defaultOverdueMs : Math.max(minOverdueMs[kind], overdueFactor * average);
    return ms * size;
  }
}
