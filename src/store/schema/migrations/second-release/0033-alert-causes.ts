// Which hooks report what needs attention, and what each of them has reported.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table hooks add column alerts bigint not null default 0`,
    `alter table hooks add column alerts_failed_at bigint`,
    `create index hooks_alerts on hooks (alerts, account_id, id)`,
    `create table alert_causes (
      hook_id text not null references hooks (id), cause text not null, since bigint not null, item text not null,
      absent_at bigint, begun_at bigint, ended_at bigint, ended_sent bigint not null
    )`,
    `create unique index alert_causes_once on alert_causes (hook_id, cause, since)`,
  ]);
}
