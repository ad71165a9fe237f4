// The tokens of many phones at once, by which a process finds out that another one has ended the link of a phone.

import { sql } from "kysely";
import { readOperation } from "#store/database.ts";
import type { PhonesTable } from "#store/schema/phones.ts";

/** The digests of the tokens that are valid now; a phone that has none is left out. */
export const readPhoneTokens = readOperation(
  "readPhoneTokens",
  async (tx, ids: readonly string[]): Promise<Pick<PhonesTable, "gateway_id" | "token_hash">[]> => {
    const requested = tx.rows(
      "requested",
      { gateway_id: "text" },
      ids.map((gateway_id) => ({ gateway_id })),
    );
    return await tx.db
      .selectFrom(tx.indexed("phones"))
      .select(["gateway_id", "token_hash"])
      .where(sql<boolean>`gateway_id in (select gateway_id from ${requested})`)
      .where("token_hash", "is not", null)
      .execute();
  },
);
