// Answers in the storage, sealed: those under an `Idempotency-Key` so that they survive the process, and on PostgreSQL also those of
// caches, for all processes, which also see there what another one is requesting. A storage outage fails no call: a process then knows only
// its own answers.

import { timedOut, withTimeout } from "#ai/limits/timeout.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Core } from "#core/core.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import {
  answerContext,
  claimAnswer,
  type FoundAnswer,
  findAnswer,
  keepAnswer,
  releaseAnswer,
  renewAnswers,
  sizeOfAnswers,
} from "#store/pools/answers.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import type { Slot } from "./repeatable.ts";

/**
 * `mine`: this process calls the members. `elsewhere`: another process does. `mismatch`: the name belongs to a request with another
 * fingerprint, answered or in progress.
 */
export type Place =
  | { kind: "mine" }
  | { kind: "kept"; kept: KeptAnswer }
  | { kind: "elsewhere" }
  | { kind: "mismatch" };

interface StoredAnswersDeps extends Pick<Core, "clock" | "database" | "log" | "newId" | "sealer"> {
  /** How long a process may be silent before the others count it as dead, ms. */
  takeoverMs: number;
}

/** Timeout of a storage operation. */
const timeoutMs = 2_000;
/** Maximum size that one key may store; larger answers are served but not kept. */
const maxKeyAnswers = 100_000;
export const maxKeyBytes = 1024 * 1024 * 1024;
/**
 * Answers of caches are stored only while a key uses less than this share, to leave room for the answers under an `Idempotency-Key`, which
 * prevent double billing.
 */
const shares: Readonly<Record<Slot["kind"], number>> = { cache: 0.5, idempotency_key: 1 };
/** Interval at which the answers of a full key are counted again. */
const recountMs = 60_000;
/** Maximum number of keys whose room is cached, once for each kind. */
const maxRooms = 10_000;

/** What a key may store before its answers are counted again: an eighth of what is left. */
interface Room {
  answers: number;
  bytes: number;
  countedAt: number;
}

/** The storage operations that `Repeats` needs. */
export type AnswerStorage = Pick<StoredAnswers, "open" | "keep" | "release">;

export class StoredAnswers {
  readonly #deps: StoredAnswersDeps;
  readonly #isShared: boolean;
  readonly #owner: string;
  /** The names of calls in progress that other processes wait for. */
  readonly #leased = new Set<string>();
  readonly #rooms = new Map<string, Room>();
  readonly #renewals: Interval;
  /** Operations that missed their timeout. While there are any, calls continue without the storage immediately. */
  #overdue = 0;

