// Answers in the storage, sealed: those under an `Idempotency-Key` for the next process after this one, and on PostgreSQL those
// of caches too, for all processes, which also see there what another one is being asked. A storage outage fails no call: then
// a process knows its own answers alone.

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
 * `mine`: this process asks. `elsewhere`: another process is asking. `mismatch`: the name is that of a request with another
 * fingerprint, whether it was answered or is under way.
 */
export type Place =
  | { kind: "mine" }
  | { kind: "kept"; kept: KeptAnswer }
  | { kind: "elsewhere" }
  | { kind: "mismatch" };

export interface StoredAnswers {
  /** What is stored for the slot. */
  open(slot: Slot, key: PoolKey): Promise<Place>;
  /** Resolves when the answer is stored, or cannot be; it never rejects. */
  keep(slot: Slot, key: PoolKey, kept: KeptAnswer): Promise<void>;
  /** The call of the slot has no answer to keep. */
  release(slot: Slot): void;
  ended(): Promise<void>;
}

interface StoredAnswersDeps extends Pick<Core, "clock" | "database" | "log" | "newId" | "sealer"> {
  /** How long a process may be silent before the others count it as dead, ms. */
  takeoverMs: number;
}

/** How long a call waits for the storage. */
const timeoutMs = 2_000;
/** What one key may store; more is answered and not kept. */
const maxKeyAnswers = 100_000;
export const maxKeyBytes = 1024 * 1024 * 1024;
/**
 * Answers of caches are stored while a key has less than this share, so that they leave room for those that keep repeats
 * under an `Idempotency-Key` from being billed twice.
 */
const shares: Readonly<Record<Slot["kind"], number>> = { cache: 0.5, idempotency_key: 1 };
/** After this long a full key's answers are counted again. */
const recountMs = 60_000;
/** The most keys whose room is remembered, once for each kind. */
const maxRooms = 10_000;

/** What may be stored of a key before its answers are counted again: an eighth of what is left. */
interface Room {
  answers: number;
  bytes: number;
  countedAt: number;
}

export function createStoredAnswers(
  { clock, database, log, newId, sealer, takeoverMs }: StoredAnswersDeps,
  signal: LightAbortSignal,
): StoredAnswers {
  const isShared = database.engine === "postgres";
  const owner = newId("own");
  /** The names of calls under way that other processes wait for. */
  const leased = new Set<string>();
  const rooms = new Map<string, Room>();
  const renewals = new Interval({
    clock,
    log,
    signal,
    ms: takeoverMs / 3,
    isNeeded: () => leased.size > 0,
    turn: async () =>
      void (await database.run(renewAnswers, { names: [...leased], owner, until: clock.now() + takeoverMs })),
    failure: {
      event: "pool_answers.renew_failed",
      message: "Leases of calls that others may wait for could not be renewed.",
    },
  });
  const isStored = ({ kind }: Slot) => isShared || kind === "idempotency_key";
  // Hashes of prompts could be guessed by who has the database alone.
  const nameOf = ({ name }: Slot) => sealer.digest(name);
  const printOf = ({ fingerprint }: Slot) => sealer.digest(fingerprint);

  /** Operations that missed their timeout. While there are any, calls go on without the storage at once. */
  let overdue = 0;

  /** The result; null, with a log line, when the storage has none in time, and at once while it hangs. */
  async function tried<T>(work: () => Promise<T>): Promise<{ result: T } | null> {
    if (overdue > 0) return null;
    try {
      const pending = work();
      const result = await withTimeout(clock, timeoutMs, pending);
      if (result !== timedOut) return { result };
      overdue += 1;
      log.warn(
        { event: "pool_answers.timed_out" },
        "Stored answers of pools timed out; the call goes on without.",
      );
      pending
        .catch(() => {})
        .finally(() => {
          overdue -= 1;
        });
    } catch (error) {
      log.warn(
        { event: "pool_answers.unreachable", error },
        "Stored answers of pools could not be reached; the call goes on without.",
      );
    }
    return null;
  }

  function placeOf(slot: Slot, name: string, found: FoundAnswer): Place {
    if (found.fingerprint !== printOf(slot)) return { kind: "mismatch" };
    if (found.answer === null) return { kind: "elsewhere" };
    const { media, ...stored } = JSON.parse(sealer.unseal(found.answer, answerContext(name)));
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

  /** Whether the key may store so many bytes more in an answer of the slot's kind. */
  async function hasRoom({ kind }: Slot, { id: keyId, poolId }: PoolKey, bytes: number): Promise<boolean> {
    const whose = `${kind} ${keyId}`;
    const known = rooms.get(whose);
    const now = clock.monotonic();
    if (known && known.answers > 0 && known.bytes >= bytes) {
      known.answers -= 1;
      known.bytes -= bytes;
      return true;
    }
    if (known && known.answers === 0 && now - known.countedAt < recountMs) return false;
    const limit = maxKeyAnswers * shares[kind];
    const stored = await database.run(sizeOfAnswers, { poolId, keyId, limit });
    const left = { answers: limit - stored.count, bytes: maxKeyBytes * shares[kind] - stored.bytes - bytes };
    const fits = left.answers > 0 && left.bytes >= 0;
    if (rooms.size >= maxRooms) rooms.clear();
    rooms.set(whose, {
      answers: fits ? Math.ceil(left.answers / 8) : 0,
      bytes: Math.floor(left.bytes / 8),
      countedAt: now,
    });
    return fits;
  }

  function release(slot: Slot): void {
    const name = nameOf(slot);
    if (leased.delete(name)) void tried(() => database.run(releaseAnswer, { name, owner }));
  }

  return {
    open: async (slot, key) => {
      if (!isStored(slot)) return { kind: "mine" };
      const name = nameOf(slot);
      const now = clock.now();
      const lease = {
        name,
        pool_id: key.poolId,
        key_id: key.id,
        bytes: 0,
        expires_at: now + takeoverMs,
        owner,
        fingerprint: printOf(slot),
        answer: null,
      };
      const found = await tried(() =>
        isShared ? database.run(claimAnswer, { ...lease, now }) : database.run(findAnswer, { name, now }),
      );
      if (found === null) return { kind: "mine" };
      if (found.result !== null) return placeOf(slot, name, found.result);
      if (isShared) {
        leased.add(name);
        renewals.start();
      }
      return { kind: "mine" };
    },
    keep: async (slot, key, kept) => {
      if (!isStored(slot)) return;
      const name = nameOf(slot);
      const { fingerprint: _, expiresAt, media, ...stored } = kept;
      const keeping = async () => {
        const plain = { ...stored, media: media && { ...media, bytes: media.bytes.toString("base64") } };
        const answer = sealer.seal(JSON.stringify(plain), answerContext(name));
        if (!(await hasRoom(slot, key, answer.length))) return release(slot);
        leased.delete(name);
        await database.run(keepAnswer, {
          name,
          pool_id: key.poolId,
          key_id: key.id,
          bytes: answer.length,
          expires_at: expiresAt,
          owner: null,
          fingerprint: printOf(slot),
          answer,
        });
      };
      // What could not be stored is free again for the others when its lease is over.
      if ((await tried(keeping)) === null) leased.delete(name);
    },
    release,
    ended: () => renewals.ended(),
  };
}
