// Applies the entries of a provisioning file of which there may be thousands, gateways and webhook endpoints, many per transaction: a
// transaction for each took a minute for 5,000 of each.

import { prepareGateway, upsertGateway } from "#configure/gateway.ts";
import { prepareWebhook, tooManyEndpoints, upsertWebhook } from "#configure/webhook.ts";
import type { Issue } from "#contract/issue.ts";
import { findAdapter } from "#gateways/registry.ts";
import { auditEntryRow, provisioning } from "#identity/audit.ts";
import {
  type ProvisionedEntry,
  type ProvisionMark,
  type SaveEntryResult,
  saveProvisioned,
} from "#store/maintenance/provisioned.ts";
import {
  type Applied,
  type Changed,
  type FileAccount,
  issueLines,
  type ProvisionDeps,
  recordApplied,
} from "./entry.ts";

/** Entries in one transaction, and concurrent reads. */
const atOnce = 200;

/** `list` in pieces of at most `atOnce`. */
export function* pieces<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += atOnce) yield list.slice(start, start + atOnce);
}

function stepOf({ kind, channel, settings }: FileAccount["gateways"][number]): 0 | 1 | 2 {
  const connection = findAdapter(kind, channel)?.connection;
  if (connection === "members") return 2;
  return connection === "pulled" && settings.phone !== undefined ? 1 : 0;
}

interface Account {
  id: string;
  name: string;
}

export async function applyGateways(
  deps: ProvisionDeps,
  account: Account,
  gateways: FileAccount["gateways"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  const changes = gateways.flatMap((gateway) => {
    const mark = changed("gateway", gateway.identifier, { account: account.name, ...gateway });
    return mark ? [{ gateway, mark }] : [];
  });
  // A phone before the gateways of its other SIMs, and members before the gateways that name them.
  const steps = [0, 1, 2].map((step) => changes.filter(({ gateway }) => stepOf(gateway) === step));
  for (const piece of steps.flatMap((step) => [...pieces(step)])) {
    const entries: ProvisionedEntry[] = [];
    const error = (identifier: string, issues: readonly Issue[]) =>
      applied.errors.push(...issueLines(`gateway ${identifier}`, issues));
    const prepared = await Promise.all(piece.map(({ gateway }) => prepareGateway(deps, account.id, gateway)));
    for (const [i, { gateway, mark }] of piece.entries()) {
      const result = prepared[i]!;
      if (result.kind === "invalid") error(gateway.identifier, result.issues);
      else {
        const save = { kind: "gateway", row: result.row } as const;
        entries.push(entryOf(deps, mark, save, "configureGateway", account.id, gateway.identifier));
      }
    }
    const outcomes = await deps.database.run(saveProvisioned, entries);
    const overtaken = new Set(entries.flatMap(({ mark }, i) => (outcomes[i] === "saved" ? [] : [mark.name])));
    for (const { gateway, mark } of piece.filter((one) => overtaken.has(one.gateway.identifier))) {
      // Another process with the same file, or a request, came first: the entry is now changed by itself.
      const result = await upsertGateway(deps, account.id, gateway);
      if (result.kind === "invalid") {
        error(gateway.identifier, result.issues);
        continue;
      }
      await recordApplied(deps, mark, "configureGateway", account.id, gateway.identifier);
      overtaken.delete(mark.name);
    }
    for (const { mark } of entries)
      if (!overtaken.has(mark.name))
        deps.log.info({ event: "gateway.provisioned", gateway: mark.name }, "The gateway was provisioned.");
  }
}

export async function applyWebhooks(
  deps: ProvisionDeps,
  account: Account,
  webhooks: FileAccount["webhooks"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  const changes = webhooks.flatMap((webhook, index) => {
    // Under a digest of its URL, which may contain a secret.
    const name = `${account.name} ${deps.sealer.digest(webhook.url).slice(0, 32)}`;
    const mark = changed("webhook", name, webhook);
    return mark ? [{ webhook, mark, index }] : [];
  });
  for (const piece of pieces(changes)) {
    const prepared = await Promise.all(piece.map(({ webhook }) => prepareWebhook(deps, account.id, webhook)));
    const fresh = prepared.flatMap((one, i) => (one ? [{ ...one, at: i }] : []));
    const outcomes = await deps.database.run(
      saveProvisioned,
      fresh.map(({ endpoint, maxEndpoints, at }) => {
        const save = { kind: "endpoint", endpoint, maxEndpoints } as const;
        return entryOf(deps, piece[at]!.mark, save, "configureWebhook", account.id, endpoint.id);
      }),
    );
    const saved = new Map(fresh.map((one, i) => [one.at, { made: one.made, outcome: outcomes[i]! }]));
    for (const [i, one] of piece.entries()) await finishWebhook(deps, account, one, saved.get(i), applied);
  }
}

/** What remains to do for an endpoint. Without `saved`, or if the account already has its URL, the existing one is changed. */
async function finishWebhook(
  deps: ProvisionDeps,
  account: Account,
  { webhook, mark, index }: { webhook: FileAccount["webhooks"][number]; mark: ProvisionMark; index: number },
  saved: { made: string | null; outcome: SaveEntryResult } | undefined,
  applied: Applied,
): Promise<void> {
  const error = (issues: readonly Issue[]) =>
    applied.errors.push(...issueLines(`account ${account.name}: webhooks.${index}`, issues));
  const show = (secret: string | null) => {
    const what = `Secret of webhook ${index + 1} of account ${account.name}`;
    if (secret !== null) applied.made.push({ what, secret });
  };
  if (saved?.outcome === "saved") return show(saved.made);
  if (saved?.outcome === "too_many") return void error([tooManyEndpoints]);
  const result = await upsertWebhook(deps, account.id, webhook);
  if (result.kind === "invalid") return void error(result.issues);
  show(result.secret);
  await recordApplied(deps, mark, "configureWebhook", account.id, result.id);
}

const entryOf = (
  deps: ProvisionDeps,
  mark: ProvisionMark,
  save: ProvisionedEntry["save"],
  action: string,
  accountId: string,
  target: string,
): ProvisionedEntry => ({
  save,
  mark,
  audit: auditEntryRow(deps, { actor: provisioning, accountId, action, target }),
});
