// When the providers of gateways last reported. A gateway that sends but receives no reports has a callback that fails.

import { sql } from "kysely";
import { batchedOperation } from "#store/database.ts";

/** Reports within this time of the last stored one are not stored. */
const toleranceMs = 30_000;

/** Records that the providers of these gateways reported at `at` (epoch ms). */
export const noteReport = batchedOperation(
  "noteReport",
  async (tx, reports: readonly { gateway_id: string; at: number }[]) => {
    const latest = new Map<string, number>();
    for (const { gateway_id, at } of reports)
      latest.set(gateway_id, Math.max(at, latest.get(gateway_id) ?? 0));
    const rows = [...latest].map(([gateway_id, at]) => ({ gateway_id, at }));
    await sql`
      insert into gateway_reports (gateway_id, at)
      select gateway_id, at from ${tx.rows("noted", { gateway_id: "text", at: "bigint" }, rows)} where true
      order by gateway_id
      on conflict (gateway_id) do update set at = excluded.at
      where gateway_reports.at < excluded.at - ${sql.lit(toleranceMs)}
    `.execute(tx.db);
    return reports.map(() => null);
  },
);
