// What Meta reports about the number and its account
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview#fields). It is shown on the gateway; a
// restriction on sending also pauses it.

import type { AccountUpdate, GatewayFacts } from "#gateways/callback.ts";
import type { Json } from "#gateways/json-path.ts";
import { ruleOf } from "./errors.ts";
import { field, list, text, textOrNull, timeMs, valueAt } from "./json.ts";

const minute = 60_000;
/** Afterwards the lane sends a probe, whose answer decides. */
const restrictedMs = 60 * minute;
const failedMs = 15 * minute;

type UntimedUpdate = Omit<AccountUpdate, "at" | "pauseUntil"> & { pauseMs?: number };

/** `about`: the field that the update is about; `time`: Meta's, epoch ms. Null for a field that has no meaning here. */
export function accountUpdateFrom(
  about: string,
  value: Json | undefined,
  time: number | undefined,
): AccountUpdate | null {
  const untimed = readers[about]?.(value) ?? null;
  if (untimed === null || time === undefined) return null;
  const { pauseMs, ...update } = untimed;
  const number = text(field(value, "display_phone_number")).replace(/[\s()+-]/g, "");
  return {
    ...update,
    at: time,
    ...(/^\d{5,15}$/.test(number) ? { aboutNumber: `+${number}` } : {}),
    ...(pauseMs === undefined ? {} : { pauseUntil: time + pauseMs }),
  };
}

const readers: Readonly<Record<string, (value: Json | undefined) => UntimedUpdate>> = {
  account_update: accountUpdate,
  account_alerts: (value) => {
    const type = word(valueAt(value, "alert_info", "alert_type") ?? field(value, "alert_type"));
    const words = text(
      valueAt(value, "alert_info", "alert_description") ?? field(value, "alert_description"),
    );
    return { notice: `Meta's alert ${type}${words === "" ? "." : `: ${words}`}` };
  },
  account_review_update: (value) => ({
    notice: `Meta reviewed the account: ${word(field(value, "decision"))}.`,
  }),
  business_capability_update: (value) => {
    const limit =
      limitOf(field(value, "max_daily_conversations_per_business")) ??
      limitOf(field(value, "max_daily_conversation_per_phone"));
    return limit === null ? {} : { facts: { limit } };
  },
  phone_number_quality_update: numberUpdate,
  phone_number_name_update: (value) => {
    const decision = word(field(value, "decision"));
    const name = textOrNull(field(value, "requested_verified_name"));
    const facts: GatewayFacts = decision === "APPROVED" && name !== null ? { name } : {};
    return { facts, notice: `Meta decided about the name of a number: ${decision}.` };
  },
  message_template_status_update: (value) => ({
    notice: `Template ${templateOf(value)}: ${word(field(value, "event"))}.`,
  }),
  message_template_quality_update: (value) => ({
    notice: `Template ${templateOf(value)}: its quality is ${word(field(value, "new_quality_score"))}.`,
  }),
  template_category_update: (value) => ({
    notice: `Template ${templateOf(value)}: its category is ${word(field(value, "new_category"))}.`,
  }),
  security: (value) => ({
    notice: `Meta's word on the security of a number: ${word(field(value, "event"))}.`,
  }),
};

/** Meta's constants in capitals; anything else is not shown. */
function word(value: Json | undefined): string {
  const name = text(value);
  return /^[A-Za-z0-9_]{1,60}$/.test(name) ? name.toUpperCase() : "a word that is not known";
}

const limitOf = (value: Json | undefined) => {
  const limit = text(value);
  return /^-?\w{1,40}$/.test(limit) ? (limit === "-1" ? "UNLIMITED" : limit) : null;
};

function templateOf(value: Json | undefined): string {
  const name = text(field(value, "message_template_name"));
  const language = text(field(value, "message_template_language"));
  return `${shown(name)} (${shown(language)})`;
}

const shown = (name: string) => (/^[\w-]{1,512}$/.test(name) ? name : "?");

/** Violations, restrictions and bans of the account, and their end. */
function accountUpdate(value: Json | undefined): UntimedUpdate {
  const event = word(field(value, "event"));
  const ban = text(valueAt(value, "ban_info", "waba_ban_state"));
  const restrictions = list(field(value, "restriction_info")).map((one) =>
    word(field(one, "restriction_type")),
  );
  const violation = textOrNull(valueAt(value, "violation_info", "violation_type"));
  const details = [ban === "" ? "" : word(ban), ...restrictions, violation === null ? "" : word(violation)];
  const named = details.filter((detail) => detail !== "").join(", ");
  const notice = `Meta reported on the account: ${event}${named === "" ? "." : ` (${named}).`}`;
  if (ban === "REINSTATE") return { notice, lifted: true };
  const isHeld =
    ban === "DISABLE" ||
    restrictions.length > 0 ||
    ["PARTNER_REMOVED", "ACCOUNT_DELETED", "ACCOUNT_OFFBOARDED"].includes(event);
  return isHeld ? { notice, pauseMs: restrictedMs } : { notice };
}

function numberUpdate(value: Json | undefined): UntimedUpdate {
  const event = word(field(value, "event"));
  const limit =
    limitOf(field(value, "max_daily_conversations_per_business")) ?? limitOf(field(value, "current_limit"));
  const facts: GatewayFacts = {
    ...(limit === null ? {} : { limit }),
    ...(event === "FLAGGED" ? { quality: "low" } : {}),
    ...(event === "THROUGHPUT_UPGRADE" ? { throughput: "HIGH" } : {}),
  };
  return { facts, notice: `Meta reported on the number: ${event}.` };
}

/** A failed status whose code is about the gateway: the next messages would fail like it. */
export function accountUpdateOfFailure(status: Json): AccountUpdate | null {
  if (text(field(status, "status")) !== "failed") return null;
  const [error = null] = list(field(status, "errors"));
  const time = timeMs(field(status, "timestamp"));
  const update = time === undefined ? null : accountUpdateOfError(error, time);
  return update?.pauseUntil === undefined ? null : update;
}

/** An error of the number or the account, at `time` (epoch ms). One that is the gateway's fault pauses it, and any other is shown. */
export function accountUpdateOfError(error: Json, time: number): AccountUpdate {
  const code = text(field(error, "code"));
  const title = text(field(error, "message")) || text(field(error, "title"));
  const name = /^\d{1,9}$/.test(code) ? ` ${code}` : "";
  const notice = `WhatsApp error${name}${title === "" ? "." : `: ${title}`}`;
  const rule = ruleOf(Number(code || Number.NaN));
  if (rule?.fault !== "configuration") return { at: time, notice };
  return { at: time, notice, pauseUntil: time + Math.max(rule.pauseMs ?? 0, failedMs) };
}

/** Of a thousand failures in one call, the newest is enough; other updates are few. Oldest first. */
export function newestOf(updates: readonly AccountUpdate[]): AccountUpdate[] {
  const byNotice = new Map<string, AccountUpdate>();
  for (const one of updates) {
    const key = one.notice ?? JSON.stringify(one.facts ?? null);
    const other = byNotice.get(key);
    if (other === undefined || other.at < one.at) byNotice.set(key, one);
  }
  const sorted = [...byNotice.values()].sort((a, b) => a.at - b.at);
  return sorted.slice(-maxUpdates);
}

/** Each is a transaction of its own, while Meta waits for its answer. */
const maxUpdates = 20;
