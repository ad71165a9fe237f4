// Answers that serve more than one request: the cache of a pool, and `Idempotency-Key`. Of equal concurrent requests, one is sent to the
// members and the others wait for its answer; if it fails, one of them is sent. What is kept is limited in bytes, and the least recently
// used answer is dropped first.

import type { CallOutcome, CompletionRequest, CompletionResult, ResponseStream } from "#ai/completion.ts";
import type { Pool } from "#ai/pools/member.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import { openAiError } from "#contract/ai/openai-error.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ApiError } from "#providers/provider.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type KeptAnswer, keptOf, maxKeptSize, replayed, sizeOf } from "./kept-answer.ts";
import { lateStream } from "./late-stream.ts";
import type { Repeatable, Slot } from "./repeatable.ts";
import { cacheSlot, idempotencySlot } from "./request-name.ts";
import type { AnswerStorage } from "./stored-answers.ts";

/** A call that was admitted. */
interface RepeatableCall {
  pool: Pool;
  key: PoolKey;
  request: CompletionRequest;
  repeatable: Repeatable;
  /** Aborts when the client disconnects. */
  signal: LightAbortSignal;
  /** Calls the members; `ended` is called when that ends. */
  answer(): Promise<CompletionResult>;
  /** How the call has ended; null if it is in progress. */
  outcome(): CallOutcome | null;
  /** Ends a call for which no member was called. */
  ended(outcome: CallOutcome): void;
}

/** The origin of an answer, for its headers. `cache` is null if the request is not for the cache. */
export interface Origin {
  cache: "hit" | "miss" | null;
  /** It is the first answer under the request's `Idempotency-Key`. */
  replayed: boolean;
}

interface Served {
  completed: CompletionResult;
  origin: Origin;
}

/** Answers in the memory of the process, characters. */
const maxMemory = 64 * 1024 * 1024;
/** The names and fields of an answer. */
const overhead = 1_024;

/**
 * The result of a call that others wait for. `unkept`: an answer that is too large to be kept. `mismatch`: its name belongs to another
 * request.
 */
type FlightEnd = KeptAnswer | "failed" | "mismatch" | "unkept";

interface Flight {
  fingerprint: string;
  /** Its name is known not to belong to another request: the storage was checked. */
  isPlaced: boolean;
  /** Resolves when that is known, or when it has ended. */
  placed: Promise<"placed">;
  place(): void;
  ended: Promise<FlightEnd>;
  end(how: FlightEnd): void;
}

const late: ApiError = apiError("No provider answered in time.", "server_error", "upstream_timeout");

/** Polling interval for the answer to a call in another process. */
const pollMs = 250;

export class Repeats {
  readonly #clock: Clock;
  readonly #stored: AnswerStorage;
  readonly #memory = new LruCache<string, KeptAnswer>(maxMemory);
  readonly #flights = new Map<string, Flight>();
  /** Characters of streams in progress that may be kept. */
  #collected = 0;

  constructor({ clock, stored }: { clock: Clock; stored: AnswerStorage }) {
    this.#clock = clock;
    this.#stored = stored;
  }

  /** Serves the call with an earlier answer, or with the one that its members give. */
  async serve(call: RepeatableCall): Promise<Served> {
    const { request, pool } = call;
    const startedAt = this.#clock.monotonic();
    const running = this.#run(call, startedAt);
    if (!request.stream) return await running;
    const patience = new LightAbortController();
    const early = await Promise.race([
      running,
      this.#clock.sleep(pool.headers_after_ms, patience).then(() => null),
    ]);
    patience.abort();
    if (early !== null) return early;
    const pending = running.then(({ completed }) => completed);
    // `serve` is over, and the client may have stopped reading: a call that fails now must be ended here.
    pending.catch(() => {
      if (call.outcome() === null)
        call.ended({ ...unasked, status: 500, ms: this.#clock.monotonic() - startedAt });
    });
    const stream = lateStream(request.api, pending);
    return {
      completed: { kind: "stream", stream, served: null },
      origin: { cache: null, replayed: false },
    };
  }

  #openFlight(slot: Slot): Flight {
    const { name, fingerprint } = slot;
    const { promise: ended, resolve } = Promise.withResolvers<FlightEnd>();
    const { promise: placed, resolve: tellPlaced } = Promise.withResolvers<"placed">();
    const place = () => {
      flight.isPlaced = true;
      tellPlaced("placed");
    };
    const end = (how: FlightEnd) => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
      if (typeof how === "string") this.#stored.release(slot);
      tellPlaced("placed");
      resolve(how);
    };
    const flight: Flight = { fingerprint, isPlaced: false, placed, place, ended, end };
    this.#flights.set(name, flight);
    return flight;
  }

