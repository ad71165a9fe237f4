// Figures that a list shows of each account besides its settings: today's messages and those that a restore holds.

import { sql } from "kysely";
import { readOperation } from "#store/database.ts";

export interface AccountFigures {
  accountId: string;
  accepted: number;
  failed: number;
  held: number;
}

/** Rows to read in the index of held messages. */
const heldLook = 10_000;

/** The figures of the accounts, in the same order. `dayAt`: when the account's day began, epoch ms. */
export const readAccountFigures = readOperation(
  "readAccountFigures",
  async (tx, accounts: readonly { accountId: string; dayAt: number }[]): Promise<AccountFigures[]> => {
    if (accounts.length === 0) return [];
    const days = accounts.map(({ accountId, dayAt }) => ({ account_id: accountId, step: "day", at: dayAt }));
    const { rows: counts } = await sql<{ account_id: string; accepted: number; failed: number }>`
      select account_id, sum(accepted) as accepted, sum(failed + undelivered + bounced + expired) as failed
      from ${tx.indexed("message_counts")}
      where (account_id, step, at) in (
        select account_id, step, at from ${tx.rows("days", { account_id: "text", step: "text", at: "bigint" }, days)}
      )
      group by account_id
    `.execute(tx.db);
    const { rows: held } = await sql<{ account_id: string; held: number }>`
      select account_id, count(*) as held from (
        select account_id from ${tx.indexed("messages", "messages_held")}
        where held_due_at is not null and id >= 'msg_' order by id limit ${heldLook}
      ) as found group by account_id
    `.execute(tx.db);
    const countsOf = new Map(counts.map((row) => [row.account_id, row]));
    const heldOf = new Map(held.map((row) => [row.account_id, Number(row.held)]));
    return accounts.map(({ accountId }) => {
      const { accepted = 0, failed = 0 } = countsOf.get(accountId) ?? {};
      return {
        accountId,
        accepted: Number(accepted),
        failed: Number(failed),
        held: heldOf.get(accountId) ?? 0,
      };
    });
  },
);
