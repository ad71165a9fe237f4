// The AI gateway of one process, put together: keys and pools, limits and budgets, usage, and the members' health.

import type { FailoverDeps } from "#ai/failover/failover.ts";
import { createHealthChecks } from "#ai/health/health-checks.ts";
import { createBudgets } from "#ai/limits/budget.ts";
import { localDay } from "#ai/limits/local-day.ts";
import { createThrottle, type SharedMeters } from "#ai/limits/throttle.ts";
import { withTimeout } from "#ai/limits/timeout.ts";
import type { Member } from "#ai/pools/member.ts";
import { listModels, type ModelEntry } from "#ai/pools/models.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import { type Opened, Pools } from "#ai/pools/pools.ts";
import type { MemberState } from "#contract/manage/pools.ts";
import type { Core } from "#core/core.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { announceMember } from "#store/pools/events.ts";
import { admitCalls, endCalls, renewSlots } from "#store/pools/key-limits.ts";
import { spentOf } from "#store/pools/usage.ts";
import type { ClientRequest, Pool, ResponseStream } from "./complete.ts";
import { type Ended, type ServeResult, serve } from "./serve.ts";
import { createUsageLog } from "./usage.ts";

export interface GatewayParts
  extends Pick<Core, "clock" | "database" | "log" | "newId" | "random" | "sealer" | "signals" | "upstreams"> {
  /** How long a process may be silent before the others count it as dead, ms. */
  takeoverMs: number;
  /** Longest whole answer of a provider, bytes. */
  answerBytes: number;
  /** For the metrics: a call ended with this status; records of usage were dropped. */
  counted: { call(status: number): void; dropped(count: number): void };
}

/** How a member is doing as this process sees it, for the management API. */
export interface MemberStatus {
  /** The member's id. */
  member: string;
  state: MemberState;
  /** When it may be asked again, epoch ms; null: now. */
  until: number | null;
  /** Requests under way. */
  inFlight: number;
  /** Moving average of the time to its first output; null: it has not answered yet. */
  firstOutputMs: number | null;
}

export interface AiGateway {
  /** The key of a Bearer token with the pool that it opens; null: no such key. Cached, so cheap to call. */
  authenticate(token: string): Promise<Opened | null>;
  /** Serves a call on the pool as it was opened. `requestId` names the call; `signal`: the caller disconnects. */
  serve(
    opened: Opened,
    request: ClientRequest,
    requestId: string,
    signal: LightAbortSignal,
  ): Promise<ServeResult>;
  /** The models that the key may use now, the pool's own name first. */
  models(opened: Opened): ModelEntry[];
  health(poolId: string): MemberStatus[];
  /** Something about pools or keys changed in this process. */
  forget(): void;
  /** Ends the streams that are under way, each with an error that says so. */
  interrupt(): void;
  /** Ends its loops and writes the usage that waits. */
  stop(): Promise<void>;
}

/** How long calls that were cut off may take until they are told as ended. */
const lastCallsMs = 1_000;

