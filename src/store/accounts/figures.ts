// Figures that a list shows of each account besides its settings: today's messages and those that a restore holds.

import { sql } from "kysely";
import { failures } from "#contract/messages/channel.ts";
import { readOperation } from "#store/database.ts";
import { kindOfGateway } from "#store/gateways/names.ts";

/** Messages of a day. */
interface DayCounts {
  accepted: number;
  failed: number;
}

export interface AccountFigures {
  accountId: string;
  /** Without those of `tests`, which are messages of gateways of a test kind. */
  real: DayCounts;
  tests: DayCounts;
  held: number;
}

const sumOf = (rows: readonly DayCounts[]): DayCounts => ({
  accepted: rows.reduce((sum, { accepted }) => sum + Number(accepted), 0),
  failed: rows.reduce((sum, { failed }) => sum + Number(failed), 0),
});

/** Rows to read in the index of held messages. */
const heldLook = 10_000;

/**
 * The figures of the accounts, in the same order. `dayAt`: when the account's day began, epoch ms; `testKinds`: the kinds of gateways whose
 * messages are tests.
 */
export const readAccountFigures = readOperation(
  "readAccountFigures",
  async (
    tx,
    {
      accounts,
      testKinds,
    }: { accounts: readonly { accountId: string; dayAt: number }[]; testKinds: readonly string[] },
  ): Promise<AccountFigures[]> => {
    if (accounts.length === 0) return [];
    const days = accounts.map(({ accountId, dayAt }) => ({ account_id: accountId, step: "day", at: dayAt }));
    const { rows: counts } = await sql<DayCounts & { account_id: string; kind: string }>`
      select account_id, ${kindOfGateway}, sum(accepted) as accepted, sum(${sql.join(failures.map(sql.ref), sql` + `)}) as failed
      from ${tx.indexed("message_counts")}
      where (account_id, step, at) in (
        select account_id, step, at from ${tx.rows("days", { account_id: "text", step: "text", at: "bigint" }, days)}
      )
      group by account_id, kind
    `.execute(tx.db);
    const { rows: held } = await sql<{ account_id: string; held: number }>`
      select account_id, count(*) as held from (
        select account_id from ${tx.indexed("messages", "messages_held")}
        where held_due_at is not null and id >= 'msg_' order by id limit ${heldLook}
      ) as found group by account_id
    `.execute(tx.db);
    const countsOf = Map.groupBy(counts, ({ account_id }) => account_id);
    const heldOf = new Map(held.map((row) => [row.account_id, Number(row.held)]));
    return accounts.map(({ accountId }) => {
      const rows = countsOf.get(accountId) ?? [];
      return {
        accountId,
        real: sumOf(rows.filter(({ kind }) => !testKinds.includes(kind))),
        tests: sumOf(rows.filter(({ kind }) => testKinds.includes(kind))),
        held: heldOf.get(accountId) ?? 0,
      };
    });
  },
);
