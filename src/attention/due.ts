// Which items a hook has to report now, and what is remembered of the others. Pure: rows and items give rows.

import type { HookAttention } from "#contract/hooks/hooks.ts";
import type { AttentionData } from "#contract/manage/overview.ts";
import type { AlertCausesTable } from "#store/schema/hooks.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export interface DueAlert {
  row: AlertCausesTable;
  state: "begun" | "ended";
}

interface AlertPlan {
  put: AlertCausesTable[];
  remove: AlertCausesTable[];
  /** In the order of their first sight, as many as the hour has room for. */
  due: DueAlert[];
}

/** Tells a cause from all others of its account. */
const causeOf = ({ kind, subject }: AttentionData) => `${kind} ${subject?.id ?? ""}`;

/** How much the hook has reported within the last hour. */
const reportedWithin = (rows: readonly AlertCausesTable[], after: number): number =>
  rows.reduce(
    (sum, { begun_at, ended_at, ended_sent }) =>
      sum +
      (begun_at !== null && begun_at > after ? 1 : 0) +
      (ended_sent === 1 && ended_at !== null && ended_at > after ? 1 : 0),
    0,
  );

/**
 * What changes for a hook at `now` (epoch ms). `rows`: its causes, oldest first. `items`: those of the overview. An item is due once it has
 * persisted, and its end once it has been gone for as long; one that is gone before it was reported is forgotten.
 */
export function planAlerts(
  hookId: string,
  rows: readonly AlertCausesTable[],
  items: readonly AttentionData[],
  { severities, after_minutes, ended, per_hour }: HookAttention,
  now: number,
): AlertPlan {
  const afterMs = after_minutes * minuteMs;
  const listed = new Map(
    items.filter(({ severity }) => severities.includes(severity)).map((item) => [causeOf(item), item]),
  );
  const plan: AlertPlan = { put: [], remove: [], due: [] };
  for (const row of rows) {
    if (row.ended_at !== null) {
      // Kept for the count of the hour.
      if (now - row.ended_at > hourMs) plan.remove.push(row);
      continue;
    }
    const isListed = listed.delete(row.cause);
    if (isListed) {
      if (row.absent_at !== null) plan.put.push({ ...row, absent_at: null });
      if (row.begun_at === null && now - row.since >= afterMs) plan.due.push({ row, state: "begun" });
    } else if (row.begun_at === null) plan.remove.push(row);
    else if (row.absent_at === null) plan.put.push({ ...row, absent_at: now });
    else if (now - row.absent_at < afterMs) continue;
    else if (ended) plan.due.push({ row, state: "ended" });
    else plan.put.push({ ...row, ended_at: now });
  }
  for (const [cause, item] of listed)
    plan.put.push({
      hook_id: hookId,
      cause,
      since: now,
      item: JSON.stringify(item),
      absent_at: null,
      begun_at: null,
      ended_at: null,
      ended_sent: 0,
    });
  plan.due.length = Math.min(plan.due.length, Math.max(0, per_hour - reportedWithin(rows, now - hourMs)));
  return plan;
}
