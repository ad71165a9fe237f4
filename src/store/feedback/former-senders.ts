// People whose number or id changed at the provider: decisions made under the former one hold for the present one.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import type { InboundTable } from "#store/schema/feedback.ts";

type Place = Pick<InboundTable, "account_id" | "gateway_id" | "channel">;

interface Senders {
  former: readonly string[];
  present: string;
}

/** Copies suppressions and the time of the last message. Existing rows of the present sender are kept. */
export async function followSender(tx: Tx, place: Place, { former, present }: Senders): Promise<void> {
  if (former.length === 0) return;
  await copySuppression(tx, place, { former, present });
  await sql`
    insert into reply_windows (gateway_id, sender, heard_at)
    select gateway_id, cast(${present} as text), heard_at from reply_windows
    where gateway_id = ${place.gateway_id} and sender in ${tx.list([...former])}
    order by heard_at desc limit 1
    on conflict (gateway_id, sender) do update set heard_at = excluded.heard_at
      where reply_windows.heard_at < excluded.heard_at
  `.execute(tx.db);
}

/** Copies the oldest suppression of the former senders, unless the present one has its own. */
export async function copySuppression(
  tx: Tx,
  { account_id, channel }: Place,
  { former, present }: Senders,
): Promise<void> {
  tx.changes.topic(account_id, "suppressions");
  await sql`
    insert into suppressions (account_id, channel, recipient, reason, note, created_at)
    select account_id, channel, cast(${present} as text), reason, note, created_at from suppressions
    where account_id = ${account_id} and channel = ${channel} and recipient in ${tx.list([...former])}
    order by created_at limit 1
    on conflict (account_id, channel, recipient) do nothing
  `.execute(tx.db);
}
