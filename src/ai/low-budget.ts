// Announces that little is left of a budget: one log line and one event, from the process that notices first.

import type { LowNotice } from "#ai/limits/budget.ts";
import type { Core } from "#core/core.ts";
import { recordLowBudget } from "#store/pools/events.ts";

type Deps = Pick<Core, "clock" | "database" | "log" | "newId">;

const millionths = 1_000_000;

/** Reports in the background: no call waits for it. */
export function reportLowBudget({ clock, database, log, newId }: Deps): (notice: LowNotice) => void {
  return ({ owner, bound, period, used, limit, restartsAt }) => {
    const unit = bound === "cost_per_month" ? millionths : 1;
    const data = {
      scope: owner.kind,
      pool: owner.pool,
      key: owner.key,
      bound,
      used: used / unit,
      limit: limit / unit,
      percent: Math.floor((used / limit) * 100),
      restarts_at: new Date(restartsAt).toISOString(),
    };
    database
      .run(recordLowBudget, {
        id: newId("bud"),
        accountId: owner.accountId,
        ownerId: owner.id,
        bound,
        period,
        at: clock.now(),
        data,
      })
      .then(
        (isNew) => {
          if (!isNew) return;
          log.warn({ event: "budget.low", account: owner.accountId, ...data }, "A budget of AI runs low.");
        },
        (error) =>
          log.warn(
            { event: "budget.low_failed", error },
            "The event that a budget runs low could not be recorded.",
          ),
      );
  };
}
