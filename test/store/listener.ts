// A webhook endpoint as a bare row, so that events are noted, and the notes that it would get.

import type { OutboxTable } from "#store/schema/webhooks.ts";
import type { Store } from "./conformance.ts";
import { fresh } from "./rows.ts";

/** An endpoint listens to these events of the account. */
export async function listen(
  store: Store,
  accountId: string,
  events: readonly string[] = ["*"],
): Promise<void> {
  await store.query(
    `insert into webhook_endpoints (id, account_id, url, url_hash, events, active, secret, created_at, updated_at)
     values (?, ?, ?, ?, ?, 1, 'sealed', 1, 1)`,
    fresh("wh"),
    accountId,
    `https://${fresh("host")}.test/`,
    fresh("hash"),
    JSON.stringify(events),
  );
}

export interface Note {
  id: string;
  type: string;
  at: number;
  data: Record<string, unknown>;
}

/** What the account's listeners are to get, in the order in which it happened. */
export async function notesOf(store: Store, accountId: string): Promise<Note[]> {
  const rows = await store.query<OutboxTable>(
    "select * from outbox where account_id = ? order by at, id",
    accountId,
  );
  return rows.map(({ id, type, at, data }) => ({ id, type, at, data: JSON.parse(data) }));
}
