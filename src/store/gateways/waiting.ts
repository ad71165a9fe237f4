// What decides when the messages of a gateway are sent, for their records.

import { readOperation } from "#store/database.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import type { PhonesTable } from "#store/schema/phones.ts";
import type { GatewaysTable, LanesTable } from "#store/schema/schema.ts";

const laneColumns = [
  "operator_paused_at",
  "operator_paused_by",
  "paused_since",
  "paused_until",
  "pause_reason",
  "failing_since",
  "day",
  "day_count",
] as const;

export interface GatewayStanding {
  gateway: Pick<GatewaysTable, "id" | "account_id" | "channel" | "kind" | "active" | "rules" | "settings">;
  timeZone: string;
  lane: Pick<LanesTable, (typeof laneColumns)[number]>;
  /** Null if it never had a connection. */
  session: Pick<GatewaySessionsTable, "status" | "reason" | "linked_at" | "changed_at"> | null;
  /** The phone whose link the gateway owns; null if none is linked. */
  phone: Pick<PhonesTable, "linked_at"> | null;
}

/** Gateways by their ids, which are few: those of one page of messages. Deleted ones are left out. */
export const readStandings = readOperation(
  "readStandings",
  async (tx, ids: readonly string[]): Promise<GatewayStanding[]> => {
    const found: GatewayStanding[] = [];
    for (const id of ids) {
      const gateway = await tx.db
        .selectFrom("gateways")
        .select(["id", "account_id", "channel", "kind", "active", "rules", "settings"])
        .where("id", "=", id)
        .executeTakeFirst();
      const lane = await tx.db
        .selectFrom("lanes")
        .select(laneColumns)
        .where("id", "=", id)
        .executeTakeFirst();
      if (!gateway || !lane) continue;
      const account = await tx.db
        .selectFrom("accounts")
        .select("time_zone")
        .where("id", "=", gateway.account_id)
        .executeTakeFirstOrThrow();
      const session = await tx.db
        .selectFrom("gateway_sessions")
        .select(["status", "reason", "linked_at", "changed_at"])
        .where("gateway_id", "=", id)
        .executeTakeFirst();
      const phone = await tx.db
        .selectFrom("phones")
        .select("linked_at")
        .where("gateway_id", "=", id)
        .where("token_hash", "is not", null)
        .executeTakeFirst();
      found.push({
        gateway,
        timeZone: account.time_zone,
        lane,
        session: session ?? null,
        phone: phone ?? null,
      });
    }
    return found;
  },
);
