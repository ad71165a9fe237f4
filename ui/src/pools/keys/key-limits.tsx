// The remaining limits of a pool's key, and the last call that one of them refused.

import type { PoolKey } from "#ui/api/schema.ts";
import { Due, Time, useIsOver, useNow } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { leftAt } from "./left.ts";

function Left({ limit, fullAt }: { limit: number; fullAt: string | null }) {
  const left = leftAt(limit, fullAt, useNow());
  if (left === limit) return null;
  return (
    <div className={left === 0 ? "small bad" : "small soft"}>{left === 0 ? "none" : number(left)} left</div>
  );
}

const refusedBy = {
  requests: "by its requests a minute",
  tokens: "by its tokens a minute",
  concurrency: "by its calls at once",
  budget: "by its budget",
} as const satisfies Record<NonNullable<PoolKey["last_refusal"]>["by"], string>;

function LastRefusal({ of: { at, by, until } }: { of: NonNullable<PoolKey["last_refusal"]> }) {
  const isOver = useIsOver(until);
  return (
    <div className={isOver ? "small soft" : "small bad"}>
      refused <Time at={at} brief /> {refusedBy[by]}
      {isOver ? null : (
        <>
          ; allowed again <Due at={until} over="now" />
        </>
      )}
    </div>
  );
}

export function Limits({ of: { limits, left, last_refusal } }: { of: PoolKey }) {
  const parts = [
    [limits.requests_per_minute, "requests a minute", left.requests],
    [limits.tokens_per_minute, "tokens a minute", left.tokens],
  ] as const;
  const hasNone = Object.values(limits).every((limit) => limit === null);
  return (
    <>
      {hasNone ? <span className="soft">no limit</span> : null}
      {parts.map(([limit, words, level]) =>
        limit === null ? null : (
          <div key={words}>
            <div>
              {number(limit)} {words}
            </div>
            {level === null ? null : <Left limit={limit} fullAt={level.full_at} />}
          </div>
        ),
      )}
      {limits.concurrency === null ? null : (
        <div>
          <div>{number(limits.concurrency)} at once</div>
          {left.under_way ? <div className="small soft">{number(left.under_way)} under way</div> : null}
        </div>
      )}
      {last_refusal === null ? null : <LastRefusal of={last_refusal} />}
    </>
  );
}
