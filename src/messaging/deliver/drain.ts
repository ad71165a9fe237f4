// Gateways that were deleted while messages waited on them: each is removed when its last message has ended.

import type { Core } from "#core/core.ts";
import { priorities } from "#queue/priority.ts";
import { deleteGateway, readDraining } from "#store/gateways/delete.ts";

/** Deletes the draining gateways with no messages left. The check is part of the transaction that deletes. */
export async function deleteDrained({
  clock,
  database,
  log,
}: Pick<Core, "clock" | "database" | "log">): Promise<void> {
  for (const { account_id: accountId, identifier } of await database.run(readDraining, null)) {
    const input = { accountId, identifier, at: clock.now(), priorities, countTo: 1 };
    const { kind } = await database.run(deleteGateway, input);
    if (kind !== "deleted") continue;
    log.info(
      { event: "gateway.deleted", gateway: identifier },
      "The last message of a draining gateway has ended, and the gateway was deleted.",
    );
  }
}
