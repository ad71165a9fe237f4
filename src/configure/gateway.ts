// Creates and changes gateways, for the provisioning file and the management API: the same checks and messages. Settings
// are sealed as a whole before they are stored.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { channels } from "#contract/messages/channel.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { findAdapter, adapters as kinds } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { parseHours } from "#runtime/time-zones.ts";
import {
  findGatewayByIdentifier,
  type SaveGatewayResult,
  saveGateway,
  settingsContext,
} from "#store/gateways/gateways.ts";
import { retryOvertaken } from "#store/revision.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { changedElsewhere } from "./changes.ts";
import type { ConfigureDeps } from "./resource.ts";
import { parseSettings, type SettingsChange } from "./settings-change.ts";

export const paceInput = z
  .strictObject({
    per_second: z
      .number()
      .positive()
      .max(100_000)
      .nullish()
      .describe("Most messages a second; null: no bound, or the kind's own."),
    concurrency: z.int().min(1).max(1000).default(8).describe("Most messages under way at once."),
    jitter_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(0)
      .describe("A random pause of up to this between two messages, ms."),
    per_day: z
      .int()
      .min(1)
      .nullish()
      .describe("Most messages a day, counted from local midnight; null: no bound, or the kind's own."),
    hours: z
      .string()
      .refine((value) => parseHours(value) !== null, "must look like 08:00-20:00")
      .nullish()
      .describe(
        "Hours of the day in which messages go out, such as `08:00-20:00`, in the account's time zone; may wrap midnight.",
      ),
  })
  .describe("How fast the gateway is driven.");

export const retryInput = z
  .strictObject({
    first_ms: z
      .int()
      .min(100)
      .max(3_600_000)
      .default(5_000)
      .describe("Shortest wait before a try is repeated, ms."),
    max_ms: z.int().min(100).max(86_400_000).default(900_000).describe("Longest wait, ms."),
    for_ms: z
      .int()
      .min(0)
      .max(2_592_000_000)
      .default(86_400_000)
      .describe("How long it is tried before it fails, ms."),
  })
  .describe("How messages that were certainly not sent are tried again.");

export const gatewayInput = z.strictObject({
  identifier: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      "must be 1 to 100 letters, digits, dots, dashes or underscores",
    )
    .describe(
      "The `gateway_identifier` of the API, 1 to 100 letters, digits, dots, dashes or underscores; unique in the installation.",
    ),
  channel: z.enum(channels).describe("What it sends."),
  kind: z.string().describe("What it is: one of the kinds of gateways, such as `sandbox`."),
  default: z.boolean().default(false).describe("Takes the channel's messages that name no gateway."),
  active: z
    .boolean()
    .default(true)
    .describe(
      "`false` switches it off: what waits on it moves to the default gateway, unless the sender named this one.",
    ),
  settings: z.record(z.string(), z.unknown()).default({}).describe("As its kind says."),
  pace: paceInput.prefault({}),
  retry: retryInput.prefault({}),
  on_unknown: z
    .enum(["hold", "resend"])
    .nullish()
    .describe(
      "What to do when it is not known whether a message was sent: keep it `unknown`, or send it once more.",
    ),
});
export type GatewayInput = z.output<typeof gatewayInput>;

interface ParsedGateway {
  adapter: GatewayAdapter;
  /** By the schema of its kind. */
  settings: unknown;
}

type ParseResult = ({ kind: "parsed" } & ParsedGateway) | { kind: "invalid"; issues: Issue[] };

/** Checks an input for an account (null: the account does not exist yet) with which `existing` is created or changed. */
export function parseGateway(
  outbound: Outbound,
  accountId: string | null,
  input: GatewayInput,
  existing: GatewaysTable | null,
  change: SettingsChange | null = null,
): ParseResult {
  const misplaced =
    existing === null
      ? null
      : existing.account_id !== accountId
        ? usedByAnother
        : channelIssue(existing, input);
  const issues = misplaced === null ? [] : [misplaced];
  const adapter = findAdapter(input.kind, input.channel);
  if (adapter === null) return { kind: "invalid", issues: [unknownKind(input), ...issues] };
  const { parsed, issues: faults } = parseSettings(adapter, outbound, input.settings, change);
  issues.unshift(...faults);
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "parsed", adapter, settings: parsed };
}

