// The last status that a provider reported and that its adapter does not know: one row a gateway, shown to operators.

import { sql } from "kysely";
import { writeOperation } from "#store/database.ts";
import type { UnknownWordsTable } from "#store/schema/feedback.ts";

const dayMs = 86_400_000;

/** Stores the gateway's last unknown status. True if it differs from the last one, or the last one was stored more than a day ago. */
export const keepUnknownWord = writeOperation(
  "keepUnknownWord",
  async (tx, { gateway_id, word, at }: UnknownWordsTable): Promise<boolean> => {
    const kept = await sql`
      insert into unknown_words (gateway_id, word, at) values (${gateway_id}, ${word}, ${at})
      on conflict (gateway_id) do update set word = excluded.word, at = excluded.at
        where unknown_words.word <> excluded.word or unknown_words.at <= ${at - dayMs}
      returning gateway_id
    `.execute(tx.db);
    if (kept.rows.length > 0) tx.changes.topic(gateway_id, "gateways");
    return kept.rows.length > 0;
  },
);
