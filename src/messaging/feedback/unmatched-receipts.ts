// Notifies operators of a gateway whose receipts match no known message. Twenty receipts are compared at a time: by then those that arrived
// before the provider's answer have found their messages.

import type { Core } from "#core/core.ts";
import type { Receipt } from "#gateways/callback.ts";
import { unmatchedAfter } from "#gateways/session.ts";
import {
  noteReceiptsMatch,
  noteReceiptsUnmatched,
  unmatchedReason,
} from "#store/gateways/unmatched-receipts.ts";

type Deps = Pick<Core, "clock" | "database" | "log">;

interface Reporting {
  id: string;
  identifier: string;
}

/** Per process and gateway: the references of the receipts to compare next. */
const collected = new WeakMap<Core["database"], Map<string, Set<string>>>();

/** `unmatched`: the session has found that its receipts match no message. */
export async function compareReceipts(
  deps: Deps,
  gateway: Reporting,
  { receipts, unmatched }: { receipts: readonly Receipt[]; unmatched: boolean },
): Promise<void> {
  const { database, clock } = deps;
  if (unmatched)
    show(
      deps,
      gateway,
      await database.run(noteReceiptsUnmatched, { gatewayId: gateway.id, at: clock.now() }),
    );
  const byGateway = collected.get(database) ?? new Map<string, Set<string>>();
  collected.set(database, byGateway);
  const references = byGateway.get(gateway.id) ?? new Set();
  for (const { reference, messageId } of receipts)
    if (reference !== null && messageId === undefined) references.add(reference);
  byGateway.set(gateway.id, references);
  if (references.size < unmatchedAfter) return;
  byGateway.delete(gateway.id);
  const compared = { gatewayId: gateway.id, at: clock.now(), references: [...references] };
  show(deps, gateway, await database.run(noteReceiptsMatch, compared));
}

function show({ log }: Deps, { identifier }: Reporting, change: "began" | "ended" | "same"): void {
  if (change === "same") return;
  if (change === "began")
    log.warn({ event: "gateway.receipts_unmatched", gateway: identifier }, unmatchedReason);
}