function unknownKind({ channel }: GatewayInput): Issue {
  const names = kinds.filter((kind) => kind.channels.includes(channel)).map(({ kind }) => kind);
  return { path: ["kind"], message: `is no kind of ${channel} gateway; there are: ${names.join(", ")}` };
}

function channelIssue(existing: GatewaysTable, { channel }: GatewayInput): Issue | null {
  return existing.channel === channel
    ? null
    : { path: ["channel"], message: "of an existing gateway cannot be changed" };
}

/** The issue of an identifier that another account uses. */
const usedByAnother: Issue = { path: ["identifier"], message: "is used by another account" };

/** All issues of a gateway for an account (null: the account does not exist yet), with paths inside the gateway. */
export async function gatewayIssues(
  { database, outbound }: Pick<ConfigureDeps, "database" | "outbound">,
  accountId: string | null,
  input: GatewayInput,
): Promise<Issue[]> {
  const existing = await database.run(findGatewayByIdentifier, input.identifier);
  const result = parseGateway(outbound, accountId, input, existing);
  return result.kind === "invalid" ? result.issues : [];
}

/** The row to save: a new gateway, or `existing` after the change. */
export function gatewayRow(
  { clock, sealer, newId }: Pick<ConfigureDeps, "clock" | "newId" | "sealer">,
  accountId: string,
  input: GatewayInput,
  { adapter, settings }: ParsedGateway,
  existing: GatewaysTable | null,
): GatewaysTable {
  const id = existing?.id ?? newId("gw");
  const now = clock.now();
  const rules: GatewayRules = {
    pace: {
      perSecond: input.pace.per_second ?? null,
      concurrency: input.pace.concurrency,
      jitterMs: input.pace.jitter_ms,
      perDay: input.pace.per_day ?? null,
      hours: input.pace.hours ?? null,
    },
    retry: { firstMs: input.retry.first_ms, maxMs: input.retry.max_ms, forMs: input.retry.for_ms },
    onUnknown: input.on_unknown ?? null,
  };
  return {
    id,
    account_id: accountId,
    identifier: input.identifier,
    channel: input.channel,
    kind: input.kind,
    active: input.active ? 1 : 0,
    is_default: input.default ? 1 : 0,
    test: adapter.test ? 1 : 0,
    settings: sealer.seal(JSON.stringify(settings), settingsContext(id)),
    rules: JSON.stringify(rules),
    revision: existing?.revision ?? 0,
    created_at: existing?.created_at ?? now,
    updated_at: now,
  };
}

/** The row of the provisioning file's gateway to save: a new one, or the account's gateway with this identifier. Stores nothing. */
export async function prepareGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<{ kind: "ready"; row: GatewaysTable } | { kind: "invalid"; issues: Issue[] }> {
  const existing = await deps.database.run(findGatewayByIdentifier, input.identifier);
  const parsed = parseGateway(deps.outbound, accountId, input, existing);
  if (parsed.kind === "invalid") return parsed;
  return { kind: "ready", row: gatewayRow(deps, accountId, input, parsed, existing) };
}

/** Stores a row, and signals the change. */
export async function storeGatewayRow(
  deps: Pick<ConfigureDeps, "database" | "signals">,
  row: GatewaysTable,
): Promise<{ kind: "saved"; id: string } | Exclude<SaveGatewayResult, "saved">> {
  const outcome = await deps.database.run(saveGateway, row);
  if (outcome !== "saved") return outcome;
  signalGatewayChange(deps);
  return { kind: "saved", id: row.id };
}

/** Signals a change to the caches of accounts with their gateways, and to the owner of the gateway's lane. */
export function signalGatewayChange({ signals }: Pick<ConfigureDeps, "signals">): void {
  signals.emit("accountsChanged");
  signals.emit("lanesChanged");
}

/** Creates the gateway, or replaces the account's gateway with this identifier. */
export async function upsertGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<{ kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] }> {
  const result = await retryOvertaken(async () => {
    const prepared = await prepareGateway(deps, accountId, input);
    if (prepared.kind === "invalid") return prepared;
    const outcome = await storeGatewayRow(deps, prepared.row);
    // Taken since it was read: the next try finds whose it is.
    return outcome === "taken" ? "overtaken" : outcome;
  });
  return result.kind === "overtaken" ? changedElsewhere("identifier") : result;
}
