// What the management API does to gateways: it creates them, changes them in part (the fields of the change replace the stored
// ones, and the result is checked like a gateway of the provisioning file), pauses, resumes and deletes them.

import { z } from "zod";
import { seenRevision } from "#contract/envelope.ts";
import { patchSchema } from "#contract/resource-schema.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import {
  type DeleteGatewayResult,
  deleteGateway as deleteRow,
  pauseByOperator,
  resumeByOperator,
} from "#store/gateways/actions.ts";
import { findGatewayByIdentifier, settingsContext } from "#store/gateways/gateways.ts";
import { changeRow, type Overtaken } from "#store/revision.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { omitUndefined, type Refusal, taken } from "./changes.ts";
import {
  type GatewayInput,
  gatewayInput,
  gatewayRow,
  paceInput,
  parseGateway,
  retryInput,
  signalGatewayChange,
  storeGatewayRow,
} from "./gateway.ts";
import { phoneIssues } from "./phone-of-account.ts";
import type { ConfigureDeps } from "./resource.ts";
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
  revision: seenRevision,
});
type GatewayChanges = z.output<typeof gatewayChanges>;

type ChangeGatewayResult = { kind: "saved"; id: string } | Refusal;

/** Creates a gateway. Its identifier must be unused in the whole installation. */
export async function createGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<ChangeGatewayResult> {
  const masks = maskIssues(input.settings);
  if (masks.length > 0) return { kind: "invalid", issues: masks };
  if (await deps.database.run(findGatewayByIdentifier, input.identifier)) return taken("identifier");
  const parsed = parseGateway(deps.outbound, accountId, input, null);
  if (parsed.kind === "invalid") return parsed;
  const issues = await phoneIssues(deps, accountId, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const result = await storeGatewayRow(deps, gatewayRow(deps, accountId, input, parsed, null));
  return typeof result === "string" ? taken("identifier") : result;
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
  accountId: string,
  identifier: string,
  { revision, ...changes }: GatewayChanges,
): Promise<ChangeGatewayResult> {
  const read = async () => {
    const gateway = await deps.database.run(findGatewayByIdentifier, identifier);
    return gateway?.account_id === accountId ? gateway : null;
  };
  return await changeRow(revision, read, (gateway) => change(deps, gateway, changes));
}

async function change(
  deps: ConfigureDeps,
  gateway: GatewaysTable,
  changes: Omit<GatewayChanges, "revision">,
): Promise<ChangeGatewayResult | Overtaken> {
  const before = gatewayInputOf(deps.sealer, gateway);
  const { settings: given = {}, pace = {}, retry = {}, ...rest } = omitUndefined(changes);
  const stored = rest.kind === undefined || rest.kind === before.kind ? before.settings : null;
  const { settings, issues } = mergeSettings(stored, given);
  if (issues.length > 0) return { kind: "invalid", issues };
  const after: GatewayInput = {
    ...before,
    ...rest,
    settings,
    pace: { ...before.pace, ...omitUndefined(pace) },
    retry: { ...before.retry, ...omitUndefined(retry) },
  };
  const settingsChange = stored === null ? null : { owner: "gateway", stored, changes: given };
  const parsed = parseGateway(deps.outbound, gateway.account_id, after, gateway, settingsChange);
  if (parsed.kind === "invalid") return parsed;
  // A phone that was named before may be gone by now, which is no fault of this change.
  const isNamed = settings.phone !== stored?.phone;
  const phone = isNamed ? await phoneIssues(deps, gateway.account_id, after) : [];
  if (phone.length > 0) return { kind: "invalid", issues: phone };
  const result = await storeGatewayRow(deps, gatewayRow(deps, gateway.account_id, after, parsed, gateway));
  return result === "taken" ? "overtaken" : result;
}

/** A send that was accepted while the gateway was switched off is stored by then. */
const quietMs = 60_000;

/** Deletes a gateway that was never used and is switched off for a minute. */
export async function deleteGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<DeleteGatewayResult> {
  const quietSince = deps.clock.now() - quietMs;
  const outcome = await deps.database.run(deleteRow, { accountId, identifier, quietSince });
  if (outcome === "deleted") signalGatewayChange(deps);
  return outcome;
}

/** The reason of a pause by an operator. */
export const pausedByHand = "Paused by hand.";

/** Pauses a gateway until it is resumed. Pausing twice changes nothing. False: the account has no such gateway. */
export async function pauseGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  const pause = { accountId, identifier, at: deps.clock.now(), reason: pausedByHand };
  const found = await deps.database.run(pauseByOperator, pause);
  if (found) deps.signals.emit("lanesChanged");
  return found;
}

/** Ends every pause of a gateway, so that it is tried at once. False: the account has no such gateway. */
export async function resumeGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  const found = await deps.database.run(resumeByOperator, { accountId, identifier, at: deps.clock.now() });
  if (found) deps.signals.emit("lanesChanged");
  return found;
}
