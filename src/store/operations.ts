// Every operation by name, for the threads that run them. The list of modules is the only list: all operations that a module exports are
// registered.

import type { Operation } from "./database.ts";

const modules: readonly object[] = await Promise.all([
  import("#store/accounts/accounts.ts"),
  import("#store/accounts/changes.ts"),
  import("#store/accounts/figures.ts"),
  import("#store/accounts/ledger.ts"),
  import("#store/accounts/named-keys.ts"),
  import("#store/accounts/overview.ts"),
  import("#store/counts/message-counts.ts"),
  import("#store/email/attachments.ts"),
  import("#store/email/emails.ts"),
  import("#store/email/mail-recipients.ts"),
  import("#store/email/sending-domains.ts"),
  import("#store/engine/probe.ts"),
  import("#store/engine/statistics.ts"),
  import("#store/feedback/bounces.ts"),
  import("#store/feedback/callback-signatures.ts"),
  import("#store/feedback/engagements.ts"),
  import("#store/feedback/inbound.ts"),
  import("#store/feedback/partly-delivered.ts"),
  import("#store/feedback/receipts.ts"),
  import("#store/feedback/reply-windows.ts"),
  import("#store/feedback/sender-names.ts"),
  import("#store/feedback/suppressions.ts"),
  import("#store/gateways/unmatched-receipts.ts"),
  import("#store/feedback/unknown-words.ts"),
  import("#store/hooks/alerts.ts"),
  import("#store/hooks/hooks.ts"),
  import("./find.ts"),
  import("#store/gateways/account-lanes.ts"),
  import("#store/gateways/actions.ts"),
  import("#store/gateways/delete.ts"),
  import("#store/gateways/gateways.ts"),
  import("#store/gateways/names.ts"),
  import("#store/gateways/account-updates.ts"),
  import("#store/gateways/pauses.ts"),
  import("#store/gateways/reports.ts"),
  import("#store/gateways/sessions.ts"),
  import("#store/gateways/waiting.ts"),
  import("#store/phones/phones.ts"),
  import("#store/phones/phone-items.ts"),
  import("#store/phones/phone-reports.ts"),
  import("#store/phones/spread.ts"),
  import("#store/identity/audit.ts"),
  import("#store/identity/tokens.ts"),
  import("#store/identity/users.ts"),
  import("#store/identity/user-setup-links.ts"),
  import("#store/lanes/due.ts"),
  import("#store/lanes/lanes.ts"),
  import("#store/maintenance/installation.ts"),
  import("#store/maintenance/overdue.ts"),
  import("#store/maintenance/provisioned.ts"),
  import("#store/maintenance/restore-hold.ts"),
  import("#store/maintenance/retention.ts"),
  import("#store/messages/attempts.ts"),
  import("#store/messages/recover.ts"),
  import("#store/messages/first-attempt.ts"),
  import("#store/messages/idempotency-keys.ts"),
  import("#store/messages/contents.ts"),
  import("#store/messages/insert.ts"),
  import("#store/messages/lookup.ts"),
  import("#store/messages/move.ts"),
  import("#store/messages/requests.ts"),
  import("#store/messages/reschedule.ts"),
  import("#store/messages/resolve-unknown.ts"),
  import("#store/messages/search.ts"),
  import("#store/messages/search-due.ts"),
  import("#store/pools/answers.ts"),
  import("#store/pools/call-contents.ts"),
  import("#store/pools/deferred-completions.ts"),
  import("#store/pools/events.ts"),
  import("#store/pools/key-limits.ts"),
  import("#store/pools/keys.ts"),
  import("#store/pools/member-outcomes.ts"),
  import("#store/pools/pools.ts"),
  import("#store/pools/pool-statistics.ts"),
  import("#store/pools/spend.ts"),
  import("#store/pools/usage-groups.ts"),
  import("#store/pools/usage-retention.ts"),
  import("#store/pools/usage-sums.ts"),
  import("#store/pools/usage.ts"),
  import("#store/webhooks/deliveries.ts"),
  import("#store/webhooks/delivery-log.ts"),
  import("#store/webhooks/endpoints.ts"),
  import("#store/webhooks/fan-out.ts"),
  import("#store/webhooks/retries.ts"),
]);

function isOperation(value: unknown): value is Operation<unknown, unknown> {
  return typeof value === "object" && value !== null && "batched" in value && "run" in value;
}

/** The operations that these modules export, ordered by name. Throws if two have the same name. */
export function operationsOf(exporting: readonly object[]): Map<string, Operation<unknown, unknown>> {
  const found = exporting.flatMap((module) => Object.values(module)).filter(isOperation);
  const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map<string, Operation<unknown, unknown>>();
  for (const operation of sorted) {
    if (byName.has(operation.name)) throw new Error(`Two operations are called ${operation.name}.`);
    byName.set(operation.name, operation);
  }
  return byName;
}

export const operations: ReadonlyMap<string, Operation<unknown, unknown>> = operationsOf(modules);
