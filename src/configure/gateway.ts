// Creates and changes gateways, for the provisioning file and the management API: the same checks and messages. Settings
// are sealed as a whole before they are stored.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { channels } from "#contract/messages/channel.ts";
import type { Core } from "#core/core.ts";
import { findAdapter, adapters as kinds } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { parseHours } from "#runtime/time-zones.ts";
import { urlFieldPath } from "#settings/url.ts";
import { findGatewayByIdentifier, saveGateway, settingsContext } from "#store/gateways/gateways.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";

export const paceInput = z
  .strictObject({
    per_second: z
      .number()
      .positive()
      .max(100_000)
      .nullish()
      .describe("Most messages a second; null: no bound."),
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
      .describe("Most messages a day, counted from local midnight; null: no bound."),
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

export type ConfigureDeps = Pick<Core, "clock" | "database" | "newId" | "outbound" | "sealer" | "signals">;

/** The issues of a gateway's settings, with paths inside the gateway. */
export function settingsIssues(input: GatewayInput, outbound: Outbound): Issue[] {
  const adapter = findAdapter(input.kind, input.channel);
  if (!adapter) {
    const names = kinds.filter((kind) => kind.channels.includes(input.channel)).map(({ kind }) => kind);
    return [
      { path: ["kind"], message: `is no kind of ${input.channel} gateway; there are: ${names.join(", ")}` },
    ];
  }
  const parsed = adapter.settings.safeParse(input.settings);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => ({
      path: ["settings", ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
      message: issue.message,
    }));
  }
  return adapter.urls(parsed.data).flatMap((url) => {
    const reason = outbound.rejectReason(url);
    return reason === null
      ? []
      : [{ path: ["settings", ...urlFieldPath(adapter.settings)], message: reason }];
  });
}

/** All issues of a gateway for an account (null: the account does not exist yet), with paths inside the gateway. */
export async function gatewayIssues(
  { database, outbound }: Pick<ConfigureDeps, "database" | "outbound">,
  accountId: string | null,
  input: GatewayInput,
): Promise<Issue[]> {
  const existing = await database.run(findGatewayByIdentifier, input.identifier);
  return issuesWithExisting(existing, outbound, accountId, input);
}

function issuesWithExisting(
  existing: GatewaysTable | null,
  outbound: Outbound,
  accountId: string | null,
  input: GatewayInput,
): Issue[] {
  const issues = settingsIssues(input, outbound);
  if (existing && existing.account_id !== accountId) {
    issues.push(identifierTaken);
  } else if (existing && existing.channel !== input.channel) {
    issues.push({ path: ["channel"], message: "of an existing gateway cannot be changed" });
  }
  return issues;
}

/** The row to save: a new gateway, or the account's gateway with this identifier after the change. Stores nothing. */
export async function prepareGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<{ kind: "ready"; row: GatewaysTable } | { kind: "invalid"; issues: Issue[] }> {
  const { database, clock, sealer, newId } = deps;
  const existing = await database.run(findGatewayByIdentifier, input.identifier);
  const issues = issuesWithExisting(existing, deps.outbound, accountId, input);
  const adapter = findAdapter(input.kind, input.channel);
  if (issues.length > 0 || !adapter) return { kind: "invalid", issues };

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
  const row: GatewaysTable = {
    id,
    account_id: accountId,
    identifier: input.identifier,
    channel: input.channel,
    kind: input.kind,
    active: input.active ? 1 : 0,
    is_default: input.default ? 1 : 0,
    test: adapter.test ? 1 : 0,
    settings: sealer.seal(JSON.stringify(adapter.settings.parse(input.settings)), settingsContext(id)),
    rules: JSON.stringify(rules),
    created_at: existing?.created_at ?? now,
    updated_at: now,
  };
  return { kind: "ready", row };
}

/** The issue of an identifier that another account uses. */
export const identifierTaken: Issue = { path: ["identifier"], message: "is used by another account" };

/** Creates the gateway, or replaces the account's gateway with this identifier. */
export async function upsertGateway(
  deps: ConfigureDeps,
  accountId: string,
  input: GatewayInput,
): Promise<{ kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] }> {
  const prepared = await prepareGateway(deps, accountId, input);
  if (prepared.kind === "invalid") return prepared;
  const outcome = await deps.database.run(saveGateway, prepared.row);
  if (outcome === "taken") return { kind: "invalid", issues: [identifierTaken] };
  deps.signals.emit("accountsChanged");
  deps.signals.emit("lanesChanged");
  return { kind: "saved", id: prepared.row.id };
}
