// Notifies operators of a mail gateway whose mails bounce because of the sender: its IP address, DNS, reputation or content. One server
// that blames the sender may be wrong; five mails in a row point to the gateway. Nothing is suppressed for them.

import type { Core } from "#core/core.ts";
import type { Receipt } from "#gateways/callback.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import { toDbText, verdictOf } from "./normalise.ts";

/** As many as in the breaker, which counts immediate refusals (decision 0046). */
const refusalsInRow = 5;

type Deps = Pick<Core, "clock" | "database" | "log">;

/** Per process and gateway: the mails that bounced in a row, by id or reference. A new process starts from zero. */
const runs = new WeakMap<Core["database"], Map<string, Set<string>>>();

type Standing = "sender" | "recipient" | "temporary";

/** The verdict of a report: the sender is at fault, the address is good or bad, or neither for now. */
function standingOf(receipt: Receipt): Standing {
  if (receipt.status === "delivered" || receipt.status === "read") return "recipient";
  if (receipt.status !== "bounced") return "temporary";
  const bounce = verdictOf(receipt);
  if (bounce !== null) return bounce === "hard" ? "recipient" : "temporary";
  return /^4/.test(receipt.code ?? receipt.reason ?? "") ? "temporary" : "sender";
}

/** Counts reports on mails of a gateway. The fifth refusal in a row that blames the sender becomes the gateway's notice. */
export async function countRefusals(
  { clock, database, log }: Deps,
  { id, identifier }: { id: string; identifier: string },
  receipts: readonly Receipt[],
): Promise<void> {
  const byGateway = runs.get(database) ?? new Map<string, Set<string>>();
  runs.set(database, byGateway);
  for (const receipt of receipts) {
    const standing = standingOf(receipt);
    if (standing === "recipient") byGateway.delete(id);
    if (standing !== "sender") continue;
    const run = byGateway.get(id) ?? new Set();
    byGateway.set(id, run);
    // Both the receiving server and the vendor may report one mail.
    const isFull = run.size >= refusalsInRow;
    if (!isFull) run.add(receipt.messageId ?? receipt.reference ?? "");
    if (isFull || run.size < refusalsInRow) continue;
    const words = toDbText(receipt.reason ?? receipt.code ?? "").slice(0, 200);
    const notice = `${refusalsInRow} mails in a row were refused because of their sender, not their recipients: ${words}`;
    const at = clock.now();
    const update = {
      gatewayId: id,
      at,
      now: at,
      facts: {},
      aboutNumber: null,
      pauseUntil: null,
      lifted: false,
    };
    await database.run(storeAccountUpdate, { ...update, notice });
    log.warn(
      { event: "gateway.sender_refused", gateway: identifier, notice },
      "Mail servers refuse a gateway's sender.",
    );
  }
}