export function openAiGateway(parts: GatewayParts): AiGateway {
  const { database, clock, random, log, upstreams } = parts;
  const stopping = new AbortController();
  const pools = new Pools(parts);
  const budgets = createBudgets({
    clock,
    log,
    read: (keyId, day) => database.run(spentOf, { keyId, day, month: day.slice(0, 7) }),
  });
  const usage = createUsageLog({
    database,
    clock,
    log,
    dropped: parts.counted.dropped,
    written: ({ key_id, day, prompt_tokens, completion_tokens, cost }) =>
      budgets.callWritten(key_id, { day, tokens: prompt_tokens + completion_tokens, cost }),
  });
  // One SQLite file serves one process, whose memory is exact.
  const leased = database.engine === "postgres" ? sharedMeters(parts, stopping.signal) : null;
  const throttle = createThrottle({ clock, log, shared: leased?.meters ?? null });
  const checks = createHealthChecks(
    { clock, log, upstreams, fraction: random.fraction },
    () => pools.inUse,
    stopping.signal,
  );
  /** Under way, by call. */
  const streams = new Map<string, ResponseStream>();
  /** Calls without an answer so far, and who waits until there are none. */
  let unanswered = 0;
  let allAnswered = () => {};

  function tell(
    pool: Pool,
    member: Member,
    type: "pool.member_down" | "pool.member_up",
    reason: string | null,
  ): void {
    log[reason === null ? "info" : "warn"](
      { pool: pool.name, member: member.name, reason },
      `${type.slice(5)}`,
    );
    const data = { pool: pool.name, member: member.name, kind: member.provider.kind, reason };
    database
      .run(announceMember, { id: parts.newId("pm"), accountId: pool.accountId, type, at: clock.now(), data })
      .then(
        () => parts.signals.emit("eventsRecorded"),
        (error) => log.warn({ error }, "a member's change could not be told"),
      );
  }

  const chain = (pool: Pool): FailoverDeps => ({
    clock,
    upstreams,
    answerBytes: parts.answerBytes,
    fraction: random.fraction,
    memberDown: (member, failure) => {
      checks.look();
      tell(pool, member, "pool.member_down", failure.detail ?? failure.error.message);
    },
    memberUp: (member) => tell(pool, member, "pool.member_up", null),
  });

  function record(pool: Pool, ended: Ended): void {
    const member = pool.members.find(({ name }) => name === ended.member);
    const { promptTokens, completionTokens } = ended.usage;
    const cost = member
      ? Math.round((promptTokens * member.price.input + completionTokens * member.price.output) / 1e6)
      : 0;
    usage.record(ended, cost);
    // As they are written, and read again: the day of its start, without what a total may hold besides.
    const day = localDay(ended.at, ended.key.timeZone);
    budgets.addCall(ended.key, { day, tokens: promptTokens + completionTokens, cost });
    parts.counted.call(ended.status);
    streams.delete(ended.id);
  }

  const serving = { chain, throttle, budgets, record };

  return {
    authenticate: (token) => pools.open(token),
    serve: async ({ key, pool }, request, requestId, signal) => {
      unanswered += 1;
      try {
        const served = await serve(serving, key, pool, request, requestId, signal);
        if (served.kind === "served" && served.completed.kind === "stream")
          streams.set(requestId, served.completed.stream);
        return served;
      } finally {
        unanswered -= 1;
        if (unanswered === 0) allAnswered();
      }
    },
    models: ({ key, pool }) => listModels(pool, key, clock),
    health: (poolId) => {
      const now = clock.monotonic();
      const members = pools.inUse.find(({ id }) => id === poolId)?.members ?? [];
      return members.map(({ id, health, models, embeddingModels }) => {
        const standing = health.overallAvailability(now, [...models, ...embeddingModels]);
        return {
          member: id,
          state: standing.kind === "down" ? standing.why : standing.kind,
          until:
            standing.kind === "down" ? clock.now() + Math.max(0, Math.round(standing.until - now)) : null,
          inFlight: health.inFlight,
          firstOutputMs: health.firstOutputMs,
        };
      });
    },
    forget: () => pools.invalidate(),
    interrupt: () => {
      for (const stream of streams.values()) stream.stop();
    },
    stop: async () => {
      stopping.abort();
      const answered = new Promise<void>((resolve) => {
        allAnswered = resolve;
      });
      // Whose connections were cut a moment ago.
      if (unanswered > 0) await withTimeout(clock, lastCallsMs, answered);
      await Promise.all([checks.ended(), leased?.ended()]);
      await usage.stop();
    },
  };
}

/**
 * Meters that the processes on one PostgreSQL share. The places of this one's calls are leased, and renewed while
 * they run: those of a process that is dead become free.
 */
function sharedMeters(
  { database, clock, log, takeoverMs: leaseMs }: GatewayParts,
  signal: LightAbortSignal,
): { meters: SharedMeters; ended(): Promise<void> } {
  const held = new Map<string, { keyId: string; slot: string }>();
  /** The last end of each key's calls, while it is being told. */
  const endings = new Map<string, Promise<void>>();
  /** Only while a call is under way. */
  let renewing: Promise<void> | null = null;
  async function renew(): Promise<void> {
    while (held.size > 0 && !signal.aborted) {
      await clock.sleep(leaseMs / 3, signal);
      if (signal.aborted || held.size === 0) break;
      const slots = [...held.values()];
      await database
        .run(renewSlots, { slots, until: clock.now() + leaseMs })
        .catch((error) => log.warn({ error }, "the places of calls under way could not be renewed"));
    }
    renewing = null;
  }
  const ask = ({ id: keyId, limits }: PoolKey, slot: string, tokens: number) => {
    const now = clock.now();
    return database.run(admitCalls, { keyId, limits, tokens, slot, until: now + leaseMs, now });
  };

  return {
    ended: async () => {
      await renewing;
    },
    meters: {
      admit: async (key, slot, tokens) => {
        const ending = endings.get(key.id);
        let admission = await ask(key, slot, tokens);
        // Whoever has just got an answer may ask again, though the place of the last call is only being freed.
        const freeing = ending ?? endings.get(key.id);
        if (freeing && admission.kind === "refused" && admission.by === "concurrency") {
          await freeing;
          admission = await ask(key, slot, tokens);
        }
        if (admission.kind === "admitted") {
          held.set(slot, { keyId: key.id, slot });
          renewing ??= renew();
        }
        return admission;
      },
      end: async (key, slot, reckoned, used) => {
        held.delete(slot);
        const told = database.run(endCalls, { keyId: key.id, slot, reckoned, used });
        const ending: Promise<void> = told.then(
          () => {},
          () => {},
        );
        endings.set(key.id, ending);
        void ending.then(() => {
          if (endings.get(key.id) === ending) endings.delete(key.id);
        });
        await told;
      },
    },
  };
}
