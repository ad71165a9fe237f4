// The token without which the reports of some kinds are refused. It is a secret of the settings, so the page shows where it belongs, and not
// the token itself.

import type { Gateway, GatewayKind } from "#ui/api/schema.ts";

/** `none`: its kind has no such token. `missing`: its settings lack it. */
type CallbackToken = "none" | "missing" | "set";

export const tokenHints: Readonly<Record<Exclude<CallbackToken, "none">, string>> = {
  set: "Put the callback token of the settings in place of TOKEN. Reports without it are refused.",
  missing: "Its settings have no callback token yet, so every report is refused.",
};

const has = (of: unknown, name: string): boolean =>
  typeof of === "object" && of !== null && Boolean((of as Record<string, unknown>)[name]);

const part = (of: unknown, name: string): unknown =>
  has(of, name) ? (of as Record<string, unknown>)[name] : undefined;

/** Whether reports to the gateway need a token in the URL. */
export function callbackToken(
  { settings }: Pick<Gateway, "settings">,
  kind: Pick<GatewayKind, "settings"> | undefined,
): CallbackToken {
  const fields = part(kind?.settings, "properties");
  if (has(fields, "callback_token")) return has(settings, "callback_token") ? "set" : "missing";
  if (!has(part(part(fields, "callback"), "properties"), "token")) return "none";
  return has(part(settings, "callback"), "token") ? "set" : "missing";
}
