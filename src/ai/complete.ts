// One completion, from the caller's request to the caller's answer: members are asked in turn behind it, and
// nothing of a member is shown before it has really answered. The usage is told once, however it ends.

import {
  type AttemptRecord,
  type FailoverDeps,
  type FailoverResult,
  runFailover,
} from "#ai/failover/failover.ts";
import type { RetryBudget } from "#ai/failover/retry-budget.ts";
import { answerTokens, unitsPerToken } from "#ai/limits/estimate.ts";
import type { Member } from "#ai/pools/member.ts";
import { eligibleMembers } from "#ai/pools/pool.ts";
import { errorFrame, rewrite, type ServicePool, SseWriter } from "#ai/stream/sse-writer.ts";
import { aiProblems } from "#contract/ai/openai-error.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ApiError, Failure, Usage } from "#providers/provider.ts";
import { Stop, type StopSignal } from "#runtime/light-abort-controller.ts";

/** A pool, as a request uses it. */
export interface Pool {
  id: string;
  accountId: string;
  name: string;
  /** Epoch ms. */
  createdAt: number;
  strictModels: boolean;
  answerModel: "pool" | "served";
  streamMode: "live" | "complete";
  headersAfterMs: number;
  deadlineMs: number;
  /** For a whole answer of one member while another is left, ms; null: half of what is left of the deadline. */
  answerMs: number | null;
  members: readonly Member[];
  retryBudget: RetryBudget;
}

export interface CompletionRequest {
  kind: "chat" | "embeddings";
  /** The body as it came, and parsed. */
  text: string;
  body: Readonly<Record<string, unknown>>;
  model: string | null;
  stream: boolean;
  /** Whether the caller asked for the usage of the stream. */
  includeUsage: boolean;
  /** The key's models; null: all. */
  allowedModels: readonly string[] | null;
  /** Tokens of the input, estimated (see `estimate.ts`). */
  promptTokens: number;
}

/** A request as its caller makes it. */
export type ClientRequest = Omit<CompletionRequest, "allowedModels" | "promptTokens">;

/** What became of a call, for the usage record. */
export interface CallOutcome {
  /** The status that the caller saw; 499: they went away. */
  status: number;
  member: string | null;
  model: string | null;
  tried: readonly AttemptRecord[];
  usage: Usage;
  /** The provider did not tell the usage: it is estimated from the texts. */
  estimated: boolean;
  /** Until the first byte for the caller; null: there was none. */
  firstByteMs: number | null;
  ms: number;
}

/** Text for the caller, as it comes. */
export interface ResponseStream {
  /** The next text; null at the end. */
  next(): Promise<string | null>;
  /** The caller went away. */
  cancel(): void;
  /** This process ends: what has begun to speak ends with an error that says so. */
  stop(): void;
}

export type CompletionResult =
  | { kind: "answer"; text: string; served: ServicePool }
  /** `served` null: the headers go out before anybody has answered. */
  | { kind: "stream"; stream: ResponseStream; served: ServicePool | null }
  | {
      kind: "error";
      status: number;
      error: ApiError;
      retryAfterMs: number | null;
      served: ServicePool | null;
    }
  | { kind: "aborted" };

