// Puts the AI gateway of one process together: keys and pools, limits and budgets, usage records, member health.

import type { Tracer } from "@opentelemetry/api";
import { createContentLog } from "#ai/content-log/content-log.ts";
import type { FailoverDeps } from "#ai/failover/call.ts";
import { SealedOrigins } from "#ai/failover/sealed-origins.ts";
import { createHealthChecks } from "#ai/health/health-checks.ts";
import type { UnsupportedParameter } from "#ai/health/refused-parameters.ts";
import { createBudgets } from "#ai/limits/budget.ts";
import type { KeyLevels } from "#ai/limits/limits.ts";
import type { Place } from "#ai/limits/share.ts";
import { createSharedMeters } from "#ai/limits/shared-meters.ts";
import { type Admission, createThrottle, type LimitedKey } from "#ai/limits/throttle.ts";
import { withTimeout } from "#ai/limits/timeout.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import type { KeyStatus } from "#ai/pools/member-keys.ts";
import { type ListedModel, listModels } from "#ai/pools/models.ts";
import { allModels } from "#ai/pools/operation-models.ts";
import { type Opened, type PoolAccount, Pools } from "#ai/pools/pools.ts";
import { Repeats } from "#ai/repeats/repeats.ts";
import { StoredAnswers } from "#ai/repeats/stored-answers.ts";
import { costInMillionths } from "#contract/cost.ts";
import type { MemberState } from "#contract/manage/pools/members.ts";
import type { Core } from "#core/core.ts";
import type { ListPrices } from "#providers/prices/list-price.ts";
import type { Failure } from "#providers/provider.ts";
import type { MeasuredCall, MemberLoad } from "#runtime/call-metrics.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
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
  /** The place of this process among those that are alive. */
  place(): Place;
  /** How long a process may be silent before the others count it as dead, ms. */
  takeoverMs: number;
  /** Longest whole answer of a provider, bytes. */
  answerBytes: number;
  /** The vendors' list prices; absent: those that come with this version. */
  listPrices?: ListPrices | undefined;
  /** Makes the spans of calls; absent: they leave none. */
  tracer?: Tracer | undefined;
  /** For the metrics: a call ended; records of usage, and contents of calls, were dropped. */
  counted: {
    call(call: MeasuredCall): void;
    dropped(count: number): void;
    contentsDropped(count: number): void;
  };
}

/** How a member is doing as this process sees it, for the management API. */
export interface MemberStatus {
  /** The member's id. */
  member: string;
  state: MemberState;
  /** When it may be asked again, epoch ms; null if that is now. */
  until: number | null;
  /** Requests under way. */
  inFlight: number;
  /** Moving average of the time to its first output; null if it has not answered yet. */
  firstOutputMs: number | null;
  /** The parameters that its models refused; `until`: epoch ms. */
  refused: readonly UnsupportedParameter[];
  /** Whether its models turned out to lack the Responses API, though its vendor documents it. */
  lacksResponses: boolean;
  /** Of several keys, how each is; `until`: epoch ms. */
  keys: readonly KeyStatus[];
}

export interface AiGateway {
  /** The key of a Bearer token with the pool that it opens; null if the key does not exist. Cached, so cheap to call. */
  authenticate(token: string): Promise<Opened | null>;
  /** The key with this id, and its pool; null if it was revoked or has expired. */
  openById(keyId: string): Promise<Opened | null>;
  /** The account's pool for a person who tries it without a key, as it was read from the storage. */
  openForPerson(found: PoolWithMembers, account: PoolAccount): Opened;
  /** Serves a call on the pool as it was opened. `signal`: the client disconnects. */
  serve(
    opened: Opened,
    request: ClientRequest,
    caller: Caller,
    signal: LightAbortSignal,
  ): Promise<ServeResult>;
  /**
   * Counts a request that is only stored now (`callId`) against the key's requests per minute. Each attempt that serves it
   * later counts too.
   */
  accept(opened: Opened, callId: string): Promise<Admission>;
  /** The tokens of a request to Anthropic's API; null if no member may serve its model. Costs nothing of the key's limits. */
  countTokens(opened: Opened, request: ClientRequest, signal: LightAbortSignal): Promise<number | null>;
  /** The models that the key may use now, the pool's own name first. */
  models(opened: Opened): ListedModel[];
  /** The models of a member, of every operation, without a known price. */
  unpricedModels(member: Parameters<typeof unpricedModels>[0]): string[];
  health(poolId: string): MemberStatus[];
  /** The members of all pools that are in use, for the metrics. */
  members(): MemberLoad[];
  /** What the limits leave of each of these keys at the moment, in their order. */
  keyLevels(keys: readonly LimitedKey[]): Promise<KeyLevels[]>;
  /** Pools or keys changed in this process: cached ones are read again. */
  forget(): void;
  /** Ends the streams under way, each with an in-band error. */
  interrupt(): void;
  /** Ends the background loops and writes the pending usage records. */
  stop(): Promise<void>;
}

