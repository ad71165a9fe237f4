// Keeps keys to their limits. In one process the meters are in memory; several processes on one PostgreSQL share
// them through the storage, and when that cannot be reached each goes by its own meters: a database that is away
// is no reason to refuse, nor to let everything through.

import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { KeyMeter, type Admission as Metered } from "./limits.ts";
import { timedOut, withTimeout } from "./timeout.ts";

/** `gone`: the key was revoked or removed a moment ago. */
export type Admission = Metered | { kind: "gone" };

/** `end` frees the place and settles what was really used; it is called once, and again has no effect. */
export interface AdmissionTicket {
  admission: Admission;
  end(used: number): void;
}

export interface Throttle {
  /** At once, where the meters are in memory. */
  admit(key: PoolKey, callId: string, tokens: number): AdmissionTicket | Promise<AdmissionTicket>;
}

/** Meters that several processes share. */
export interface SharedMeters {
  admit(key: PoolKey, callId: string, tokens: number): Promise<Admission>;
  end(key: PoolKey, callId: string, reckoned: number, used: number): Promise<void>;
}

/** How long the shared meters are waited for. */
const admissionTimeoutMs = 2_000;
/** Keys whose meters are kept; the one unused for longest goes first, once nothing of it is under way. */
const maxMeters = 100_000;

const unlimited = ({ limits }: PoolKey) =>
  limits.requestsPerMinute === null && limits.tokensPerMinute === null && limits.concurrency === null;

export function createThrottle(parts: { clock: Clock; log: Log; shared: SharedMeters | null }): Throttle {
  const { clock, log, shared } = parts;
  const meters = new Map<string, KeyMeter>();
  /** Admissions that were not answered in time. While there are any, nobody waits for another one. */
  let overdue = 0;

  /** The one at the end of the map, which need not be moved there. */
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
    const admission = meter.admit(key.limits, tokens, clock.monotonic());
    return admissionTicket(admission, (used) => meter.settle(tokens, used));
  }

  async function admitShared(
    meters: SharedMeters,
    key: PoolKey,
    callId: string,
    tokens: number,
  ): Promise<AdmissionTicket> {
    const asked = meters.admit(key, callId, tokens);
    try {
      const admission = await withTimeout(clock, admissionTimeoutMs, asked);
      if (admission !== timedOut)
        return admissionTicket(admission, (used) => {
          meters.end(key, callId, tokens, used).catch((error) => {
            log.warn({ error }, "a call's end could not be told; its place is free when its lease ends");
          });
        });
    } catch (error) {
      log.warn({ error }, "the keys' limits could not be reached; this process goes by its own count");
      return admitLocally(key, tokens);
    }
    overdue += 1;
    log.warn({}, "the keys' limits do not answer; this process goes by its own count");
    asked
      // What it takes after all is given back.
      .then(({ kind }) => (kind === "admitted" ? meters.end(key, callId, tokens, 0) : undefined))
      // Its place is free when its lease ends.
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
