// The gateways that one phone serves, each through one of its SIMs, and how much of each may be handed over now.

import type { z } from "zod";
import type { GatewayRules } from "#contract/manage/gateways.ts";
import type { Core } from "#core/core.ts";
import { paceOf, rulesIn } from "#gateways/rules.ts";
import {
  type AndroidSettings,
  android,
  androidSettings,
  findPhoneOwner,
  keepMsOf,
} from "#gateways/sms/android/android.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import { openSettings } from "#store/gateways/gateways.ts";
import { type LineState, maxHandover, type PhoneLine } from "#store/phones/phone-items.ts";
import { type PulledGateway, readPulledGateways } from "#store/phones/phones.ts";

/** How long a phone may be silent before it counts as late, and as offline, ms: it polls at least every 15 minutes. */
export const lateMs = 16 * 60_000;
export const offlineMs = 35 * 60_000;

/** A gateway of a phone. */
export interface Line {
  gateway: PulledGateway;
  settings: AndroidSettings;
  /** The id of the phone that serves it: the gateway that owns the link. */
  phoneId: string;
  rules: GatewayRules;
}

/** The gateways that the phone serves: the one that owns the link, and those that name the phone. */
export async function linesOf(
  deps: Pick<Core, "database" | "log" | "sealer">,
  phone: { gateway_id: string; account_id: string },
): Promise<Line[]> {
  const lines = await linesIn(deps, phone.account_id);
  return lines.filter(({ phoneId }) => phoneId === phone.gateway_id);
}

/** The gateways of all phones of an account. */
export async function linesIn(
  deps: Pick<Core, "database" | "log" | "sealer">,
  accountId: string,
): Promise<Line[]> {
  const own = await gatewaysOf(deps, { accountId, kind: android.kind }, androidSettings);
  const gateways = own.map(({ gateway }) => gateway);
  return own.map(({ gateway, settings }) => {
    const rules = rulesIn(gateway);
    const named = settings.phone;
    const phoneId = named === undefined ? gateway.id : (findPhoneOwner(gateways, named)?.id ?? named);
    return { gateway, settings, phoneId, rules: { ...rules, pace: paceOf(rules.pace, android.defaultPace) } };
  });
}

/** The account's gateways of a kind with their settings, oldest first. One whose settings cannot be read is left out. */
export async function gatewaysOf<Settings>(
  { database, sealer, log }: Pick<Core, "database" | "sealer"> & Partial<Pick<Core, "log">>,
  of: { accountId: string; kind: string },
  schema: z.ZodType<Settings>,
): Promise<{ gateway: PulledGateway; settings: Settings }[]> {
  return (await database.run(readPulledGateways, of)).flatMap((gateway) => {
    try {
      return [{ gateway, settings: schema.parse(openSettings(sealer, gateway)) }];
    } catch (error) {
      log?.error(
        { event: "gateway.settings_unreadable", gateway: gateway.identifier, error },
        "The settings of a gateway could not be read; its messages wait.",
      );
      return [];
    }
  });
}

/** How much of a line may be handed over at `now`. `random`: of the jitter, in [0, 1). */
export function phoneLine(
  { gateway, settings, rules: { pace } }: Line,
  { now, random = 0, catchesUp = false }: { now: number; random?: number; catchesUp?: boolean },
): PhoneLine {
  const hours = pace.hours === null ? null : withinHours(pace.hours, now, gateway.time_zone);
  const gapMs = (pace.per_second === null ? 0 : 1000 / pace.per_second) + random * pace.jitter_ms;
  return {
    gatewayId: gateway.id,
    ahead: settings.ahead,
    keepMs: keepMsOf(settings),
    latenessMs: gateway.lateness_ms,
    gapMs: Math.round(gapMs),
    catchesUp,
    isOpen: gateway.active === 1 && (hours?.open ?? true),
    day: pace.per_day === null ? null : { name: dayOf(now, gateway.time_zone), limit: pace.per_day },
  };
}

/**
 * When the phone may next fetch something new, epoch ms; null if not before something changes. A pause that ends when the phone polls does
 * not count.
 */
export function nextHandover(
  lines: readonly Line[],
  states: readonly LineState[],
  now: number,
): number | null {
  const times = lines.flatMap((line) => {
    const state = states.find(({ lane }) => lane.id === line.gateway.id);
    return state === undefined ? [] : [nextOf(line, state, now)];
  });
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** A pause of at most this length ends by itself; a longer one ends when the phone polls. */
const maxPauseMs = 86_400_000;

function nextOf(line: Line, { lane, inHand, dueAt }: LineState, now: number): number | null {
  const { gateway, rules, settings } = line;
  if (dueAt === null || gateway.active === 0 || lane.operator_paused_at !== null) return null;
  const untilAsked = (lane.paused_until ?? 0) - now > maxPauseMs;
  const paused = untilAsked ? { paused_until: null, paused_since: null } : {};
  const at = Math.max(now, dueAt, lane.next_at ?? 0, untilAsked ? 0 : (lane.paused_until ?? 0));
  if (inHand >= settings.ahead || (lane.paused_since !== null && !untilAsked && inHand > 0)) return null;
  const max = maxHandover({ ...lane, ...paused }, phoneLine(line, { now: at }), inHand, at);
  if (max > 0) return at;
  const hours = rules.pace.hours === null ? null : withinHours(rules.pace.hours, at, gateway.time_zone);
  if (hours?.open === false) return hours.opensAt;
  return startOfNextDay(at, gateway.time_zone);
}
