// Signatures that do not cover the event that they come with: each is good for one event, whichever process takes the
// call and however often the provider repeats it. A row lives as long as its signature is taken.

import { sql } from "kysely";
import { writeOperation } from "#store/database.ts";
import type { CallbackProofsTable } from "#store/schema/email.ts";

/** Takes a proof for an event. False: it was used for another one. */
export const useProof = writeOperation("useProof", async (tx, use: CallbackProofsTable): Promise<boolean> => {
  const { proof, event, expires_at } = use;
  // One statement, so that of two events that come at once the second sees the first.
  const { rows } = await sql<{ event: string }>`
    insert into callback_proofs (proof, event, expires_at) values (${proof}, ${event}, ${expires_at})
    on conflict (proof) do update set expires_at = callback_proofs.expires_at
    returning event
  `.execute(tx.db);
  return rows[0]?.event === event;
});

/** Forgets proofs that are too old to be taken, at most `limit`; returns how many. */
export const forgetProofs = writeOperation(
  "forgetProofs",
  async (tx, input: { now: number; limit: number }): Promise<number> => {
    const result = await tx.db
      .deleteFrom("callback_proofs")
      .where(
        sql<boolean>`proof in (
          select proof from callback_proofs where expires_at <= ${input.now}
          order by expires_at limit ${input.limit})`,
      )
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  },
);
