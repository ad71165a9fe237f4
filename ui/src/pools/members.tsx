// The members of a pool in the order in which they are called: by priority, and within a priority by weight.

import { Link } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Pool, PoolMember, PoolMemberHealth, PoolUsage } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Figures, Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { costNote, costOf, duration, number } from "#ui/words/numbers.ts";
import { requestsByDay } from "./days.ts";
import { outcomeOf, shareOf, stateOf } from "./outcomes.ts";

/** The call in which a member that is not up last failed, in the words of its record. */
function LastFailure({ pool, member }: { pool: Pool; member: string }) {
  const { id: account } = useAccount();
  const read = useRead("listPoolCalls", {
    params: { account, pool: pool.id },
    query: { failed_by: member, limit: 1 },
  });
  const [call] = read.data?.data ?? [];
  const attempt = call?.attempts.findLast(
    ({ member: asked, outcome }) => asked === member && outcome !== "ok" && outcome !== "aborted",
  );
  if (call === undefined || attempt === undefined) return null;
  return (
    <p className="small soft">
      Last failure: {outcomeOf(attempt)}, <Time at={call.at} brief />.{" "}
      <Link to="/a/$account/pools/$pool/calls/$call" params={{ account, pool: pool.id, call: call.id }}>
        The call
      </Link>
    </p>
  );
}

function State({ pool, health }: { pool: Pool; health: PoolMemberHealth | undefined }) {
  if (health === undefined) return <div className="soft">…</div>;
  const { state, word, why, serves } = stateOf(health);
  return (
    <div className="stack tight">
      <p>
        <Status of={state}>{word}</Status>
        {health.until === null ? null : (
          <span className="soft">
            {" "}
            · asked again <Due at={health.until} over="with the next request" />
          </span>
        )}
      </p>
      {why === null ? null : <p className="small soft">{why}</p>}
      {(serves && state !== "ready") || state === "off" ? null : (
        <LastFailure pool={pool} member={health.name} />
      )}
      {health.refused.map(({ model, parameter, value, until }) => (
        <p key={`${model} ${parameter} ${value}`} className="small soft">
          {model} refuses <code>{value === null ? parameter : `${parameter}: ${value}`}</code>: asked without
          it, tried again <Due at={until} over="with the next request" />.
        </p>
      ))}
    </div>
  );
}

/** Its activity in the last 30 days. */
function Use({
  days,
  total,
  isKnown,
}: {
  days: readonly number[];
  total: PoolUsage | undefined;
  isKnown: boolean;
}) {
  if (!isKnown) return <p className="small soft">…</p>;
  if (total === undefined) return <p className="small soft">Nothing served in 30 days.</p>;
  const { requests, prompt_tokens, completion_tokens, latency_ms } = total;
  const words = `${number(requests)} ${requests === 1 ? "request" : "requests"} in 30 days`;
  return (
    <div className="stack tight">
      <Sparkline values={days} words={`${words}, by day`} />
      <p className="small soft row apart">
        <span>{words}</span>
        <span>
          {number(prompt_tokens + completion_tokens)} tokens
          {latency_ms.p95 === null ? "" : ` · p95 ${duration(latency_ms.p95)}`}
        </span>
      </p>
    </div>
  );
}

function Switch({ pool, member }: { pool: Pool; member: PoolMember }) {
  const { id: account } = useAccount();
  const update = useChange("updatePoolMember");
  const set = (active: boolean) => ({
    params: { account, pool: pool.id, member: member.id },
    body: { active },
  });
  return (
    <div className="act">
      <button
        type="button"
        className="button"
        aria-label={`${member.active ? "Switch off" : "Switch on"} ${member.name}`}
        disabled={update.isPending}
        onClick={() =>
          update.mutate(set(!member.active), {
            onSuccess: () =>
              done(`${member.name} is switched ${member.active ? "off" : "on"}`, () =>
                update.mutateAsync(set(member.active)),
              ),
          })
        }
      >
        {member.active ? "Switch off" : "Switch on"}
      </button>
      <Problem error={update.error} />
    </div>
  );
}

/** `serves`: no earlier member can serve, and this one can. */
function tierWords(at: number, serves: boolean, isFirst: boolean): string {
  if (at === 0) return serves ? "asked first" : "asked first, but none of it can answer now";
  if (serves && isFirst) return "serves now, because none above can answer";
  return "asked when none above can answer";
}

