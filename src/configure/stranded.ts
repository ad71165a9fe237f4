// A gateway that was switched off keeps the messages that named it; those that named none move to the
// channel's default gateway. Looked after all the time, because a send accepted at that very moment may
// still have chosen the old one.

import { defaultGateway } from "#accounts/account.ts";
import { accountOf } from "#accounts/authenticate.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { findAccount } from "#store/accounts.ts";
import type { Database } from "#store/database.ts";
import { findStranded } from "#store/gateways.ts";
import { moveWaiting } from "#store/waiting.ts";

interface StrandedParts {
  database: Database;
  clock: Clock;
  log: Log;
  wake(laneId: string): void;
}

const atOnce = 1000;

/** Runs until the signal aborts. */
export async function rescueStranded(
  parts: StrandedParts,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await rescueOnce(parts);
    } catch (error) {
      parts.log.warn({ error }, "messages of switched-off gateways could not be moved; they will be");
    }
    await parts.clock.sleep(everyMs, signal);
  }
}

/** One look at all switched-off gateways. */
export async function rescueOnce({ database, clock, log, wake }: StrandedParts): Promise<void> {
  for (const gateway of await database.run(findStranded, null)) {
    const account = await database.run(findAccount, gateway.account_id);
    // A message that was only a test is not sent for real because the sandbox was switched off, nor the other way round.
    const alike = account && {
      ...accountOf(account),
      gateways: accountOf(account).gateways.filter(({ test }) => test === (gateway.test === 1)),
    };
    const target = alike && defaultGateway(alike, gateway.channel);
    // Without another gateway they wait for this one.
    if (!target || target.id === gateway.id) continue;
    for (;;) {
      const moved = await database.run(moveWaiting, {
        from: gateway.id,
        to: target.id,
        limit: atOnce,
        detail: `Moved from ${gateway.identifier}, which was switched off, to ${target.identifier}.`,
        at: clock.now(),
      });
      if (moved > 0) {
        log.info(
          { from: gateway.identifier, to: target.identifier, messages: moved },
          "messages moved to another gateway",
        );
        wake(target.id);
      }
      if (moved < atOnce) break;
    }
  }
}
