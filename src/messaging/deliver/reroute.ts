// Messages whose gateway cannot take them move to another one, if their caller named none: from a gateway that was
// switched off, and, where the account wants that, from one that is paused. Looked after all the time, because a
// send accepted at that very moment may still have chosen the old one.
//
// How a paused gateway whose messages have all left gets well again: acceptance goes on choosing it (it does not look at
// pauses), so once the pause is over the next new message is its probe; and while another gateway is in
// trouble and no well one is there, one waiting message is lent to it as the probe. No message is left behind for
// that, where it would wait for as long as the gateway is dead.

import { defaultGateway } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import type { Core } from "#core/core.ts";
import { AutoResetEvent } from "#queue/auto-reset-event.ts";
import { priorities } from "#queue/priority.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { findStranded, type GatewayState, readFailing } from "#store/gateways/gateways.ts";
import { moveFailing, moveWaiting } from "#store/messages/move.ts";

type RerouteParts = Pick<Core, "clock" | "database" | "log" | "signals">;

/** Messages a transaction. */
const atOnce = 1000;
/** How long a message that is accepted onto a paused gateway, or falls due on it, waits to be moved at the most. */
const againMs = 1000;

/** Runs until the signal aborts. `pauses` is ended by whoever pauses a lane or ends a pause: then it looks at once. */
export async function rerouteMessages(
  parts: RerouteParts,
  everyMs: number,
  signal: AbortSignal,
  pauses = new AutoResetEvent(),
): Promise<void> {
  signal.addEventListener("abort", () => pauses.set());
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      await moveFromInactive(parts);
      if (await moveFromPaused(parts)) waitMs = Math.min(everyMs, againMs);
    } catch (error) {
      parts.log.warn({ error }, "messages of troubled gateways could not be moved; they will be");
    }
    if (!signal.aborted) await pauses.wait(parts.clock, waitMs);
  }
}

/** One look at all switched-off gateways. */
export async function moveFromInactive(parts: RerouteParts): Promise<void> {
  const { database, clock } = parts;
  for (const gateway of await database.run(findStranded, null)) {
    const account = await database.run(findAccount, gateway.account_id);
    // A message that was only a test is not sent for real because the sandbox was switched off, nor the other way round.
    const sameRoute = account && {
      ...accountFromRow(account),
      gateways: accountFromRow(account).gateways.filter(({ test }) => test === (gateway.test === 1)),
    };
    const target = sameRoute && defaultGateway(sameRoute, gateway.channel);
    // Without another gateway they wait for this one.
    if (!target || target.id === gateway.id) continue;
    const detail = `Moved from ${gateway.identifier}, which was switched off, to ${target.identifier}.`;
    const move = { from: gateway.id, to: target.id, limit: atOnce, detail };
    await moveAll(parts, gateway, target, () => database.run(moveWaiting, { ...move, at: clock.now() }));
  }
}

/** One look at all paused gateways of accounts that want it. Returns whether there is one, so that it is worth looking again soon. */
export async function moveFromPaused(parts: RerouteParts): Promise<boolean> {
  const { database, clock } = parts;
  const gateways = await database.run(readFailing, clock.now());
  let failing = false;
  for (const gateway of gateways) {
    if (gateway.state !== "paused") continue;
    failing = true;
    const others = gateways.filter((other) => other.id !== gateway.id && alike(other, gateway));
    const well = others.find(({ state }) => state === "open");
    // Never to one that is paused itself; to those that may be well again only what shows whether they are.
    const targets = well ? [well] : others.filter(({ state }) => state === "probing");
    for (const target of targets) {
      const why = gateway.pause_reason ? ` (${gateway.pause_reason})` : "";
      const detail = `Moved from ${gateway.identifier}, which is paused${why}, to ${target.identifier}.`;
      const move = {
        from: gateway.id,
        to: target.id,
        probe: !well,
        bands: priorities,
        limit: atOnce,
        detail,
      };
      await moveAll(parts, gateway, target, () => database.run(moveFailing, { ...move, at: clock.now() }));
    }
  }
  return failing;
}

const alike = (a: GatewayState, b: GatewayState) =>
  a.account_id === b.account_id && a.channel === b.channel && a.test === b.test;

async function moveAll(
  { log, signals }: RerouteParts,
  from: { identifier: string },
  to: { id: string; identifier: string },
  move: () => Promise<number>,
): Promise<void> {
  for (;;) {
    const moved = await move();
    if (moved > 0) {
      log.info(
        { from: from.identifier, to: to.identifier, messages: moved },
        "messages moved to another gateway",
      );
      signals.emit("laneDue", to.id);
    }
    if (moved < atOnce) return;
  }
}