/** Serves a request; `onEnd` is called exactly once. `signal`: the caller goes away. */
export async function complete(
  parts: FailoverDeps,
  pool: Pool,
  request: CompletionRequest,
  signal: StopSignal,
  onEnd: (outcome: CallOutcome) => void,
): Promise<CompletionResult> {
  const { clock } = parts;
  const tally = new CallTally(parts, request, onEnd);
  const embeds = request.kind === "embeddings";
  const found = eligibleMembers(
    pool.members,
    { model: request.model, poolName: pool.name, strict: pool.strictModels, allowed: request.allowedModels },
    (member) => (!embeds ? member.models : member.provider.embeds ? member.embeddingModels : []),
  );
  if (found.kind === "unknown_model") {
    tally.close(404, null);
    return {
      kind: "error",
      status: 404,
      error: unknownModel(request.model),
      retryAfterMs: null,
      served: null,
    };
  }
  if (embeds && found.choices.length === 0 && !pool.members.some(embedding)) {
    tally.close(400, null);
    return { kind: "error", status: 400, error: noEmbeddings, retryAfterMs: null, served: null };
  }
  const naming = (model: string) => ({
    model: pool.answerModel === "pool" ? pool.name : model,
    created: Math.floor(clock.now() / 1000),
  });
  const mode = embeds
    ? "embeddings"
    : !request.stream
      ? "chat"
      : pool.streamMode === "complete"
        ? "buffered"
        : "stream";
  const chain = runFailover(parts, {
    choices: found.choices,
    mode,
    text: request.text,
    body: request.body,
    promptTokens: request.promptTokens,
    answerMs: pool.answerMs,
    deadlineAt: tally.startedAt + pool.deadlineMs,
    signal,
    retryBudget: pool.retryBudget,
  });
  if (!request.stream) {
    const result = await chain;
    if (result.kind !== "answer") return tally.closeUnanswered(result);
    const served = tally.servicePool(
      result.won.choice.member.name,
      result.won.choice.model,
      result.won.attempts,
    );
    tally.close(200, result);
    return { kind: "answer", text: rewrite(result.text, naming(result.won.choice.model), served), served };
  }
  const patience = new Stop();
  const early = await Promise.race([chain, clock.sleep(pool.headersAfterMs, patience).then(() => null)]);
  patience.stop();
  if (early && early.kind !== "streaming" && early.kind !== "buffered") return tally.closeUnanswered(early);
  const rules = (served: ServicePool) => ({
    ...naming(served.model),
    includeUsage: request.includeUsage,
    served,
  });
  if (early === null) return { kind: "stream", stream: deferredStream(tally, chain, rules), served: null };
  const served = tally.servicePool(early.won.choice.member.name, early.won.choice.model, early.won.attempts);
  return { kind: "stream", stream: relay(tally, early, new SseWriter(rules(served))), served };
}

/** For streams that a process that ends does not see to their end. */
const stopping = apiError("The service is stopping; try again.", "server_error", "unavailable");

type StreamingResult = Extract<FailoverResult, { kind: "streaming" } | { kind: "buffered" }>;
type WriterOptions = (served: ServicePool) => ConstructorParameters<typeof SseWriter>[0];

/** A stream whose headers are out before anybody has answered: a failure comes inside it. */
function deferredStream(
  tally: CallTally,
  chain: Promise<FailoverResult>,
  rules: WriterOptions,
): ResponseStream {
  let inner: ResponseStream | null = null;
  let over = false;
  return {
    next: async () => {
      if (over) return null;
      if (inner) return await inner.next();
      const result = await chain;
      if (result.kind === "streaming" || result.kind === "buffered") {
        const { choice, attempts } = result.won;
        const served = tally.servicePool(choice.member.name, choice.model, attempts);
        inner = relay(tally, result, new SseWriter(rules(served)));
        return await inner.next();
      }
      over = true;
      const completed = tally.closeUnanswered(result);
      return completed.kind === "error" ? errorFrame(completed.error, completed.served) : null;
    },
    cancel: () => {
      over = true;
      if (inner) inner.cancel();
      else {
        // A chain that threw is told of by whoever waited for it; the tally is closed all the same.
        const threw = () => tally.close(500, null);
        void chain.then((result) => tally.closeAbandoned(result), threw);
      }
    },
    stop: () => inner?.stop(),
  };
}

/** Hands a stream on, chunk by chunk. */
function relay(tally: CallTally, result: StreamingResult, frames: SseWriter): ResponseStream {
  const { won } = result;
  let over = false;
  let stopped = false;
  let whole = result.kind === "buffered" ? result.chunks : null;
  const end = (status: number, how: "completed" | "failed" | "dropped") => {
    over = true;
    won.settle(how);
    tally.close(status, { ...result, usage: frames.usage });
  };
  return {
    next: async () => {
      while (!over) {
        const said = whole
          ? { kind: "chunks" as const, chunks: whole }
          : result.kind === "streaming"
            ? await result.stream.next()
            : { kind: "done" as const };
        whole = null;
        if (over) break;
        tally.markFirstByte();
        if (said.kind === "done") {
          end(200, "completed");
          return frames.done();
        }
        if (said.kind === "failed") {
          if (result.kind === "streaming") result.stream.cancel();
          end(statusOf(said.failure), said.overtime ? "dropped" : "failed");
          return frames.failed(said.failure.error);
        }
        let text = "";
        for (const chunk of said.chunks) {
          tally.addUnits(chunk.units);
          text += frames.chunk(chunk);
        }
        if (text !== "") return text;
      }
      if (!stopped) return null;
      stopped = false;
      return frames.failed(stopping);
    },
    cancel: () => {
      if (over) return;
      if (result.kind === "streaming") result.stream.cancel();
      end(499, "dropped");
    },
    stop: () => {
      if (over) return;
      stopped = true;
      if (result.kind === "streaming") result.stream.cancel();
      end(503, "dropped");
    },
  };
}

