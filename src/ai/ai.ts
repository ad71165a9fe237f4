// Assembles the AI gateway of one process: keys and pools, limits and budgets, usage records, member health.

import { createContentLog } from "#ai/content-log/content-log.ts";
import type { FailoverDeps } from "#ai/failover/call.ts";
import { SealedOrigins } from "#ai/failover/sealed-origins.ts";
import { createHealthChecks } from "#ai/health/health-checks.ts";
import { createBudgets } from "#ai/limits/budget.ts";
import type { KeyLevels } from "#ai/limits/limits.ts";
import type { Place } from "#ai/limits/share.ts";
import { createSharedMeters } from "#ai/limits/shared-meters.ts";
import { type Admission, createThrottle, type LimitedKey } from "#ai/limits/throttle.ts";
import { withTimeout } from "#ai/limits/timeout.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { type MemberStatus, statusOf } from "#ai/pools/member-status.ts";
import { type ListedModel, listModels } from "#ai/pools/models.ts";
import { allModels } from "#ai/pools/operation-models.ts";
import { type Opened, type PoolAccount, Pools } from "#ai/pools/pools.ts";
import { Repeats } from "#ai/repeats/repeats.ts";
import { StoredAnswers } from "#ai/repeats/stored-answers.ts";
import { costInMillionths } from "#contract/cost.ts";
import type { Core } from "#core/core.ts";
import type { ListPrices } from "#providers/prices/list-price.ts";
import type { Failure } from "#providers/provider.ts";
import type { MeasuredCall, MemberLoad } from "#runtime/call-metrics.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Tracer } from "#runtime/tracing/tracing.ts";
import { recordMemberEvent } from "#store/pools/events.ts";
import type { PoolWithMembers } from "#store/pools/pools.ts";
import { readSharedSpend, readSpend } from "#store/pools/spend.ts";
import type { Caller } from "./caller.ts";
import type { CallOutcome, ClientRequest, ResponseStream } from "./complete.ts";
import { reportLowBudget } from "./low-budget.ts";
import { pricedOnlyBy } from "./priced-members.ts";
import { isPriced, unpricedModels } from "./pricing.ts";
import { createRefusalLog } from "./refusals.ts";
import { type AdmittedCall, type ServeResult, serve } from "./serve.ts";
import { createTokenCounter } from "./token-counter.ts";
import { costOf, createUsageLog, usageRow } from "./usage.ts";

interface GatewayDeps
  extends Pick<Core, "clock" | "database" | "log" | "newId" | "random" | "sealer" | "upstreams"> {
  /** The position of this process among the live ones. */
  place(): Place;
  /** How long a process may be silent before the others count it as dead, ms. */
  takeoverMs: number;
  /** Maximum size of a whole answer of a provider, bytes. */
  answerBytes: number;
  /** The vendors' list prices; absent for those that come with this version. */
  listPrices?: ListPrices | undefined;
  /** Creates the spans of calls; absent if there are none. */
  tracer?: Tracer | undefined;
  /** For the metrics: a call ended; usage records or call contents were dropped. */
  counted: {
    call(call: MeasuredCall): void;
    dropped(count: number): void;
    contentsDropped(count: number): void;
  };
}

/** The failure as codes: a vendor's text may quote the prompt. */
const reasonOf = ({ kind, status, error }: Failure) => `${kind} ${status} ${error.code ?? ""}`.trim();

/** How long `stop` waits for calls whose connections were cut to record their end. */
const lastCallsMs = 1_000;

export class AiGateway {
  readonly #deps: GatewayDeps;
  readonly #stopping = new AbortController();
  readonly #pools: Pools;
  readonly #origins = new SealedOrigins();
  readonly #budgets: ReturnType<typeof createBudgets>;
  readonly #usage: ReturnType<typeof createUsageLog>;
  readonly #contents: ReturnType<typeof createContentLog>;
  readonly #refusals: ReturnType<typeof createRefusalLog>;
  readonly #leased: ReturnType<typeof createSharedMeters> | null;
  readonly #throttle: ReturnType<typeof createThrottle>;
  readonly #checks: ReturnType<typeof createHealthChecks>;
  readonly #counter: ReturnType<typeof createTokenCounter>;
  readonly #stored: StoredAnswers;
  readonly #serving: Parameters<typeof serve>[0];
  /** Streams in progress, by call id. */
  readonly #streams = new Map<string, ResponseStream>();
  /** Calls that have no answer yet, and the callback of `stop` for when there are none. */
  #unanswered = 0;
  #allAnswered = () => {};

