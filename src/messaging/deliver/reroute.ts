// Rerouting: messages whose gateway cannot take them move to another gateway, unless their caller named one. They move
// from a gateway that was switched off and, where the account has channel failover, from one that is paused. A message
// moves only to a gateway that can send its content, so the messages of one gateway may move to several. The loop runs all
// the time, because a send that is accepted at that very moment may still choose the old gateway. It is a lane, so that
// one process runs it at a time.
//
// How a paused gateway recovers after all its messages have left: acceptance still chooses it (acceptance does not look at
// pauses), so once the pause is over the next new message is its probe. While the other gateways are paused too, one
// waiting message is lent to the gateway as its probe. No message stays behind for that: it would wait for as long as the
// gateway fails.

import { defaultGateway } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { type ContentKind, contentKinds } from "#contract/messages/content.ts";
import type { Core } from "#core/core.ts";
import { contentsOf } from "#gateways/registry.ts";
import { distributeRoutes } from "#messaging/routes.ts";
import { openLoop } from "#queue/loop.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { priorities } from "#queue/priority.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import {
  type FailoverGateway,
  findWaitingOnInactive,
  readFailoverGateways,
} from "#store/gateways/gateways.ts";
import { moveToDefault, moveToFailover } from "#store/messages/move.ts";
import { deleteDrained } from "./drain.ts";

/** The one lane of its kind. */
export const rerouteLane = { id: "reroute", kind: "reroute" } as const;

type RerouteDeps = Pick<Core, "clock" | "database" | "log">;
type TurnDeps = RerouteDeps & Pick<Core, "crashPoint" | "newId" | "random" | "sealer">;

/** Maximum number of messages in one transaction. */
const batchSize = 1000;
/** While a gateway is paused: how long a message that is accepted onto it, or becomes due on it, waits to be moved, at most. */
const failoverIntervalMs = 1000;

/** Starts rerouting in the process that owns its lane. `wake` the lane when a pause of another lane begins or ends. */
export function openReroute(
  deps: TurnDeps & { intervalMs: number },
  lane: { id: string; fence: number },
): OpenLane {
  const { clock, log, intervalMs } = deps;
  return openLoop(lane, {
    clock,
    log,
    turn: async () => {
      // First, since messages that a gateway of a route cannot send belong to the others of the route; and again for messages that were
      // moved to a route.
      await distributeRoutes(deps);
      await moveFromInactive(deps);
      const isPaused = await moveFromPaused(deps);
      await distributeRoutes(deps);
      await deleteDrained(deps);
      return isPaused ? Math.min(intervalMs, failoverIntervalMs) : intervalMs;
    },
    failure: {
      event: "reroute.failed",
      message: "Messages of inactive or paused gateways could not be moved; rerouting retries.",
    },
  });
}

/** Moves waiting messages from switched-off gateways to the default gateway of their account and channel. */
export async function moveFromInactive(deps: RerouteDeps): Promise<void> {
  const { database, clock } = deps;
  for (const gateway of await database.run(findWaitingOnInactive, null)) {
    const account = await database.run(findAccount, gateway.account_id);
    // A test message does not move to a real gateway because the sandbox was switched off, nor a real one to the sandbox.
    const candidates = account && {
      ...accountFromRow(account),
      gateways: accountFromRow(account).gateways.filter(({ test }) => test === (gateway.test === 1)),
    };
    const targets = Map.groupBy(
      contentKinds,
      (content) => candidates && defaultGateway(candidates, gateway.channel, content),
    );
    for (const [target, contents] of targets) {
      // Without another gateway the messages wait for this one.
      if (target === null || target.id === gateway.id) continue;
      const detail = `Moved from ${gateway.identifier}, which was switched off, to ${target.identifier}.`;
      const move = { from: gateway.id, to: target.id, contents, limit: batchSize, detail };
      await moveAll(deps, gateway, target, () => database.run(moveToDefault, { ...move, at: clock.now() }));
    }
  }
}

/** Moves waiting messages from paused gateways of accounts with channel failover. Returns whether there is such a gateway. */
export async function moveFromPaused(deps: RerouteDeps): Promise<boolean> {
  const { database, clock } = deps;
  const gateways = await database.run(readFailoverGateways, clock.now());
  let isPaused = false;
  for (const gateway of gateways) {
    if (gateway.state !== "paused") continue;
    isPaused = true;
    const others = gateways.filter((other) => other.id !== gateway.id && sameRoute(other, gateway));
    for (const { target, contents, probe } of failoverTargets(others)) {
      const reason = gateway.pause_reason ? ` (${gateway.pause_reason})` : "";
      const detail = `Moved from ${gateway.identifier}, which is paused${reason}, to ${target.identifier}.`;
      const route = { from: gateway.id, to: target.id, contents };
      const move = { ...route, probe, priorities, limit: batchSize, detail };
      await moveAll(deps, gateway, target, () => database.run(moveToFailover, { ...move, at: clock.now() }));
    }
  }
  return isPaused;
}

interface FailoverTarget {
  target: FailoverGateway;
  contents: ContentKind[];
  /** One message moves, to show whether the gateway is healthy. */
  probe: boolean;
}

/**
 * Assigns messages to the gateways, which are in the order of preference: each kind of content is sent to the first open one that can send
 * it. A paused one gets none; one whose pause is over gets a probe from the messages that no open one can send.
 */
function failoverTargets(gateways: readonly FailoverGateway[]): FailoverTarget[] {
  const open = gateways.filter(({ state }) => state === "open");
  const chosen = Map.groupBy(
    contentKinds,
    (content) => open.find((target) => canSend(target, content)) ?? null,
  );
  const lacking = chosen.get(null) ?? [];
  const targets: FailoverTarget[] = [];
  for (const [target, contents] of chosen) if (target) targets.push({ target, contents, probe: false });
  for (const target of gateways.filter(({ state }) => state === "probing")) {
    const contents = lacking.filter((content) => canSend(target, content));
    if (contents.length > 0) targets.push({ target, contents, probe: true });
  }
  return targets;
}

const canSend = ({ kind, channel }: FailoverGateway, content: ContentKind) =>
  contentsOf(kind, channel).includes(content);

const sameRoute = (a: FailoverGateway, b: FailoverGateway) =>
  a.account_id === b.account_id && a.channel === b.channel && a.test === b.test;

async function moveAll(
  { log }: RerouteDeps,
  from: { identifier: string },
  to: { id: string; identifier: string },
  move: () => Promise<number>,
): Promise<void> {
  for (;;) {
    const moved = await move();
    if (moved > 0) {
      log.info(
        { event: "messages.rerouted", from: from.identifier, to: to.identifier, messages: moved },
        "Messages were moved to another gateway.",
      );
    }
    if (moved < batchSize) return;
  }
}