export function Members({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const zone = useZone();
  const params = { account, pool: pool.id };
  const health = useRead("getPoolHealth", { params }, { every: 2_000 });
  const totals = useRead("getPoolUsage", { params, query: { by: "member" } }, { every: 60_000 });
  const days = useRead("getPoolUsage", { params, query: { by: "day", split: "member" } }, { every: 60_000 });
  const healthOf = (id: string) => health.data?.data.find(({ member }) => member === id);
  const serves = ({ id }: PoolMember) => {
    const health = healthOf(id);
    return health !== undefined && stateOf(health).serves;
  };
  const priorities = [...new Set(pool.members.map(({ priority }) => priority))].sort((a, b) => a - b);
  const firstServing = priorities.find((priority) =>
    pool.members.some((member) => member.priority === priority && serves(member)),
  );
  return (
    <>
      <Problem error={health.error} />
      <Totals rows={totals.data?.data} />
      <ol className="tiers">
        {priorities.map((priority, at) => {
          const members = pool.members.filter((member) => member.priority === priority);
          const isServing = priority === firstServing;
          const weights = members.filter(({ active }) => active).map(({ weight }) => weight);
          return (
            <li key={priority} className={isServing ? "tier serving" : "tier"}>
              <h2>
                {at + 1}{" "}
                <span className="soft small">
                  {health.data === undefined ? "" : tierWords(at, members.some(serves), isServing)}
                </span>
              </h2>
              <ul>
                {members.map((member) => (
                  <li key={member.id} className="member">
                    <div>
                      <RowLink
                        to="/a/$account/pools/$pool/members/$member"
                        params={{ ...params, member: member.id }}
                      >
                        {member.name}
                      </RowLink>{" "}
                      <span className="soft">{member.kind}</span>
                      <p className="small soft">{member.models.join(", ")}</p>
                      {member.unpriced_models.length === 0 ? null : (
                        <p className="small soft">
                          No price is known of {member.unpriced_models.join(", ")}.
                        </p>
                      )}
                      <p className="small soft">
                        {weights.length > 1 && member.active
                          ? `${shareOf(member.weight, weights)} of the requests, weight ${number(member.weight)}`
                          : `priority ${number(priority)}, weight ${number(member.weight)}`}
                      </p>
                    </div>
                    <State pool={pool} health={healthOf(member.id)} />
                    <div>
                      <Use
                        days={requestsByDay(days.data?.data ?? [], member.name, Date.now(), zone)}
                        isKnown={totals.data !== undefined && days.data !== undefined}
                        total={totals.data?.data.find(({ group }) => group === member.name)}
                      />
                      <Now health={healthOf(member.id)} />
                    </div>
                    <Switch pool={pool} member={member} />
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ol>
      <p className="hint">States as seen by this process.</p>
    </>
  );
}

function Now({ health }: { health: PoolMemberHealth | undefined }) {
  if (health === undefined || (health.in_flight === 0 && health.first_output_ms === null)) return null;
  const parts = [
    ...(health.in_flight === 0 ? [] : [`${number(health.in_flight)} under way`]),
    ...(health.first_output_ms === null ? [] : [`first output after ${duration(health.first_output_ms)}`]),
  ];
  return <p className="small soft">{parts.join(" · ")}</p>;
}

/** The pool as a whole; nothing before its first call. */
function Totals({ rows = [] }: { rows: readonly PoolUsage[] | undefined }) {
  if (rows.length === 0) return null;
  const sum = (of: (row: PoolUsage) => number) => rows.reduce((total, row) => total + of(row), 0);
  const requests = sum((row) => row.requests);
  const share = (count: number) => `${((count / Math.max(1, requests)) * 100).toFixed(1)} %`;
  const failedOver = sum((row) => row.failed_over);
  const errors = sum((row) => row.errors);
  return (
    <Figures
      of={[
        { name: "Requests", value: number(requests), note: "in 30 days" },
        { name: "Failed over", value: number(failedOver), note: share(failedOver) },
        { name: "Errors", value: number(errors), note: share(errors) },
        { name: "Tokens", value: number(sum((row) => row.prompt_tokens + row.completion_tokens)) },
        { name: "Cost", value: costOf(rows), note: costNote(rows) },
      ]}
    />
  );
}
