// Reads what messages wait for: each gateway of a page once, and none if no message of the page waits.

import type { WaitingFor } from "#contract/messages/waiting-for.ts";
import type { Core } from "#core/core.ts";
import { findAdapter } from "#gateways/registry.ts";
import { paceOf, rulesIn } from "#gateways/rules.ts";
import { androidSettings, findPhoneOwner } from "#gateways/sms/android/android.ts";
import { openSettings } from "#store/gateways/gateways.ts";
import { type GatewayStanding, readStandings } from "#store/gateways/waiting.ts";
import { untilConnected } from "#store/lanes/lanes.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { type PulledGateway, readPulledGateways } from "#store/phones/phones.ts";
import type { Sealer } from "#store/seal.ts";
import { type WaitingLane, waitingFor } from "./waiting-for.ts";

export type WaitingDeps = Pick<Core, "clock" | "database" | "sealer">;

/** Why each of these messages waits now; null for one that does not. */
export async function readWaiting(
  { clock, database, sealer }: WaitingDeps,
  rows: readonly MessageRow[],
): Promise<(row: MessageRow) => WaitingFor | null> {
  const waiting = rows.filter(({ status }) => status === "queued" || status === "scheduled");
  if (waiting.length === 0) return () => null;
  const ids = [...new Set(waiting.map(({ gateway_id }) => gateway_id))];
  const standings = new Map<string, GatewayStanding>();
  const read = async (requested: readonly string[]) => {
    const missing = requested.filter((id) => !standings.has(id));
    if (missing.length === 0) return;
    for (const standing of await database.run(readStandings, missing))
      standings.set(standing.gateway.id, standing);
  };
  await read(ids);
  const phones = new Map<string, string>();
  const lines = new Map<string, PulledGateway[]>();
  for (const { gateway } of standings.values()) {
    const named = phoneOf(sealer, gateway);
    if (named === null) continue;
    phones.set(gateway.id, gateway.id);
    if (named === gateway.id) continue;
    const { account_id: accountId, kind } = gateway;
    const own = lines.get(accountId) ?? (await database.run(readPulledGateways, { accountId, kind }));
    lines.set(accountId, own);
    phones.set(gateway.id, findPhoneOwner(own, named)?.id ?? named);
  }
  await read([...phones.values()]);
  const now = clock.now();
  const lanes = new Map(
    [...standings].map(([id, standing]) => [
      id,
      laneOf(standing, standings.get(phones.get(id) ?? id) ?? standing),
    ]),
  );
  return (row) => waitingFor(row, lanes.get(row.gateway_id) ?? null, now);
}

/** What names the phone which serves the gateway, an id or an identifier; null if it is no phone's. */
function phoneOf(sealer: Sealer, gateway: GatewayStanding["gateway"]): string | null {
  if (connectionOf(gateway) !== "pulled") return null;
  try {
    const read = androidSettings.safeParse(openSettings(sealer, gateway));
    return read.data?.phone ?? gateway.id;
  } catch {
    // Settings that cannot be unsealed are logged where its messages are handed over.
    return gateway.id;
  }
}

const connectionOf = ({ kind, channel }: GatewayStanding["gateway"]) =>
  findAdapter(kind, channel)?.connection ?? "on_demand";

/** `owner`: the gateway that owns the link of its phone; the gateway itself if it is no phone's. */
function laneOf(standing: GatewayStanding, owner: GatewayStanding): WaitingLane {
  const { gateway, lane, timeZone } = standing;
  const { operator_paused_at, operator_paused_by: by, paused_since, paused_until } = lane;
  const adapter = findAdapter(gateway.kind, gateway.channel);
  const { hours, per_day: perDay } = paceOf(rulesIn(gateway).pace, adapter?.defaultPace);
  const ownReason = paused_since === operator_paused_at ? lane.pause_reason : null;
  return {
    active: gateway.active === 1,
    stopped: operator_paused_at === null ? null : { at: operator_paused_at, by, reason: ownReason },
    lacks: lacksOf(standing, owner),
    pause:
      paused_since === null || paused_until === null || paused_until === untilConnected
        ? null
        : {
            since: lane.failing_since ?? paused_since,
            until: paused_until,
            reason: lane.pause_reason,
          },
    hours,
    perDay,
    day: lane.day,
    dayCount: lane.day_count,
    timeZone,
  };
}

function lacksOf({ gateway, lane, session }: GatewayStanding, owner: GatewayStanding): WaitingLane["lacks"] {
  const connection = connectionOf(gateway);
  const detail = session?.reason ?? lane.pause_reason;
  const since = session?.changed_at ?? lane.paused_since;
  switch (connection) {
    case "linked":
    case "held": {
      if (session?.status === "connected") return null;
      const isLinked = connection === "held" || (session !== null && session.linked_at !== null);
      return { reason: isLinked ? "not_connected" : "not_linked", since, detail };
    }
    case "pulled":
      if (owner.phone === null) return { reason: "not_linked", since: lane.paused_since, detail: null };
      break;
    case "members":
    case "on_demand":
      break;
  }
  if (lane.paused_until !== untilConnected) return null;
  return { reason: "not_connected", since: lane.paused_since, detail: lane.pause_reason };
}
