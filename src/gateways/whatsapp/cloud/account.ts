// The number at Meta: its state
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/phone-numbers), and its registration
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/registration).

import type { GatewayFacts } from "#gateways/callback.ts";
import type { CheckTools, Finding, GatewayCheck, Registration } from "#gateways/check.ts";
import { type Json, parseJson } from "#gateways/json-path.ts";
import type { OutboundRequest } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { field, list, text, textOrNull, valueAt } from "./json.ts";
import { outcomeOf } from "./outcome.ts";
import { authorization, type CloudSettings, graphUrl, secretsOf } from "./settings.ts";

const fields = [
  "display_phone_number",
  "verified_name",
  "code_verification_status",
  "quality_rating",
  "throughput",
  "health_status",
  "name_status",
  "whatsapp_business_manager_messaging_limit",
  "status",
];

/** The body of a 2xx; the refusal in words; or why there was no answer. */
type Answer =
  | { kind: "ok"; json: Json }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

async function call(
  settings: CloudSettings,
  { outbound, clock, timeoutMs }: CheckTools,
  request: Pick<OutboundRequest, "method"> & { path: string; body?: object },
): Promise<Answer> {
  const { method, path, body } = request;
  const result = await outbound.request({
    method,
    url: graphUrl(settings, path),
    headers: {
      authorization: authorization(settings),
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs,
  });
  if (result.kind === "answer" && result.status >= 200 && result.status < 300)
    return { kind: "ok", json: parseJson(result.body) ?? null };
  const outcome = outcomeOf(result, { settings, attempt: 1, now: clock.now() });
  const reason = outcome.kind === "accepted" ? "The answer cannot be read." : outcome.reason;
  return { kind: result.kind === "answer" && result.status < 500 ? "refused" : "unknown", reason };
}

export async function checkNumber(settings: CloudSettings, tools: CheckTools): Promise<GatewayCheck> {
  const { phone_number_id, business_account_id } = settings;
  const path = `/${phone_number_id}?fields=${fields.join(",")}`;
  const [number, apps] = await Promise.all([
    call(settings, tools, { method: "GET", path }),
    business_account_id === undefined
      ? null
      : call(settings, tools, { method: "GET", path: `/${business_account_id}/subscribed_apps` }),
  ]);
  const callbacks = callbacksFinding(settings, apps);
  if (number.kind !== "ok") {
    const state = number.kind === "refused" ? "error" : "unknown";
    return { facts: {}, findings: [{ what: "access", state, detail: number.reason }, callbacks] };
  }
  const access: Finding = { what: "access", state: "ok", detail: "Meta shows the number to this token." };
  return {
    facts: factsOf(number.json),
    findings: [access, ...numberFindings(number.json, secretsOf(settings)), callbacks],
  };
}

const qualities = new Map([
  ["GREEN", "high"],
  ["YELLOW", "medium"],
  ["RED", "low"],
] as const);

function factsOf(json: Json): GatewayFacts {
  const digits = text(field(json, "display_phone_number")).replace(/\D/g, "");
  const quality = [...qualities].find(([word]) => word === text(field(json, "quality_rating")))?.[1] ?? null;
  return {
    number: digits === "" ? null : `+${digits}`,
    name: textOrNull(field(json, "verified_name")),
    quality,
    limit: textOrNull(field(json, "whatsapp_business_manager_messaging_limit")),
    throughput: textOrNull(valueAt(json, "throughput", "level")),
  };
}

function numberFindings(json: Json, secrets: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const status = text(field(json, "status"));
  const verified = text(field(json, "code_verification_status"));
  const isConnected = status === "" || status === "CONNECTED";
  findings.push({
    what: "number",
    state: isConnected ? "ok" : "error",
    detail: isConnected
      ? "The number is registered."
      : `The number has the status ${status}: register it with its PIN. Its code is ${verified || "of an unknown state"}.`,
  });
  const name = text(field(json, "name_status"));
  const isNamed = ["", "APPROVED", "AVAILABLE_WITHOUT_REVIEW", "NONE"].includes(name);
  findings.push({
    what: "name",
    state: isNamed ? "ok" : "warning",
    detail: isNamed ? "The display name can be used." : `The display name has the status ${name}.`,
  });
  const entities = list(valueAt(json, "health_status", "entities"));
  const troubles = entities.flatMap((entity) =>
    [...list(field(entity, "errors")), ...list(field(entity, "additional_info"))].map((trouble) => {
      const words = textOrNull(field(trouble, "error_description")) ?? text(trouble);
      return `${text(field(entity, "entity_type"))}: ${words}`;
    }),
  );
  const can = text(valueAt(json, "health_status", "can_send_message"));
  const states = { AVAILABLE: "ok", LIMITED: "warning", BLOCKED: "error" } as const;
  const state = can in states ? states[can as keyof typeof states] : "unknown";
  const detail = [`Meta says of sending: ${can || "nothing"}.`, ...troubles].join(" ");
  findings.push({ what: "sending", state, detail: cleanText(detail, secrets, 500) });
  return findings;
}

function callbacksFinding(settings: CloudSettings, apps: Answer | null): Finding {
  const what = "callbacks";
  if (settings.app_secret === undefined || settings.verify_token === undefined)
    return {
      what,
      state: "error",
      detail: "Callbacks need `app_secret` and `verify_token` in the settings.",
    };
  if (apps === null)
    return { what, state: "unknown", detail: "The settings have no `business_account_id` to ask for." };
  if (apps.kind !== "ok")
    return { what, state: apps.kind === "refused" ? "error" : "unknown", detail: apps.reason };
  return list(field(apps.json, "data")).length > 0
    ? { what, state: "ok", detail: "An app is subscribed to the account." }
    : { what, state: "error", detail: "No app is subscribed to the account, so no callback comes." };
}

/** `pin`: six digits, the number's two-step PIN: the existing one, or otherwise the one that it gets. */
export async function registerNumber(
  settings: CloudSettings,
  pin: string,
  tools: CheckTools,
): Promise<Registration> {
  const path = `/${settings.phone_number_id}/register`;
  const body = { messaging_product: "whatsapp", pin };
  const answer = await call(settings, tools, { method: "POST", path, body });
  if (answer.kind === "ok") return { kind: "registered" };
  // Meta's text may repeat the PIN.
  return { kind: answer.kind, reason: cleanText(answer.reason, [pin], 300) };
}
