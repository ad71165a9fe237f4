// Where clients of Twilio's API want the statuses of a message posted, and the endpoints that post them.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table status_callbacks (message_id text primary key, callback text not null)`,
    `alter table webhook_endpoints add column format text`,
  ]);
}
