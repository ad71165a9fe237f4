// Events of pool members: a member went down, or is available again.

import { writeOperation } from "#store/database.ts";
import { eventIdOf, recordEvents } from "#store/webhooks/outbox.ts";

/** Records the event for the account's webhook endpoints. `id` identifies the change. */
export const recordMemberEvent = writeOperation(
  "recordMemberEvent",
  async (
    tx,
    input: {
      id: string;
      accountId: string;
      type: "pool.member_down" | "pool.member_up";
      at: number;
      data: { pool: string; member: string; kind: string; reason: string | null };
    },
  ) => {
    const { id, accountId, type, at, data } = input;
    await recordEvents(tx, [{ id: eventIdOf(id, "member"), accountId, type, at, data }]);
  },
);