  constructor(deps: GatewayDeps) {
    const { database, clock, random, log, upstreams } = deps;
    this.#deps = deps;
    this.#pools = new Pools(deps);
    this.#budgets = createBudgets({
      clock,
      log,
      read: ({ kind, id }, day) => {
        const month = day.slice(0, 7);
        return kind === "key"
          ? database.run(readSpend, { keyId: id, day, month })
          : database.run(readSharedSpend, { ownerId: id, day, month });
      },
      low: reportLowBudget(deps),
    });
    this.#usage = createUsageLog({
      database,
      clock,
      log,
      dropped: deps.counted.dropped,
      written: (row) => {
        this.#budgets.callWritten(new Set([row.key_id, row.pool_id, row.account_id]), costOf(row));
      },
    });
    this.#contents = createContentLog({
      database,
      sealer: deps.sealer,
      clock,
      log,
      random: random.random,
      dropped: deps.counted.contentsDropped,
    });
    this.#refusals = createRefusalLog({
      database,
      clock,
      log,
    });
    // One SQLite file serves one process, whose memory is exact.
    this.#leased = database.engine === "postgres" ? createSharedMeters(deps, this.#stopping.signal) : null;
    this.#throttle = createThrottle({ clock, log, shared: this.#leased, place: deps.place });
    this.#checks = createHealthChecks(
      { clock, log, upstreams, random: random.random },
      () => this.#pools.inUse,
      this.#stopping.signal,
    );
    this.#counter = createTokenCounter({ clock, upstreams });
    this.#stored = new StoredAnswers(deps, this.#stopping.signal);
    this.#serving = {
      chain: (pool, caller) => this.#chain(pool, caller),
      throttle: this.#throttle,
      budgets: this.#budgets,
      repeats: new Repeats({ clock, stored: this.#stored }),
      record: (pool, call, outcome) => this.#record(pool, call, outcome),
      tracer: deps.tracer,
      refused: this.#refusals.refused,
    };
  }

  /** The key of a Bearer token with the pool that it opens; null if the key does not exist. Cached, so cheap to call. */
  authenticate(token: string): Promise<Opened | null> {
    return this.#pools.open(token);
  }

  /** The key with this id, and its pool; null if it was revoked or has expired. */
  openById(keyId: string): Promise<Opened | null> {
    return this.#pools.openById(keyId);
  }

  /** The account's pool, as read from the storage, for a person who tries it without a key. */
  openForPerson(found: PoolWithMembers, account: PoolAccount): Opened {
    return this.#pools.openForPerson(found, account);
  }

  /**
   * Counts a request that is only stored now (`callId`) towards the key's requests per minute. Each attempt that serves it later counts
   * too.
   */
  async accept({ key }: Opened, callId: string): Promise<Admission> {
    // It ends as soon as it is stored, so it takes no slot.
    const stored = { ...key, limits: { ...key.limits, concurrency: null } };
    const { admission, end } = await this.#throttle.admit(stored, callId, 0);
    end(0);
    if (admission.kind === "refused")
      this.#refusals.refused(key, admission.by, this.#deps.clock.now(), admission.retryAfterMs);
    return admission;
  }

  /** Serves a call on the pool as it was opened. `signal`: the client disconnects. */
  async serve(
    { key, pool }: Opened,
    request: ClientRequest,
    caller: Caller,
    signal: LightAbortSignal,
  ): Promise<ServeResult> {
    this.#unanswered += 1;
    try {
      const served = await serve(this.#serving, { key, pool, request, caller, signal });
      if (served.kind !== "served") return served;
      const completed = this.#contents.observe(pool, caller.id, request, served.completed);
      if (completed.kind === "stream") this.#streams.set(caller.id, completed.stream);
      return completed === served.completed ? served : { ...served, completed };
    } finally {
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#allAnswered();
    }
  }

  /** The token count of a request to Anthropic's API; null if no member may serve its model. Does not count towards the key's limits. */
  countTokens(opened: Opened, request: ClientRequest, signal: LightAbortSignal): Promise<number | null> {
    return this.#counter.count(opened, request, signal);
  }

  /** The models that the key may use now, the pool's own name first. */
  models({ key, pool }: Opened): ListedModel[] {
    const pricedOnly = pricedOnlyBy(key) !== null;
    return listModels(
      pool,
      key,
      this.#deps.clock,
      (member, model) => !pricedOnly || isPriced(member, model, this.#deps.listPrices),
    );
  }

  /** The models of a member, of every operation, without a known price. */
  unpricedModels(member: Parameters<typeof unpricedModels>[0]): string[] {
    return unpricedModels(member, this.#deps.listPrices);
  }

  /** The members of a pool as this process sees them; empty while the pool is not cached. */
  health(poolId: string): MemberStatus[] {
    const members = this.#pools.inUse.find(({ id }) => id === poolId)?.members ?? [];
    return members.map((member) => statusOf(member, this.#deps.clock));
  }

  /** The members of all pools that are in use, for the metrics. */
  members(): MemberLoad[] {
    const now = this.#deps.clock.monotonic();
    return this.#pools.inUse.flatMap(({ accountId, name, members }) =>
      members.map((member) => {
        const { health } = member;
        const standing = health.overallAvailability(now, allModels(member));
        const state = !member.active ? "off" : standing.kind === "down" ? standing.why : standing.kind;
        return { account: accountId, pool: name, member: member.name, state };
      }),
    );
  }

  /** What is currently left of the limits of each of these keys, in their order. */
  keyLevels(keys: readonly LimitedKey[]): Promise<KeyLevels[]> {
    return this.#throttle.levels(keys);
  }

  /** Pools or keys changed in this process: cached ones are read again. */
  forget(): void {
    this.#pools.invalidate();
  }

  /** Ends the streams in progress, each with an in-band error. */
  interrupt(): void {
    for (const stream of this.#streams.values()) stream.stop();
  }

  /** Ends the background loops and writes the pending usage records. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const answered = new Promise<void>((resolve) => {
      this.#allAnswered = resolve;
    });
    // Their connections were cut a moment ago.
    if (this.#unanswered > 0) await withTimeout(this.#deps.clock, lastCallsMs, answered);
    await Promise.all([this.#checks.ended(), this.#leased?.ended(), this.#stored.ended()]);
    await Promise.all([this.#usage.stop(), this.#contents.stop(), this.#refusals.stop()]);
  }

  #reportMember(
    pool: Pool,
    member: Member,
    type: "pool.member_down" | "pool.member_up",
    reason: string | null,
  ): void {
    const fields = { pool: pool.name, member: member.name };
    if (reason === null)
      this.#deps.log.info({ event: "pool.member_up", ...fields }, "A pool member is available again.");
    else this.#deps.log.warn({ event: "pool.member_down", ...fields, reason }, "A pool member is down.");
    const data = { pool: pool.name, member: member.name, kind: member.provider.kind, reason };
    this.#deps.database
      .run(recordMemberEvent, {
        id: this.#deps.newId("pm"),
        accountId: pool.accountId,
        type,
        at: this.#deps.clock.now(),
        data,
      })
      .catch((error) =>
        this.#deps.log.warn(
          { event: "pool.member_event_failed", error },
          "The change of a pool member could not be recorded for webhooks.",
        ),
      );
  }

  /** What the members of a call may use, and where they report. */
  #chain(pool: Pool, { id: call, clientRequestId }: Caller): FailoverDeps {
    return {
      clock: this.#deps.clock,
      upstreams: this.#deps.upstreams,
      answerBytes: this.#deps.answerBytes,
      prices: this.#deps.listPrices,
      random: this.#deps.random.random,
      origins: this.#origins,
      memberDown: (member, failure) => {
        this.#checks.start();
        this.#reportMember(pool, member, "pool.member_down", failure.detail ?? failure.error.message);
      },
      keyRefused: (member, position, failure) =>
        this.#deps.log.warn(
          {
            event: "pool.member_key_refused",
            pool: pool.name,
            member: member.name,
            position,
            reason: failure.detail ?? failure.error.message,
          },
          "A provider refused one of several keys of a pool member; the others are used.",
        ),
      memberUp: (member) => this.#reportMember(pool, member, "pool.member_up", null),
      failedOver: (from, to, failure, memberCount) =>
        this.#deps.log.info(
          {
            event: "call.failed_over",
            call,
            ...(clientRequestId === null ? {} : { clientRequestId }),
            pool: pool.name,
            member: from.member.name,
            model: from.model,
            reason: reasonOf(failure),
            attempts: memberCount,
            next: to.member.name,
          },
          "A pool member failed a call, and another one is called.",
        ),
      exhausted: (last, failure, memberCount) =>
        this.#deps.log.warn(
          {
            event: "call.exhausted",
            call,
            ...(clientRequestId === null ? {} : { clientRequestId }),
            pool: pool.name,
            member: last?.member.name ?? null,
            model: last?.model ?? null,
            reason: reasonOf(failure),
            attempts: memberCount,
          },
          "No member of the pool could serve a call.",
        ),
    };
  }

  #record(pool: Pool, call: AdmittedCall, outcome: CallOutcome): void {
    const row = usageRow(call, outcome);
    this.#usage.record(row);
    this.#budgets.addCall(call.key, costOf(row));
    this.#deps.counted.call({
      account: pool.accountId,
      pool: pool.name,
      member: row.member,
      model: row.model,
      status: row.status,
      firstOutputMs: outcome.firstByteMs,
      ms: outcome.ms,
      inputTokens: row.prompt_tokens,
      outputTokens: row.completion_tokens,
      cost: costInMillionths(row),
      attempts: outcome.attempts,
    });
    this.#streams.delete(call.id);
    call.person?.ended(row);
  }
}
