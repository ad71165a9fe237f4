// Signatures of callbacks that do not cover the event in the same call: each is valid for one event, whichever process
// receives the call and however often the provider repeats it. A row is kept as long as its signature is accepted.

import { sql } from "kysely";
import { writeOperation } from "#store/database.ts";
import type { CallbackSignaturesTable } from "#store/schema/email.ts";

/** Claims a signature for an event. False if it was used for another event. */
export const claimSignature = writeOperation(
  "claimSignature",
  async (tx, use: CallbackSignaturesTable): Promise<boolean> => {
    const { signature_hash, event_hash, expires_at } = use;
    // One statement, so that of two concurrent events the second sees the first.
    const { rows } = await sql<{ event_hash: string }>`
    insert into callback_signatures (signature_hash, event_hash, expires_at) values (${signature_hash}, ${event_hash}, ${expires_at})
    on conflict (signature_hash) do update set expires_at = callback_signatures.expires_at
    returning event_hash
  `.execute(tx.db);
    return rows[0]?.event_hash === event_hash;
  },
);

/** Deletes signatures that are too old to be accepted, at most `limit`; returns how many. */
export const deleteExpiredSignatures = writeOperation(
  "deleteExpiredSignatures",
  async (tx, input: { now: number; limit: number }): Promise<number> => {
    const result = await tx.db
      .deleteFrom("callback_signatures")
      .where(
        sql<boolean>`signature_hash in (
          select signature_hash from callback_signatures where expires_at <= ${input.now}
          order by expires_at limit ${input.limit})`,
      )
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  },
);
