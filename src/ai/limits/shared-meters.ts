// The rate-limit meters of several processes on one PostgreSQL, with the slots of calls in progress as leases.

import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Core } from "#core/core.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { admitCalls, endCalls, readKeyLevels, renewSlots } from "#store/pools/key-limits.ts";
import type { SharedMeters } from "./throttle.ts";

export interface SharedMetersDeps extends Pick<Core, "database" | "clock" | "log"> {
  /** How long a slot is leased, ms: after this time, the slots of a silent process are free. */
  takeoverMs: number;
}

/**
 * Rate-limit meters that the processes on one PostgreSQL share. Each call in progress has a leased slot, which this process renews: the
 * slots of a dead process become free.
 */
export function createSharedMeters(
  { database, clock, log, takeoverMs: leaseMs }: SharedMetersDeps,
  signal: LightAbortSignal,
): SharedMeters & { ended(): Promise<void> } {
  const held = new Map<string, { keyId: string; slot: string }>();
  /** The last write that ends a call, by key, while the write is in progress. */
  const endings = new Map<string, Promise<void>>();
  const renewals = new Interval({
    clock,
    log,
    signal,
    ms: leaseMs / 3,
    isNeeded: () => held.size > 0,
    turn: async () =>
      void (await database.run(renewSlots, { slots: [...held.values()], until: clock.now() + leaseMs })),
    failure: {
      event: "key_slots.renew_failed",
      message: "Leases of calls under way could not be renewed.",
    },
  });
  const requestAdmission = ({ id: keyId, limits }: PoolKey, slot: string, tokens: number) => {
    const now = clock.now();
    return database.run(admitCalls, { keyId, limits, tokens, slot, until: now + leaseMs, now });
  };

  return {
    ended: () => renewals.ended(),
    levels: (keys) =>
      database.run(readKeyLevels, {
        keys: keys.map(({ id, limits }) => ({ keyId: id, limits })),
        now: clock.now(),
      }),
    admit: async (key, slot, tokens) => {
      const ending = endings.get(key.id);
      let admission = await requestAdmission(key, slot, tokens);
      // A client may send its next call while the slot of its previous one is still being freed.
      const freeing = ending ?? endings.get(key.id);
      if (freeing && admission.kind === "refused" && admission.by === "concurrency") {
        await freeing;
        admission = await requestAdmission(key, slot, tokens);
      }
      if (admission.kind === "admitted") {
        held.set(slot, { keyId: key.id, slot });
        renewals.start();
      }
      return admission;
    },
    end: async (key, slot, estimated, used) => {
      held.delete(slot);
      const write = database.run(endCalls, {
        keyId: key.id,
        slot,
        estimatedTokens: estimated,
        usedTokens: used,
      });
      const ending: Promise<void> = write.then(
        () => {},
        () => {},
      );
      endings.set(key.id, ending);
      void ending.then(() => {
        if (endings.get(key.id) === ending) endings.delete(key.id);
      });
      await write;
    },
  };
}
