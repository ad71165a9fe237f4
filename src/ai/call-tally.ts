// Measures one call: time to the first byte, output units, duration; reports the outcome once.

import type { AttemptRecord, FailoverDeps, FailoverResult, Winner } from "#ai/failover/call.ts";
import { answerTokens, unitsPerToken } from "#ai/limits/estimate.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { ServicePool } from "#ai/stream/sse-writer.ts";
import type { Usage } from "#providers/provider.ts";
import { statusOf } from "./call-errors.ts";
import type { CallOutcome, CompletionRequest, CompletionResult } from "./completion.ts";
import { callCost } from "./pricing.ts";

const noUsage: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

export class CallTally {
  readonly startedAt: number;
  readonly #deps: FailoverDeps;
  readonly #pool: Pick<Pool, "members">;
  readonly #request: CompletionRequest;
  readonly #onEnd: (outcome: CallOutcome) => void;
  #firstByteMs: number | null = null;
  #units = 0;
  #closed = false;

  constructor(
    deps: FailoverDeps,
    pool: Pick<Pool, "members">,
    request: CompletionRequest,
    onEnd: (outcome: CallOutcome) => void,
  ) {
    this.#deps = deps;
    this.#pool = pool;
    this.#request = request;
    this.#onEnd = onEnd;
    this.startedAt = deps.clock.monotonic();
  }

  #elapsed(): number {
    return this.#deps.clock.monotonic() - this.startedAt;
  }

  /** The member as `service_pool` reports it. `memberCount`: members called, including this one. */
  servedBy({ member, model }: Choice<Member>, memberCount: number): ServicePool {
    this.#firstByteMs ??= this.#elapsed();
    const latency_ms = Math.round(this.#firstByteMs * 10) / 10;
    return { provider: member.name, model, latency_ms, attempts: memberCount };
  }

  markFirstByte(): void {
    this.#firstByteMs ??= this.#elapsed();
  }

  addUnits(units: number): void {
    this.#units += units;
  }

  closeUnanswered(
    result: FailoverResult,
  ): Exclude<CompletionResult, { kind: "answer" } | { kind: "stream" }> {
    if (result.kind !== "failed") {
      this.close(499, { attempts: result.attempts });
      return { kind: "aborted" };
    }
    const { failure, last, memberCount } = result;
    const status = statusOf(failure);
    const served = last === null ? null : this.servedBy(last, memberCount);
    this.close(status, { attempts: result.attempts });
    return { kind: "error", status, error: failure.error, retryAfterMs: failure.retryAfterMs, served };
  }

  /** The client disconnected before any member had answered. */
  closeAbandoned(result: FailoverResult): void {
    if (result.kind === "streaming") result.stream.cancel();
    if (result.kind === "streaming" || result.kind === "buffered") result.won.settle("dropped");
    this.close(499, { attempts: result.attempts });
  }

  /** Reports the outcome; null if it was reported before. */
  close(
    status: number,
    result: {
      attempts: readonly AttemptRecord[];
      won?: Winner;
      usage?: Usage | null;
      text?: string;
    } | null,
  ): CallOutcome | null {
    if (this.#closed) return null;
    this.#closed = true;
    const choice = result?.won?.choice ?? null;
    const known = choice ? (result?.usage ?? null) : noUsage;
    const used = {
      member: choice?.member.name ?? null,
      model: choice?.model ?? null,
      attempts: result?.attempts ?? [],
      usage: known ?? this.#estimate(result?.text ?? null),
    };
    const outcome: CallOutcome = {
      ...used,
      status,
      cost: callCost(this.#pool, used, this.#deps.prices),
      estimated: known === null,
      firstByteMs: this.#firstByteMs,
      ms: this.#elapsed(),
    };
    this.#onEnd(outcome);
    return outcome;
  }

  /** `text`: that of a whole answer; null if it is estimated from what the stream has sent. */
  #estimate(text: string | null): Usage {
    const { kind, promptTokens } = this.#request;
    const completionTokens =
      text === null ? Math.ceil(this.#units / unitsPerToken) : answerTokens(kind, text);
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }
}
