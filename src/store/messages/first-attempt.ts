// When a message was first handed to a gateway, for providers that recognise a repetition only for a limited time.

import { readOperation } from "#store/database.ts";

/** Epoch ms of the first attempt in a message's history; null if there was none. */
export const findFirstAttempt = readOperation(
  "findFirstAttempt",
  async (tx, messageId: string): Promise<number | null> => {
    const row = await tx.db
      .selectFrom("message_events")
      .select("at")
      .where("message_id", "=", messageId)
      .where("type", "=", "sending")
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    return row?.at ?? null;
  },
);
