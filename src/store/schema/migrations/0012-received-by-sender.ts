// What one person wrote, and what came through one gateway, are found by an index.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    "create index if not exists inbound_sender on inbound_messages (account_id, sender, id)",
    "create index if not exists inbound_gateway on inbound_messages (gateway_id, id)",
  ]);
}
