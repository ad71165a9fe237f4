// The lanes of an account: those of its gateways and of its webhook endpoints.

import { readOperation } from "#store/database.ts";

/** The ids of the account's gateways and webhook endpoints, which are also the ids of their lanes. */
export const readAccountLanes = readOperation(
  "readAccountLanes",
  async (tx, accountId: string): Promise<string[]> => {
    const gateways = await tx.db
      .selectFrom(tx.indexed("gateways", "gateways_account"))
      .select("id")
      .where("account_id", "=", accountId)
      .execute();
    const endpoints = await tx.db
      .selectFrom("webhook_endpoints")
      .select("id")
      .where("account_id", "=", accountId)
      .execute();
    return [...gateways, ...endpoints].map(({ id }) => id);
  },
);
