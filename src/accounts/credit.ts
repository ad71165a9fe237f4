// The remaining credit of an account, per channel.

import type { Channel } from "#contract/messages/channel.ts";
import { channels } from "#contract/messages/channel.ts";
import type { Core } from "#core/core.ts";
import { startOfMonth } from "#runtime/time-zones.ts";
import { readCredits } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import type { Account } from "./account.ts";

interface ChannelCredit {
  allowance: number;
  remaining: number;
}

/**
 * The balance of each channel; null if the channel has no allowance and is unlimited. `renewedFrom`: the start of the current month in the
 * account's time zone, epoch ms. A monthly allowance that was last renewed before then is full again.
 */
export async function readCredit(
  database: Database,
  accountId: string,
  renewedFrom: number,
): Promise<Record<Channel, ChannelCredit | null>> {
  const rows = await database.run(readCredits, accountId);
  const credit = {} as Record<Channel, ChannelCredit | null>;
  for (const channel of channels) {
    const row = rows.find((candidate) => candidate.channel === channel);
    if (!row) credit[channel] = null;
    else {
      const renewed = row.renews === "monthly" && row.renewed_at < renewedFrom;
      credit[channel] = { allowance: row.allowance, remaining: renewed ? row.allowance : row.remaining };
    }
  }
  return credit;
}

/** The current balance of each channel of the account; months begin in its time zone. */
export function creditOf(
  { clock, database }: Pick<Core, "clock" | "database">,
  { id, timeZone }: Pick<Account, "id" | "timeZone">,
): Promise<Record<Channel, ChannelCredit | null>> {
  return readCredit(database, id, startOfMonth(clock.now(), timeZone));
}