const embedding = ({ provider, embeddingModels }: Member) => provider.embeds && embeddingModels.length > 0;

/** No repeat of the call can help, so that it is no 503. */
const noEmbeddings: ApiError = {
  message: aiProblems.no_embeddings.message,
  type: aiProblems.no_embeddings.type,
  param: "model",
  code: "no_embeddings",
};

function unknownModel(model: string | null): ApiError {
  return {
    message: `The model \`${model ?? ""}\` does not exist or you do not have access to it.`,
    type: "invalid_request_error",
    param: "model",
    code: "model_not_found",
  };
}

/** The status for the caller. What is wrong with a member's own key is no fault of theirs. */
function statusOf({ kind, status }: Failure): number {
  switch (kind) {
    case "invalid_request":
    case "context_length":
    case "content_policy":
      return status >= 400 && status < 500 ? status : 400;
    case "unsupported":
      // A 429 for a request that is larger than the model's whole minute: clients would repeat it for ever.
      return status === 429 ? 413 : status >= 400 && status < 500 ? status : 400;
    case "rate_limited":
      return 429;
    case "model_not_found":
      return 404;
    case "unauthorized":
      return 502;
    case "upstream_error":
      return status === 503 || status === 504 ? status : 502;
  }
}

const noUsage: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** What a call has cost and how long it took. */
class CallTally {
  readonly startedAt: number;
  readonly #parts: FailoverDeps;
  readonly #request: CompletionRequest;
  readonly #onEnd: (outcome: CallOutcome) => void;
  #firstByteMs: number | null = null;
  #units = 0;
  #closed = false;

  constructor(parts: FailoverDeps, request: CompletionRequest, onEnd: (outcome: CallOutcome) => void) {
    this.#parts = parts;
    this.#request = request;
    this.#onEnd = onEnd;
    this.startedAt = parts.clock.monotonic();
  }

  #elapsed(): number {
    return this.#parts.clock.monotonic() - this.startedAt;
  }

  servicePool(provider: string, model: string, attempts: number): ServicePool {
    this.#firstByteMs ??= this.#elapsed();
    return { provider, model, latency_ms: Math.round(this.#firstByteMs * 10) / 10, attempts };
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
      this.close(499, { tried: result.tried });
      return { kind: "aborted" };
    }
    const { failure, last, asked } = result;
    const status = statusOf(failure);
    const served = last === null ? null : this.servicePool(last.member.name, last.model, asked);
    this.close(status, { tried: result.tried });
    return { kind: "error", status, error: failure.error, retryAfterMs: failure.retryAfterMs, served };
  }

  /** The caller went away while nobody had answered yet. */
  closeAbandoned(result: FailoverResult): void {
    if (result.kind === "streaming") result.stream.cancel();
    if (result.kind === "streaming" || result.kind === "buffered") result.won.settle("dropped");
    this.close(499, { tried: result.tried });
  }

  close(
    status: number,
    result: {
      tried: readonly AttemptRecord[];
      won?: StreamingResult["won"];
      usage?: Usage | null;
      text?: string;
    } | null,
  ): void {
    if (this.#closed) return;
    this.#closed = true;
    const choice = result?.won?.choice ?? null;
    const known = choice ? (result?.usage ?? null) : noUsage;
    this.#onEnd({
      status,
      member: choice?.member.name ?? null,
      model: choice?.model ?? null,
      tried: result?.tried ?? [],
      usage: known ?? this.#estimate(result?.text ?? null),
      estimated: known === null,
      firstByteMs: this.#firstByteMs,
      ms: this.#elapsed(),
    });
  }

  /** `text`: of a whole answer; null: what a stream said so far. */
  #estimate(text: string | null): Usage {
    const { kind, promptTokens } = this.#request;
    const completionTokens =
      text === null ? Math.ceil(this.#units / unitsPerToken) : answerTokens(kind, text);
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }
}
