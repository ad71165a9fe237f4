// People whose number or id changed at the provider: what they decided under the former one holds under the present one.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import type { InboundTable } from "#store/schema/feedback.ts";

/** Copies suppressions and the time of the last message. What is stored of the present sender already stays. */
export async function followSender(
  tx: Tx,
  { account_id, gateway_id, channel }: Pick<InboundTable, "account_id" | "gateway_id" | "channel">,
  { former, present }: { former: readonly string[]; present: string },
): Promise<void> {
  if (former.length === 0) return;
  const names = tx.list([...former]);
  await sql`
    insert into suppressions (account_id, channel, recipient, reason, note, created_at)
    select account_id, channel, cast(${present} as text), reason, note, created_at from suppressions
    where account_id = ${account_id} and channel = ${channel} and recipient in ${names}
    order by created_at limit 1
    on conflict (account_id, channel, recipient) do nothing
  `.execute(tx.db);
  await sql`
    insert into reply_windows (gateway_id, sender, heard_at)
    select gateway_id, cast(${present} as text), heard_at from reply_windows
    where gateway_id = ${gateway_id} and sender in ${names}
    order by heard_at desc limit 1
    on conflict (gateway_id, sender) do update set heard_at = excluded.heard_at
      where reply_windows.heard_at < excluded.heard_at
  `.execute(tx.db);
}
