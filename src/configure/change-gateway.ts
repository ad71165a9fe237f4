// Gateways one change at a time, for the management API: what is given is laid over what is stored, and the
// whole is checked and saved as the provisioning file's would be.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { gatewayOf } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import { findGatewayByIdentifier, settingsContext } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { changesOf, defined } from "./changes.ts";
import {
  type ConfigureParts,
  configureGateway,
  type GatewayInput,
  gatewayInput,
  paceInput,
  retryInput,
} from "./gateway.ts";
import { changedSettings, maskFaults } from "./settings-change.ts";

const { kind, default: standard, active, settings, on_unknown } = changesOf(gatewayInput).shape;

/** What of a gateway may be changed: absent stays as it is, also inside `pace` and `retry`. */
export const gatewayChanges = z.strictObject({
  kind,
  default: standard,
  active,
  settings: settings.describe(
    "What of its settings changes: each field replaces the stored one, `null` removes it, a mask keeps what is stored. With another `kind`: all of them.",
  ),
  pace: changesOf(paceInput).optional().describe("How fast the gateway is driven."),
  retry: changesOf(retryInput)
    .optional()
    .describe("How messages that were certainly not sent are tried again."),
  on_unknown,
});
export type GatewayChanges = z.output<typeof gatewayChanges>;

type Saved = { kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] };

const taken: Issue = { path: ["identifier"], message: "is taken" };

/** Creates a gateway. An identifier that is used already, by whomever, is a fault. */
export async function createGateway(
  parts: ConfigureParts,
  accountId: string,
  input: GatewayInput,
): Promise<Saved> {
  const masks = maskFaults(input.settings);
  if (masks.length > 0) return { kind: "invalid", issues: masks };
  if (await parts.database.run(findGatewayByIdentifier, input.identifier))
    return { kind: "invalid", issues: [taken] };
  return await configureGateway(parts, accountId, input);
}

/** A stored gateway as the input that would make it, its secrets in the clear. */
export function inputOf(sealer: Sealer, gateway: GatewaysTable): GatewayInput {
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

/** Changes what is given of a gateway, and nothing else. */
export async function changeGateway(
  parts: ConfigureParts,
  gateway: GatewaysTable,
  changes: GatewayChanges,
): Promise<Saved> {
  const before = inputOf(parts.sealer, gateway);
  const { settings: given = {}, pace = {}, retry = {}, ...rest } = defined(changes);
  const sameKind = rest.kind === undefined || rest.kind === before.kind;
  const stored = sameKind ? before.settings : null;
  const adapter = gatewayOf(rest.kind ?? before.kind, before.channel);
  const { settings, issues } = changedSettings(adapter, "gateway", stored, given);
  if (issues.length > 0) return { kind: "invalid", issues };
  const after: GatewayInput = {
    ...before,
    ...rest,
    settings,
    pace: { ...before.pace, ...defined(pace) },
    retry: { ...before.retry, ...defined(retry) },
  };
  return await configureGateway(parts, gateway.account_id, after);
}