  #find({ name }: Slot): KeptAnswer | null {
    const kept = this.#memory.get(name) ?? null;
    if (kept === null || kept.expiresAt > this.#clock.now()) return kept;
    this.#memory.delete(name);
    return null;
  }

  #remember({ name }: Slot, kept: KeptAnswer): void {
    this.#memory.set(name, kept, sizeOf(kept) + overhead);
  }

  /** For an `Idempotency-Key`, it resolves when the answer is stored, so that no client receives it before a repeat can find it. */
  async #keep(
    slot: Slot,
    flight: Flight,
    answer: Omit<KeptAnswer, "expiresAt" | "fingerprint">,
    key: PoolKey,
  ): Promise<void> {
    if (sizeOf(answer) > maxKeptSize) {
      flight.end("unkept");
      return;
    }
    const kept = { ...answer, fingerprint: slot.fingerprint, expiresAt: this.#clock.now() + slot.ttlMs };
    this.#remember(slot, kept);
    flight.end(kept);
    const storing = this.#stored.keep(slot, key, kept);
    if (slot.kind === "idempotency_key") await storing;
  }

  /** Keeps the answer when it is complete. */
  async #keeping(
    slot: Slot,
    flight: Flight,
    result: CompletionResult,
    call: RepeatableCall,
  ): Promise<CompletionResult> {
    if (result.kind === "answer") {
      const { text, media = null } = result;
      await this.#keep(slot, flight, { ...keptOf(result), stream: false, text, media }, call.key);
      return result;
    }
    if (result.kind !== "stream") {
      flight.end("failed");
      return result;
    }
    return { ...result, stream: this.#collecting(slot, flight, result, call) };
  }

  #collecting(
    slot: Slot,
    flight: Flight,
    result: Extract<CompletionResult, { kind: "stream" }>,
    { key, outcome }: RepeatableCall,
  ): ResponseStream {
    const { stream: inner } = result;
    let pieces: string[] | null = [];
    let size = 0;
    const end = (how: "failed" | "unkept" | "whole") => {
      if (pieces === null) return;
      this.#collected -= size;
      const text = pieces.join("");
      pieces = null;
      if (how !== "whole") flight.end(how);
      else return this.#keep(slot, flight, { ...keptOf(result), stream: true, text, media: null }, key);
    };
    return {
      ...inner,
      next: async () => {
        const text = await inner.next();
        if (pieces === null) return text;
        if (text !== null) {
          pieces.push(text);
          size += text.length;
          this.#collected += text.length;
        }
        const ended = outcome();
        if (ended?.status === 200) await end("whole");
        else if (ended !== null || text === null) end("failed");
        else if (size > maxKeptSize || this.#collected > maxMemory) end("unkept");
        return text;
      },
      cancel: () => {
        end("failed");
        inner.cancel();
      },
    };
  }

  /** The result of the wait; `gone`: the client left; `late`: the pool's deadline has passed. */
  async #waitFor<T>(awaited: Promise<T>, ms: number, signal: LightAbortSignal): Promise<T | "gone" | "late"> {
    const timer = new LightAbortController();
    const leave = () => timer.abort();
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    try {
      const overdue = this.#clock.sleep(Math.max(ms, 0), timer).then(() => null);
      return (await Promise.race([awaited, overdue])) ?? (signal.aborted ? "gone" : "late");
    } finally {
      signal.removeEventListener("abort", leave);
      timer.abort();
    }
  }

  /** Serves a call with the answer of an equal one, or calls the members and keeps the result. `startedAt`: that of the call, monotonic. */
  async #once(
    slot: Slot,
    call: RepeatableCall,
    startedAt: number,
    ask: () => Promise<CompletionResult>,
  ): Promise<{ completed: CompletionResult; reused: boolean }> {
    const elapsed = () => this.#clock.monotonic() - startedAt;
    const close = (status: number) => call.ended({ ...unasked, status, ms: elapsed() });
    const fail = (status: number, error: ApiError) => {
      close(status);
      const completed = { kind: "error", status, error, retryAfterMs: null, served: null } as const;
      return { completed, reused: false };
    };
    const mismatch = () => fail(422, openAiError("idempotency_mismatch"));
    const gone = () => {
      close(499);
      return { completed: { kind: "aborted" }, reused: false } as const;
    };
    const reuse = (kept: KeptAnswer) => {
      if (kept.fingerprint !== slot.fingerprint) return mismatch();
      const ended = (status: number) => {
        const ms = elapsed();
        const firstByteMs = status === 200 ? ms : null;
        const model = kept.served?.model ?? null;
        call.ended({ ...unasked, status, model, firstByteMs, ms, reused: slot.kind });
      };
      return { completed: replayed(kept, elapsed(), call.request.api.keepAlive, ended), reused: true };
    };
    for (;;) {
      const kept = this.#find(slot);
      if (kept !== null) return reuse(kept);
      const under = this.#flights.get(slot.name);
      if (under === undefined) break;
      const isSame = under.fingerprint === slot.fingerprint;
      if (!isSame && under.isPlaced) return mismatch();
      // The storage may know this request, and not the one in progress.
      const awaited = isSame ? under.ended : under.placed;
      const ended = await this.#waitFor<FlightEnd | "placed">(
        awaited,
        call.pool.deadline_ms - elapsed(),
        call.signal,
      );
      if (ended === "failed" || ended === "placed") continue;
      if (ended === "mismatch") return mismatch();
      if (ended === "unkept") return { completed: await ask(), reused: false };
      if (ended === "gone") return gone();
      if (ended !== "late") return reuse(ended);
      return fail(504, late);
    }
    const flight = this.#openFlight(slot);
    try {
      let place = await this.#stored.open(slot, call.key);
      while (place.kind === "elsewhere" && elapsed() < call.pool.deadline_ms) {
        flight.place();
        await this.#clock.sleep(pollMs, call.signal);
        if (call.signal.aborted) {
          flight.end("failed");
          return gone();
        }
        place = await this.#stored.open(slot, call.key);
      }
      if (place.kind === "mismatch") {
        flight.end("mismatch");
        return mismatch();
      }
      if (place.kind === "elsewhere") {
        flight.end("failed");
        return fail(504, late);
      }
      if (place.kind === "kept") {
        this.#remember(slot, place.kept);
        flight.end(place.kept);
        return reuse(place.kept);
      }
      flight.place();
      return { completed: await this.#keeping(slot, flight, await ask(), call), reused: false };
    } catch (error) {
      flight.end("failed");
      throw error;
    }
  }

  async #run(call: RepeatableCall, startedAt: number): Promise<Served> {
    const { pool, key, request, repeatable } = call;
    const first = idempotencySlot(key, request, repeatable);
    const cached = cacheSlot(pool, key, request, repeatable);
    let cache: Origin["cache"] = null;
    const ask = async () => {
      if (cached === null) return await call.answer();
      cache = "miss";
      const { completed, reused } = await this.#once(cached, call, startedAt, call.answer);
      if (reused) cache = "hit";
      return completed;
    };
    if (first === null) return { completed: await ask(), origin: { cache, replayed: false } };
    const { completed, reused } = await this.#once(first, call, startedAt, ask);
    return { completed, origin: { cache, replayed: reused } };
  }
}

/** The outcome of a call for which no member was called. */
const unasked: Omit<CallOutcome, "ms" | "status"> = {
  member: null,
  model: null,
  attempts: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  estimated: false,
  cost: null,
  firstByteMs: null,
};