  constructor(deps: StoredAnswersDeps, signal: LightAbortSignal) {
    const { clock, database, log, newId, takeoverMs } = deps;
    this.#deps = deps;
    this.#isShared = database.engine === "postgres";
    this.#owner = newId("own");
    this.#renewals = new Interval({
      clock,
      log,
      signal,
      ms: takeoverMs / 3,
      isNeeded: () => this.#leased.size > 0,
      turn: async () =>
        void (await database.run(renewAnswers, {
          names: [...this.#leased],
          owner: this.#owner,
          until: clock.now() + takeoverMs,
        })),
      failure: {
        event: "pool_answers.renew_failed",
        message: "Leases of calls that others may wait for could not be renewed.",
      },
    });
  }

  /** What is stored for the slot. */
  async open(slot: Slot, key: PoolKey): Promise<Place> {
    if (!this.#isStored(slot)) return { kind: "mine" };
    const name = this.#nameOf(slot);
    const now = this.#deps.clock.now();
    const lease = {
      name,
      pool_id: key.poolId,
      key_id: key.id,
      bytes: 0,
      expires_at: now + this.#deps.takeoverMs,
      owner: this.#owner,
      fingerprint: this.#printOf(slot),
      answer: null,
    };
    const found = await this.#tried(() =>
      this.#isShared
        ? this.#deps.database.run(claimAnswer, { ...lease, now })
        : this.#deps.database.run(findAnswer, { name, now }),
    );
    if (found === null) return { kind: "mine" };
    if (found.result !== null) return this.#placeOf(slot, name, found.result);
    if (this.#isShared) {
      this.#leased.add(name);
      this.#renewals.start();
    }
    return { kind: "mine" };
  }

  /** Resolves when the answer is stored or cannot be stored; it never rejects. */
  async keep(slot: Slot, key: PoolKey, kept: KeptAnswer): Promise<void> {
    if (!this.#isStored(slot)) return;
    const name = this.#nameOf(slot);
    const { fingerprint: _, expiresAt, media, ...stored } = kept;
    const keeping = async () => {
      const plain = { ...stored, media: media && { ...media, bytes: media.bytes.toString("base64") } };
      const answer = this.#deps.sealer.seal(JSON.stringify(plain), answerContext(name));
      if (!(await this.#hasRoom(slot, key, answer.length))) return this.release(slot);
      this.#leased.delete(name);
      await this.#deps.database.run(keepAnswer, {
        name,
        pool_id: key.poolId,
        key_id: key.id,
        bytes: answer.length,
        expires_at: expiresAt,
        owner: null,
        fingerprint: this.#printOf(slot),
        answer,
      });
    };
    // If it could not be stored, the slot is free for the others when its lease expires.
    if ((await this.#tried(keeping)) === null) this.#leased.delete(name);
  }

  /** Frees the slot of a call that has no answer to keep. */
  release(slot: Slot): void {
    const name = this.#nameOf(slot);
    const { database } = this.#deps;
    if (this.#leased.delete(name))
      void this.#tried(() => database.run(releaseAnswer, { name, owner: this.#owner }));
  }

  async ended(): Promise<void> {
    await this.#renewals.ended();
  }

  #isStored({ kind }: Slot): boolean {
    return this.#isShared || kind === "idempotency_key";
  }

  // Hashes of prompts could be guessed by someone who has only the database.
  #nameOf({ name }: Slot): string {
    return this.#deps.sealer.digest(name);
  }

  #printOf({ fingerprint }: Slot): string {
    return this.#deps.sealer.digest(fingerprint);
  }

  /** The result; null, with a log line, if the storage does not answer in time, and immediately while it hangs. */
  async #tried<T>(work: () => Promise<T>): Promise<{ result: T } | null> {
    if (this.#overdue > 0) return null;
    try {
      const pending = work();
      const result = await withTimeout(this.#deps.clock, timeoutMs, pending);
      if (result !== timedOut) return { result };
      this.#overdue += 1;
      this.#deps.log.warn(
        { event: "pool_answers.timed_out" },
        "Reading or writing stored answers timed out; the call continues without them.",
      );
      pending
        .catch(() => {})
        .finally(() => {
          this.#overdue -= 1;
        });
    } catch (error) {
      this.#deps.log.warn(
        { event: "pool_answers.unreachable", error },
        "Stored answers could not be reached; the call continues without them.",
      );
    }
    return null;
  }

  #placeOf(slot: Slot, name: string, found: FoundAnswer): Place {
    if (found.fingerprint !== this.#printOf(slot)) return { kind: "mismatch" };
    if (found.answer === null) return { kind: "elsewhere" };
    const { media, ...stored } = JSON.parse(this.#deps.sealer.unseal(found.answer, answerContext(name)));
    return {
      kind: "kept",
      kept: {
        ...stored,
        media: media && { ...media, bytes: Buffer.from(media.bytes, "base64") },
        fingerprint: slot.fingerprint,
        expiresAt: found.expires_at,
      },
    };
  }

  /** Whether the key may store this many more bytes in an answer of the slot's kind. */
  async #hasRoom({ kind }: Slot, { id: keyId, poolId }: PoolKey, bytes: number): Promise<boolean> {
    const whose = `${kind} ${keyId}`;
    const known = this.#rooms.get(whose);
    const now = this.#deps.clock.monotonic();
    if (known && known.answers > 0 && known.bytes >= bytes) {
      known.answers -= 1;
      known.bytes -= bytes;
      return true;
    }
    if (known && known.answers === 0 && now - known.countedAt < recountMs) return false;
    const limit = maxKeyAnswers * shares[kind];
    const stored = await this.#deps.database.run(sizeOfAnswers, { poolId, keyId, limit });
    const left = { answers: limit - stored.count, bytes: maxKeyBytes * shares[kind] - stored.bytes - bytes };
    const fits = left.answers > 0 && left.bytes >= 0;
    if (this.#rooms.size >= maxRooms) this.#rooms.clear();
    this.#rooms.set(whose, {
      answers: fits ? Math.ceil(left.answers / 8) : 0,
      bytes: Math.floor(left.bytes / 8),
      countedAt: now,
    });
    return fits;
  }
}
