// A pool that a person tries: an ordinary call of the pool, without a key and its limits, reported as events: each member that is called
// and its result, the answer as it arrives, and the end with its cost.

import type { AiGateway } from "#ai/ai.ts";
import type { ResponseStream } from "#ai/complete.ts";
import type { Trial } from "#ai/failover/call.ts";
import type { Opened } from "#ai/pools/pools.ts";
import type { RateLimited } from "#ai/serve.ts";
import { openAiError } from "#contract/ai/openai-error.ts";
import type { TryPoolInput } from "#contract/manage/pools/try.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { callNumber } from "#store/pools/unpriced.ts";
import type { UsedCall } from "#store/pools/usage.ts";
import { chatBody, TrialRequest, trialEvent } from "./trial-request.ts";

interface TrialDeps {
  ai: Pick<AiGateway, "serve">;
  clock: Clock;
  log: Log;
}

/** Limits the length of a provider's text. */
const maxReason = 1_000;

/** Times of events, ms. */
const rounded = (ms: number) => Math.round(ms * 10) / 10;

/** The error with which a trial ends. */
interface TrialError {
  status: number;
  code: string | null;
  message: string;
  retryAfterMs: number | null;
}

/** The events of one trial. Reading them drives the call, so a slow reader slows down the member. */
export class TrialStream {
  readonly #deps: TrialDeps;
  readonly #requestId: string;
  readonly #startedAt: number;
  readonly #left = new LightAbortController();
  readonly #request: TrialRequest;
  #events: string[] = [];
  #wake: (() => void) | null = null;
  #stream: ResponseStream | null = null;
  #reading = false;
  #over = false;
  #record: UsedCall | null = null;
  #asked = 0;

  /** Starts the call immediately. `requestId`: that of the call's record. `person`: an email address or a token's name. */
  constructor(
    deps: TrialDeps,
    opened: Opened,
    input: TryPoolInput,
    { requestId, person }: { requestId: string; person: string },
  ) {
    this.#deps = deps;
    this.#requestId = requestId;
    this.#startedAt = deps.clock.monotonic();
    const body = chatBody(input);
    const text = JSON.stringify(body);
    this.#request = new TrialRequest({ text, body, includeUsage: false });
    const trial: Trial = { pretendDown: input.pretend_down, asked: (choice) => this.#asking(choice) };
    const { model } = input;
    const request = { kind: "chat", text, body, api: this.#request, model, stream: true } as const;
    const ended = (call: UsedCall) => {
      this.#record = call;
    };
    const caller = {
      id: requestId,
      clientRequestId: null,
      tags: [],
      extraHeaders: null,
      person: { name: person, ended },
    };
    const serving = deps.ai.serve(opened, { ...request, includeUsage: false, trial }, caller, this.#left);
    serving.then(
      (result) => {
        if (result.kind === "refused") this.#end(refusal(result));
        else if (result.kind === "gone" || result.completed.kind === "aborted") this.#finish();
        else if (result.completed.kind === "error") {
          const { status, error, retryAfterMs } = result.completed;
          this.#end({ status, code: error.code, message: error.message, retryAfterMs });
        } else if (result.completed.kind === "stream") this.#follow(result.completed.stream);
        else this.#finish();
      },
      (error: unknown) => {
        this.#deps.log.error(
          { event: "pool.trial_failed", requestId, error },
          "A trial of a pool failed by a fault of the service or of the storage.",
        );
        const { message, code } = openAiError("server_error");
        this.#end({ status: 500, code, message, retryAfterMs: null });
      },
    );
  }

  /** The next events; null if there are no more. */
  async next(): Promise<string | null> {
    for (;;) {
      if (this.#events.length > 0) {
        const text = this.#events.join("");
        this.#events = [];
        return text;
      }
      if (this.#over) return null;
      if (this.#stream !== null && !this.#reading) this.#read(this.#stream);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The person left: the request to the member is abandoned. */
  cancel(): void {
    if (this.#over) return;
    this.#finish();
    this.#left.abort();
    this.#stream?.cancel();
  }

  #elapsed(): number {
    return rounded(this.#deps.clock.monotonic() - this.#startedAt);
  }

  #tell(event: string, data: object): void {
    if (this.#over) return;
    this.#events.push(trialEvent(event, data));
    this.#rouse();
  }

  #rouse(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #finish(): void {
    this.#over = true;
    this.#rouse();
  }

  #asking({ member, model }: Parameters<Trial["asked"]>[0]): ReturnType<Trial["asked"]> {
    this.#asked += 1;
    const about = {
      number: this.#asked,
      member: member.id,
      name: member.name,
      model,
      asked_ms: this.#elapsed(),
    };
    const open = { outcome: null, status: null, reason: null, failed_ms: null, first_word_ms: null };
    this.#tell("attempt", { ...about, ...open });
    return ({ outcome, status, reason }) => {
      const at = outcome === "ok" ? { first_word_ms: this.#elapsed() } : { failed_ms: this.#elapsed() };
      const words = reason?.slice(0, maxReason).toWellFormed() ?? null;
      this.#tell("attempt", { ...about, ...open, outcome, status, reason: words, ...at });
    };
  }

  #follow(stream: ResponseStream): void {
    if (this.#over) {
      stream.cancel();
      return;
    }
    this.#stream = stream;
    this.#rouse();
  }

  #read(stream: ResponseStream): void {
    this.#reading = true;
    stream.next().then(
      (text) => {
        this.#reading = false;
        if (text === null) this.#streamed();
        else if (text !== "" && !this.#over) this.#events.push(text);
        this.#rouse();
      },
      () => {
        const { message, code } = openAiError("server_error");
        this.#end({ status: 500, code, message, retryAfterMs: null });
      },
    );
  }

  /** The stream has ended, complete or interrupted. */
  #streamed(): void {
    const { error } = this.#request;
    if (error === null) this.#end(null);
    else {
      const status = this.#record?.status ?? 502;
      this.#end({ status, code: error.code, message: error.message, retryAfterMs: null });
    }
  }

  #end(error: TrialError | null): void {
    const row = this.#record;
    const sums = {
      request_id: this.#requestId,
      tokens: {
        prompt: row?.prompt_tokens ?? 0,
        completion: row?.completion_tokens ?? 0,
        estimated: row?.estimated === 1,
      },
      cost: row === null ? 0 : callNumber(row),
      attempts: this.#asked,
      first_byte_ms: row?.first_byte_ms ?? null,
      ms: row?.ms ?? this.#elapsed(),
    };
    if (error === null) {
      const { finishReason: finish_reason } = this.#request;
      this.#tell("end", { member: row?.member ?? null, model: row?.model ?? null, finish_reason, ...sums });
    } else {
      const { retryAfterMs, ...about } = error;
      this.#tell("error", { ...about, retry_after_ms: retryAfterMs, ...sums });
    }
    this.#finish();
  }
}

/** A person is not subject to the limits of a key: only a budget of the pool or the account can refuse the call. */
function refusal({ by, retryAfterMs }: RateLimited): TrialError {
  const { code, message } = openAiError(by === "budget" ? "insufficient_quota" : "rate_limit_exceeded");
  return { status: 429, code, message, retryAfterMs };
}
