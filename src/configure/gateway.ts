// Creates and changes gateways, for the provisioning file and the management API: the same checks and messages. Settings
// are sealed as a whole before they are stored.

import type { Issue } from "#contract/issue.ts";
import { maxGateways } from "#contract/limits.ts";
import { type GatewayFields, gatewayFields, gatewayRules } from "#contract/manage/gateways.ts";
import { mailTermsOf } from "#gateways/email/mail-terms.ts";
import { findAdapter, adapters as kinds } from "#gateways/registry.ts";
import { type GatewayOwner, phoneIssues } from "#phones/configuration.ts";
import type { Database } from "#store/database.ts";
import { findGatewayByIdentifier, saveGateway, settingsContext } from "#store/gateways/gateways.ts";
import { retryOvertaken } from "#store/revision.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { changedElsewhere } from "./changes.ts";
import { type ConfigureDeps, defineResource, type Prepared, type Saved } from "./resource.ts";

async function find(
  database: Database,
  { accountId }: GatewayOwner,
  identifier: string,
): Promise<GatewaysTable | null> {
  const gateway = await database.run(findGatewayByIdentifier, identifier);
  return gateway?.account_id === accountId ? gateway : null;
}

/** Gateways, which are identified by their identifiers. */
export const gateways = defineResource({
  noun: "gateway",
  idPrefix: "gw",
  fields: gatewayFields,
  rules: gatewayRules,
  kinds: {
    find: ({ kind, channel }) => findAdapter(kind, channel),
    unknown: ({ channel }) => {
      const names = kinds.filter((kind) => kind.channels.includes(channel)).map(({ kind }) => kind);
      return { path: ["kind"], message: `is no kind of ${channel} gateway; there are: ${names.join(", ")}` };
    },
    context: settingsContext,
  },
  check: phoneIssues,
  columns: (fields, { accountId }: GatewayOwner, existing: GatewaysTable | null) => ({
    account_id: accountId ?? "",
    identifier: fields.identifier,
    channel: fields.channel,
    kind: fields.kind,
    active: fields.active ? (1 as const) : (0 as const),
    is_default: fields.default ? (1 as const) : (0 as const),
    test: findAdapter(fields.kind, fields.channel)?.test ? (1 as const) : (0 as const),
    counting: findAdapter(fields.kind, fields.channel)?.counting?.of(fields.settings) ?? null,
    mail_sender: mailTermsOf(findAdapter(fields.kind, fields.channel), fields.settings),
    draining_at: existing?.draining_at ?? null,
  }),
  fieldsOf: (row) => ({
    identifier: row.identifier,
    channel: row.channel,
    kind: row.kind,
    default: row.is_default === 1,
    active: row.active === 1,
  }),
  find,
  save: saveGateway,
  taken: ["taken", { path: ["identifier"], message: "is taken" }],
  issues: {
    too_many: {
      path: ["identifier"],
      message: `is one too many: an account has ${maxGateways} gateways at most`,
    },
  },
  conflicts: {
    draining:
      "The account's gateway of this identifier is being deleted. The identifier is free when its last message has ended.",
  },
});

/** Why a gateway of the provisioning file cannot replace the existing one with its identifier; null if it can. */
function misplaced(
  existing: GatewaysTable | null,
  { accountId }: GatewayOwner,
  { channel }: GatewayFields,
): Issue | null {
  if (existing === null) return null;
  if (existing.account_id !== accountId)
    return { path: ["identifier"], message: "is used by another account" };
  return existing.channel === channel
    ? null
    : { path: ["channel"], message: "of an existing gateway cannot be changed" };
}

/**
 * The row of the provisioning file's gateway to save: a new one, or the account's gateway with this identifier. A changed entry of a
 * gateway that is being deleted means that it should stay. Stores nothing.
 */
export async function prepareGateway(
  deps: ConfigureDeps,
  accountId: string | null,
  fields: GatewayFields,
  coming?: readonly GatewayFields[],
): Promise<Prepared<GatewaysTable>> {
  const existing = await deps.database.run(findGatewayByIdentifier, fields.identifier);
  const issue = misplaced(existing, { accountId }, fields);
  const prepared = await gateways.prepare(deps, { accountId, coming }, fields, existing);
  if (issue === null)
    return prepared.kind === "ready"
      ? { ...prepared, row: { ...prepared.row, draining_at: null } }
      : prepared;
  return { kind: "invalid", issues: prepared.kind === "invalid" ? [...prepared.issues, issue] : [issue] };
}

/**
 * All issues of a gateway for an account (null: the account does not exist yet), with paths inside the gateway. `coming`: others that are
 * created with it.
 */
export async function gatewayIssues(
  deps: ConfigureDeps,
  accountId: string | null,
  fields: GatewayFields,
  coming: readonly GatewayFields[],
): Promise<Issue[]> {
  const prepared = await prepareGateway(deps, accountId, fields, coming);
  return prepared.kind === "invalid" ? prepared.issues : [];
}

/** Creates the gateway, or replaces the account's gateway with this identifier. */
export async function upsertGateway(
  deps: ConfigureDeps,
  accountId: string,
  fields: GatewayFields,
): Promise<Saved | { kind: "invalid"; issues: Issue[] }> {
  const result = await retryOvertaken(async () => {
    const prepared = await prepareGateway(deps, accountId, fields);
    if (prepared.kind === "invalid") return prepared;
    const stored = await gateways.store(deps, prepared.row);
    // Another one took the identifier since it was read: the next attempt finds its owner.
    return stored.kind === "saved" || stored.kind === "invalid" ? stored : "overtaken";
  });
  return result.kind === "overtaken" ? changedElsewhere("identifier") : result;
}
