// Partial changes of gateways, for the management API: the fields of the change replace the stored ones, and the result
// is checked and saved like a gateway of the provisioning file.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import { findGatewayByIdentifier, settingsContext } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { omitUndefined, patchSchema } from "./changes.ts";
import {
  type ConfigureDeps,
  type GatewayInput,
  gatewayInput,
  paceInput,
  retryInput,
  upsertGateway,
} from "./gateway.ts";
import { maskIssues, mergeSettings } from "./settings-change.ts";

const { kind, default: isDefault, active, settings, on_unknown } = patchSchema(gatewayInput).shape;

/** The PATCH body of a gateway. An absent field stays as it is, also inside `pace` and `retry`. */
export const gatewayChanges = z.strictObject({
  kind,
  default: isDefault,
  active,
  settings: settings.describe(
    "What of its settings changes: each field replaces the stored one, `null` removes it, a mask keeps what is stored. With another `kind`: all of them.",
  ),
  pace: patchSchema(paceInput).optional().describe("How fast the gateway is driven."),
  retry: patchSchema(retryInput)
    .optional()
    .describe("How messages that were certainly not sent are tried again."),
  on_unknown,
});
export type GatewayChanges = z.output<typeof gatewayChanges>;

type Saved = { kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] };

const taken: Issue = { path: ["identifier"], message: "is taken" };

/** Creates a gateway. Its identifier must be unused in the whole installation. */
export async function createGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<Saved> {
  const masks = maskIssues(input.settings);
  if (masks.length > 0) return { kind: "invalid", issues: masks };
  if (await deps.database.run(findGatewayByIdentifier, input.identifier))
    return { kind: "invalid", issues: [taken] };
  return await upsertGateway(deps, accountId, input);
}

/** A stored gateway as the input that would create it, with its secrets in plain text. */
export function gatewayInputOf(sealer: Sealer, gateway: GatewaysTable): GatewayInput {
  const { pace, retry, onUnknown } = JSON.parse(gateway.rules) as GatewayRules;
  return {
    identifier: gateway.identifier,
    channel: gateway.channel,
    kind: gateway.kind,
    default: gateway.is_default === 1,
    active: gateway.active === 1,
    settings: JSON.parse(sealer.unseal(gateway.settings, settingsContext(gateway.id))),
    pace: {
      per_second: pace.perSecond,
      concurrency: pace.concurrency,
      jitter_ms: pace.jitterMs,
      per_day: pace.perDay,
      hours: pace.hours,
    },
    retry: { first_ms: retry.firstMs, max_ms: retry.maxMs, for_ms: retry.forMs },
    on_unknown: onUnknown,
  };
}

/** Changes the fields of `changes`; the others stay. */
export async function updateGateway(
  deps: ConfigureDeps,
  gateway: GatewaysTable,
  changes: GatewayChanges,
): Promise<Saved> {
  const before = gatewayInputOf(deps.sealer, gateway);
  const { settings: settingsChanges = {}, pace = {}, retry = {}, ...rest } = omitUndefined(changes);
  const sameKind = rest.kind === undefined || rest.kind === before.kind;
  const stored = sameKind ? before.settings : null;
  const adapter = findAdapter(rest.kind ?? before.kind, before.channel);
  const { settings, issues } = mergeSettings(adapter, "gateway", stored, settingsChanges);
  if (issues.length > 0) return { kind: "invalid", issues };
  const after: GatewayInput = {
    ...before,
    ...rest,
    settings,
    pace: { ...before.pace, ...omitUndefined(pace) },
    retry: { ...before.retry, ...omitUndefined(retry) },
  };
  return await upsertGateway(deps, gateway.account_id, after);
}
