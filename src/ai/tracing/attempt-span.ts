// The span of one attempt at a member: of kind CLIENT, from the request to the last byte of the answer. It has the attributes of the GenAI
// conventions, and no text of a prompt or an answer.

import type { Chunk, Failure, Usage } from "#providers/provider.ts";
import type { Span } from "#runtime/tracing/tracing.ts";
import { answerFacts } from "./answer-facts.ts";
import { usageAttributes } from "./usage-attributes.ts";

/** `given_up`: another member that was called at the same time was first. */
type AttemptOutcome = Failure["kind"] | "ok" | "aborted" | "given_up" | "failed";

/** How an answer ended: `dropped` if that says nothing about the member, for example when the caller leaves. */
type StreamEnd = "completed" | "failed" | "dropped";

/** Number of chunks that are searched for the answer's id. */
const maxLooked = 8;

/** Maximum number of finish reasons that are kept: one for each choice, and a vendor may repeat them. */
const maxReasons = 32;

export class AttemptSpan {
  /** Headers of the request, with the trace position of this span. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #span: Span;
  readonly #isGivenUp: () => boolean;
  #usage: Usage | null = null;
  #failure: Failure | null = null;
  #hasId = false;
  #looked = 0;
  #finishReasons: string[] = [];
  #hasEnded = false;

  constructor(span: Span, headers: Readonly<Record<string, string>>, isGivenUp: () => boolean) {
    this.#span = span;
    this.headers = headers;
    this.#isGivenUp = isGivenUp;
  }

  /** The member has begun to answer, after `ms`; `answer` is present if it is whole. */
  answered(
    answer:
      | { kind: "answer"; text: string; usage: Usage | null; media?: unknown }
      | { kind: "buffered"; chunks: readonly Chunk[] }
      | { kind: "streaming" },
    ms: number,
  ): void {
    if (answer.kind === "answer") {
      this.#usage = answer.usage;
      if (answer.media === undefined) this.#note(answer.text);
      return;
    }
    this.#span.setAttribute("gen_ai.response.time_to_first_chunk", ms / 1000);
    if (answer.kind === "buffered") this.chunks(answer.chunks);
  }

  /** Chunks of its stream. */
  chunks(chunks: readonly Chunk[]): void {
    if (!this.#span.isRecording()) return;
    for (const { text, finish, usage } of chunks) {
      if (usage !== null) this.#usage = usage;
      const isLooking = !this.#hasId && this.#looked < maxLooked;
      if (isLooking) this.#looked += 1;
      if (isLooking || finish) this.#note(text);
    }
  }

  #note(text: string): void {
    if (!this.#span.isRecording()) return;
    const { id, model, finishReasons } = answerFacts(text);
    if (id !== null) {
      this.#hasId = true;
      this.#span.setAttribute("gen_ai.response.id", id);
    }
    if (model !== null) this.#span.setAttribute("gen_ai.response.model", model);
    for (const reason of finishReasons)
      if (this.#finishReasons.length < maxReasons) this.#finishReasons.push(reason);
  }

  /** Its stream was interrupted. `settled` follows. */
  brokeOff(failure: Failure): void {
    this.#failure = failure;
  }

  /** How its answer ended. */
  settled(how: StreamEnd): void {
    if (this.#failure !== null) this.ended(this.#failure.kind, this.#failure);
    else this.ended(how === "completed" ? "ok" : how === "failed" ? "failed" : "aborted");
  }

  ended(outcome: AttemptOutcome, failure: Failure | null = null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const span = this.#span;
    const isAborted = outcome === "aborted" || outcome === "given_up";
    span.setAttribute("trunkline.attempt.outcome", isAborted && this.#isGivenUp() ? "given_up" : outcome);
    if (this.#usage !== null) span.setAttributes(usageAttributes(this.#usage));
    if (this.#finishReasons.length > 0)
      span.setAttribute("gen_ai.response.finish_reasons", this.#finishReasons);
    const status = statusOf(outcome, failure);
    if (status !== null) span.setAttribute("http.response.status_code", status);
    if (isAborted) span.setAttribute("error.type", "cancelled");
    else if (outcome !== "ok") {
      span.setAttribute("error.type", ownCode(failure) ?? outcome);
      span.fail();
    }
    span.end();
  }
}

/** The code of a failure that the gateway itself detected, such as a timeout; null if the vendor answered with it. */
function ownCode(failure: Failure | null): string | null {
  const code = failure?.error.code ?? null;
  return code !== null && (code.startsWith("upstream_") || code === "url_not_allowed") ? code : null;
}

/** The status that the member answered with; null if there was none or it is not known. */
function statusOf(outcome: AttemptOutcome, failure: Failure | null): number | null {
  if (outcome === "ok") return 200;
  return failure === null || ownCode(failure) !== null ? null : failure.status;
}