/** What a failure is, in codes: a vendor's words may quote the prompt. */
const reasonOf = ({ kind, status, error }: Failure) => `${kind} ${status} ${error.code ?? ""}`.trim();

/** How long `stop` waits for calls whose connections were cut to record their end. */
const lastCallsMs = 1_000;

export function openAiGateway(deps: GatewayDeps): AiGateway {
  const { database, clock, random, log, upstreams } = deps;
  const stopping = new AbortController();
  const pools = new Pools(deps);
  const origins = new SealedOrigins();
  const budgets = createBudgets({
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
  const usage = createUsageLog({
    database,
    clock,
    log,
    dropped: deps.counted.dropped,
    written: (row) => {
      budgets.callWritten(new Set([row.key_id, row.pool_id, row.account_id]), costOf(row));
    },
  });
  const contents = createContentLog({
    database,
    sealer: deps.sealer,
    clock,
    log,
    random: random.random,
    dropped: deps.counted.contentsDropped,
  });
  const refusals = createRefusalLog({
    database,
    clock,
    log,
  });
  // One SQLite file serves one process, whose memory is exact.
  const leased = database.engine === "postgres" ? createSharedMeters(deps, stopping.signal) : null;
  const throttle = createThrottle({ clock, log, shared: leased, place: deps.place });
  const checks = createHealthChecks(
    { clock, log, upstreams, random: random.random },
    () => pools.inUse,
    stopping.signal,
  );
  /** Streams under way, by call id. */
  const streams = new Map<string, ResponseStream>();
  /** Calls that have no answer yet, and the callback of `stop` for when there are none. */
  let unanswered = 0;
  let allAnswered = () => {};

  function reportMember(
    pool: Pool,
    member: Member,
    type: "pool.member_down" | "pool.member_up",
    reason: string | null,
  ): void {
    const fields = { pool: pool.name, member: member.name };
    if (reason === null)
      log.info({ event: "pool.member_up", ...fields }, "A pool member is available again.");
    else log.warn({ event: "pool.member_down", ...fields, reason }, "A pool member is down.");
    const data = { pool: pool.name, member: member.name, kind: member.provider.kind, reason };
    database
      .run(recordMemberEvent, {
        id: deps.newId("pm"),
        accountId: pool.accountId,
        type,
        at: clock.now(),
        data,
      })
      .then(
        () => {},
        (error) =>
          log.warn(
            { event: "pool.member_event_failed", error },
            "The change of a pool member could not be recorded for webhooks.",
          ),
      );
  }

  const chain = (pool: Pool, { id: call, clientRequestId }: Caller): FailoverDeps => ({
    clock,
    upstreams,
    answerBytes: deps.answerBytes,
    prices: deps.listPrices,
    random: random.random,
    origins,
    memberDown: (member, failure) => {
      checks.start();
      reportMember(pool, member, "pool.member_down", failure.detail ?? failure.error.message);
    },
    keyRefused: (member, position, failure) =>
      log.warn(
        {
          event: "pool.member_key_refused",
          pool: pool.name,
          member: member.name,
          position,
          reason: failure.detail ?? failure.error.message,
        },
        "A provider refused one of several keys of a pool member; the others are used.",
      ),
    memberUp: (member) => reportMember(pool, member, "pool.member_up", null),
    failedOver: (from, to, failure, memberCount) =>
      log.info(
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
        "A pool member failed a call, and another one is asked.",
      ),
    exhausted: (last, failure, memberCount) =>
      log.warn(
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
  });

  function record(pool: Pool, call: AdmittedCall, outcome: CallOutcome): void {
    const row = usageRow(call, outcome);
    usage.record(row);
    budgets.addCall(call.key, costOf(row));
    deps.counted.call({
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
    streams.delete(call.id);
    call.person?.ended(row);
  }

  const counter = createTokenCounter({ clock, upstreams });
  const stored = new StoredAnswers(deps, stopping.signal);
  const repeats = new Repeats({ clock, stored });
  const serving = {
    chain,
    throttle,
    budgets,
    repeats,
    record,
    tracer: deps.tracer,
    refused: refusals.refused,
  };

  return {
    authenticate: (token) => pools.open(token),
    openById: (keyId) => pools.openById(keyId),
    openForPerson: (found, account) => pools.openForPerson(found, account),
    accept: async ({ key }, callId) => {
      // It has ended as soon as it is stored, so that it takes no slot.
      const stored = { ...key, limits: { ...key.limits, concurrency: null } };
      const { admission, end } = await throttle.admit(stored, callId, 0);
      end(0);
      if (admission.kind === "refused")
        refusals.refused(key, admission.by, clock.now(), admission.retryAfterMs);
      return admission;
    },
    serve: async ({ key, pool }, request, caller, signal) => {
      unanswered += 1;
      try {
        const served = await serve(serving, key, pool, request, caller, signal);
        if (served.kind !== "served") return served;
        const completed = contents.observe(pool, caller.id, request, served.completed);
        if (completed.kind === "stream") streams.set(caller.id, completed.stream);
        return completed === served.completed ? served : { ...served, completed };
      } finally {
        unanswered -= 1;
        if (unanswered === 0) allAnswered();
      }
    },
    countTokens: (opened, request, signal) => counter.count(opened, request, signal),
    models: ({ key, pool }) => {
      const pricedOnly = pricedOnlyBy(key) !== null;
      return listModels(
        pool,
        key,
        clock,
        (member, model) => !pricedOnly || isPriced(member, model, deps.listPrices),
      );
    },
    unpricedModels: (member) => unpricedModels(member, deps.listPrices),
    health: (poolId) => {
      const now = clock.monotonic();
      const members = pools.inUse.find(({ id }) => id === poolId)?.members ?? [];
      return members.map((member) => {
        const { id, health } = member;
        const standing = health.overallAvailability(now, allModels(member));
        return {
          member: id,
          state: standing.kind === "down" ? standing.why : standing.kind,
          until:
            standing.kind === "down" ? clock.now() + Math.max(0, Math.round(standing.until - now)) : null,
          inFlight: health.inFlight,
          firstOutputMs: health.firstOutputMs,
          refused: health.refused
            .list(now)
            .map((refusal) => ({ ...refusal, until: clock.now() + Math.round(refusal.until - now) })),
          lacksResponses:
            member.models.length > 0 &&
            member.models.every((model) => health.missingApis.has(model, "responses", now)),
          keys: (member.keys?.list(now) ?? []).map((key) => ({
            ...key,
            until: key.until === null ? null : clock.now() + Math.round(key.until - now),
          })),
        };
      });
    },
    members: () => {
      const now = clock.monotonic();
      return pools.inUse.flatMap(({ accountId, name, members }) =>
        members.map((member) => {
          const { health } = member;
          const standing = health.overallAvailability(now, allModels(member));
          const state = !member.active ? "off" : standing.kind === "down" ? standing.why : standing.kind;
          return { account: accountId, pool: name, member: member.name, state };
        }),
      );
    },
    keyLevels: (keys) => throttle.levels(keys),
    forget: () => pools.invalidate(),
    interrupt: () => {
      for (const stream of streams.values()) stream.stop();
    },
    stop: async () => {
      stopping.abort();
      const answered = new Promise<void>((resolve) => {
        allAnswered = resolve;
      });
      // Their connections were cut a moment ago.
      if (unanswered > 0) await withTimeout(clock, lastCallsMs, answered);
      await Promise.all([checks.ended(), leased?.ended(), stored.ended()]);
      await Promise.all([usage.stop(), contents.stop(), refusals.stop()]);
    },
  };
}
