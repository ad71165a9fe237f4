// Enforces the keys' rate limits. A single process keeps the meters in memory; several processes on one PostgreSQL share them through the
// storage. If the storage cannot be reached or is slow, each process uses its own meters for its share of the limits: an outage neither
// refuses all calls nor admits more than the limits.

import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { type KeyLevels, type KeyLimits, KeyMeter, type Admission as Metered } from "./limits.ts";
import { type Place, sharesOf, withoutShare } from "./share.ts";
import { timedOut, withTimeout } from "./timeout.ts";

/** `gone`: the key was revoked or deleted a moment ago. */
export type Admission = Metered | { kind: "gone" };

/** `end` frees the slot and settles the tokens used; further calls have no effect. */
interface AdmissionTicket {
  admission: Admission;
  end(used: number): void;
}

/** A key and its limits. */
export interface LimitedKey {
  id: string;
  limits: KeyLimits;
}

export interface Throttle {
  /** Synchronous if the meters are in memory. */
  admit(key: PoolKey, callId: string, tokens: number): AdmissionTicket | Promise<AdmissionTicket>;
  /** What is currently left of the limits of each of these keys, in their order. */
  levels(keys: readonly LimitedKey[]): Promise<KeyLevels[]>;
}

/** Meters that several processes share. */
export interface SharedMeters {
  admit(key: PoolKey, callId: string, tokens: number): Promise<Admission>;
  end(key: PoolKey, callId: string, estimated: number, used: number): Promise<void>;
  levels(keys: readonly LimitedKey[]): Promise<KeyLevels[]>;
}

/** `Retry-After` if this process has no share of a limit: the storage may be back by then, or another process may receive the call. */
const shareRetryMs = 1_000;
/** How long a call waits for the shared meters. */
const admissionTimeoutMs = 2_000;
/** Maximum number of keys with meters; the least recently used idle key is dropped first. */
const maxMeters = 100_000;

const alone: Place = { at: 0, of: 1 };

const unlimited = ({ limits }: PoolKey) =>
  limits.requests_per_minute === null && limits.tokens_per_minute === null && limits.concurrency === null;

/** `place`: the last known position of this process among those that share the meters. */
export function createThrottle(deps: {
  clock: Clock;
  log: Log;
  shared: SharedMeters | null;
  place?: () => Place;
}): Throttle {
  const { clock, log, shared, place = () => alone } = deps;
  const meters = new Map<string, KeyMeter>();
  /** Admissions that missed their timeout. While there are any, calls use local meters immediately. */
  let overdue = 0;

  /** The last entry of the map, which need not be moved to the end. */
  let newest: KeyMeter | null = null;

  function meterFor(id: string): KeyMeter {
    const known = meters.get(id);
    if (known && newest === known) return known;
    const meter = known ?? new KeyMeter();
    newest = meter;
    meters.delete(id);
    meters.set(id, meter);
    if (meters.size > maxMeters) {
      const [oldest] = meters;
      if (oldest?.[1].idle) meters.delete(oldest[0]);
    }
    return meter;
  }

  function admitLocally(key: PoolKey, tokens: number): AdmissionTicket {
    const meter = meterFor(key.id);
    const shares = shared === null ? key.limits : sharesOf(key.limits, place());
    const lacking = withoutShare(shares);
    const admission: Admission =
      lacking === null
        ? meter.admit(shares, tokens, clock.monotonic())
        : { kind: "refused", by: lacking, retryAfterMs: shareRetryMs, levels: meter.levels() };
    return admissionTicket(admission, (used) => meter.settle(tokens, used));
  }

  async function admitShared(
    meters: SharedMeters,
    key: PoolKey,
    callId: string,
    tokens: number,
  ): Promise<AdmissionTicket> {
    const pending = meters.admit(key, callId, tokens);
    try {
      const admission = await withTimeout(clock, admissionTimeoutMs, pending);
      if (admission !== timedOut) {
        // This process's own meter tracks what the shared ones admitted: a fallback begins with what is left.
        const own = admission.kind === "admitted" ? meterFor(key.id) : null;
        own?.count(sharesOf(key.limits, place()), tokens, clock.monotonic());
        return admissionTicket(admission, (used) => {
          own?.settle(tokens, used);
          meters.end(key, callId, tokens, used).catch((error) => {
            log.warn(
              { event: "rate_limits.release_failed", error },
              "A call could not release its slot; the slot is freed when its lease expires.",
            );
          });
        });
      }
    } catch (error) {
      log.warn(
        { event: "rate_limits.unreachable", error },
        "Shared rate limits could not be reached; falling back to this process's share of the limits.",
      );
      return admitLocally(key, tokens);
    }
    overdue += 1;
    log.warn(
      { event: "rate_limits.timed_out" },
      "Shared rate limits timed out; falling back to this process's share of the limits.",
    );
    pending
      // A late admission is given back.
      .then(({ kind }) => (kind === "admitted" ? meters.end(key, callId, tokens, 0) : undefined))
      // Its slot is freed when its lease expires.
      .catch(() => {})
      .finally(() => {
        overdue -= 1;
      });
    return admitLocally(key, tokens);
  }

  return {
    admit: (key, callId, tokens) =>
      shared !== null && overdue === 0 && !unlimited(key)
        ? admitShared(shared, key, callId, tokens)
        : admitLocally(key, tokens),
    levels: async (keys) => {
      if (shared !== null) return shared.levels(keys);
      const now = clock.monotonic();
      // Reading the limits of an unused key creates no meter.
      return keys.map(({ id, limits }) => (meters.get(id) ?? new KeyMeter()).levelsAt(limits, now));
    },
  };
}

function admissionTicket(admission: Admission, release: (used: number) => void): AdmissionTicket {
  let ended = admission.kind !== "admitted";
  return {
    admission,
    end: (used) => {
      if (ended) return;
      ended = true;
      release(used);
    },
  };
}
