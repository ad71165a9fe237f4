// The members of a pool in the order in which they are called: by priority, and within a priority by weight.

import { Link } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Pool, PoolMember, PoolMemberHealth, PoolUsage } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { OnOff } from "#ui/parts/act.tsx";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { Problem, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Moment, Time } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { requestsByDay } from "./days.ts";
import { outcomeOf, shareOf, stateOf } from "./outcomes.ts";

/** How a member that is not up last failed, in the words of the call's record. */
function LastFailure({ pool, of }: { pool: Pool; of: PoolMemberHealth["last_failure"] }) {
  const { id: account } = useAccount();
  if (of === null) return null;
  return (
    <p className="small soft">
      Last failure: {outcomeOf(of)}, <Time at={of.at} brief />.{" "}
      <Link to="/a/$account/pools/$pool/calls/$call" params={{ account, pool: pool.id, call: of.call }}>
        The call
      </Link>
    </p>
  );
}

function State({ pool, health }: { pool: Pool; health: PoolMemberHealth | undefined }) {
  if (health === undefined) return <div className="soft">…</div>;
  const { state, word, why } = stateOf(health);
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
      {state === "up" || state === "off" ? null : <LastFailure pool={pool} of={health.last_failure} />}
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
function Use({ days, total }: { days: readonly number[]; total: PoolUsage | undefined }) {
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

  return (
    <div className="act">
      <OnOff
        name={member.name}
        active={member.active}
        aria-label={`${member.active ? "Switch off" : "Switch on"} ${member.name}`}
        disabled={update.isPending}
        set={(active) =>
          update.mutateAsync({ params: { account, pool: pool.id, member: member.id }, body: { active } })
        }
      />
      <Problem error={update.error} />
    </div>
  );
}

/** `serves`: whether it has a member that takes requests; `isFirst`: whether it is the first such. */
function tierWords(at: number, serves: boolean, isFirst: boolean): string {
  if (at === 0) return serves ? "asked first" : "asked first, but none of its members is up";
  if (serves && isFirst) return "serves now, because none above is up";
  return "asked when none above can answer";
}

/** The name of the member that answered last; undefined if none did recently. */
function lastToAnswer(all: readonly PoolMemberHealth[]): string | undefined {
  const answered = all.filter(({ last_answered_at }) => last_answered_at !== null);
  return answered.toSorted(
    (a, b) => Date.parse(b.last_answered_at ?? "") - Date.parse(a.last_answered_at ?? ""),
  )[0]?.member;
}

export function Members({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const params = { account, pool: pool.id };
  const health = useRead("getPoolHealth", { params }, { every: 2_000 });
  const totals = useRead("getPoolUsage", { params, query: { by: "member" } }, { every: 60_000 });
  const days = useRead("getPoolUsage", { params, query: { by: "day", split: "member" } }, { every: 60_000 });
  if (health.isPending || totals.isPending || days.isPending) return <Waiting error={null} />;
  const healthOf = (id: string) => health.data?.data.find(({ member }) => member === id);
  const serves = ({ id }: PoolMember) => {
    const health = healthOf(id);
    return health !== undefined && stateOf(health).serves;
  };
  const priorities = [...new Set(pool.members.map(({ priority }) => priority))].sort((a, b) => a - b);
  const firstServing = priorities.find((priority) =>
    pool.members.some((member) => member.priority === priority && serves(member)),
  );
  const last = lastToAnswer(health.data?.data ?? []);
  const answered = pool.members.find(({ id }) => id === last)?.priority;
  const lit = answered ?? firstServing;
  return (
    <>
      <Problem error={health.error} />
      <ol className="tiers">
        {priorities.map((priority, at) => {
          const members = pool.members.filter((member) => member.priority === priority);
          const weights = members.filter(({ active }) => active).map(({ weight }) => weight);
          return (
            <li key={priority} className={priority === lit ? "tier serving" : "tier"}>
              <h2>
                {at + 1}{" "}
                <span className="soft small">
                  {health.data === undefined
                    ? ""
                    : tierWords(at, members.some(serves), priority === firstServing)}
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
                        days={requestsByDay(days.data, member.name)}
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
      <p className="hint">
        States are as the process that answered this page sees them, counts are those of all processes.
        {answered === undefined ? "" : " The highlighted tier answered last."}
      </p>
    </>
  );
}

/** What it was asked in the last hour or in the pool's last 1,000 calls, and how it does at present. */
function Now({ health }: { health: PoolMemberHealth | undefined }) {
  if (health === undefined) return null;
  const { recent, in_flight, first_output_ms } = health;
  const parts = [
    ...(in_flight === 0 ? [] : [`${number(in_flight)} under way`]),
    ...(first_output_ms === null ? [] : [`first output after ${duration(first_output_ms)}`]),
  ];
  return (
    <>
      {recent.asked === 0 ? null : (
        <p className="small soft">
          Asked {number(recent.asked)}, failed {number(recent.failed)} since <Moment at={recent.since} />
        </p>
      )}
      {parts.length === 0 ? null : <p className="small soft">{parts.join(" · ")}</p>}
    </>
  );
}
