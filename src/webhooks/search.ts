// Searches an endpoint's deliveries by filters. One page takes a bounded number of short scans, so it may be shorter than its limit, even
// empty, and still have a place to continue from.

import type { Database } from "#store/database.ts";
import {
  type DeliveryCursor,
  type DeliveryFilter,
  type DeliveryRow,
  listDeliveries,
} from "#store/webhooks/delivery-log.ts";

/** A page reads at most 50,000 rows, which takes the storage some 100 ms, before the caller gets a reply. */
const rowsPerScan = 5_000;
const maxScans = 10;

/**
 * The newest matching deliveries before a place; null if the account has no such endpoint. `next`: where the page ended, null if it covered
 * everything.
 */
export async function searchDeliveries(
  database: Database,
  endpoint: { accountId: string; endpointId: string },
  filter: DeliveryFilter,
  page: { limit: number; before: DeliveryCursor | null },
): Promise<{ rows: DeliveryRow[]; next: DeliveryCursor | null } | null> {
  const rows: DeliveryRow[] = [];
  let before = page.before;
  for (let scan = 0; scan < maxScans; scan++) {
    const limit = page.limit + 1 - rows.length;
    const input = { ...endpoint, filter, before, limit, maxScanned: rowsPerScan };
    const found = await database.run(listDeliveries, input);
    if (found === null) return null;
    rows.push(...found.rows);
    before = found.lookedTo;
    if (before === null || rows.length > page.limit) break;
  }
  if (rows.length <= page.limit) return { rows, next: before };
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1)!;
  return { rows: shown, next: { createdAt: last.created_at, eventId: last.event_id } };
}
