// Spreads: gateways whose messages are shared by the phones of an account. `store/phones/spread.ts` chooses the phone of a message; this
// file has the members of each spread, from settings, and the task that assigns waiting messages to members.

import type { Core } from "#core/core.ts";
import { spread as kind, spreadSettings } from "#gateways/sms/android/spread.ts";
import { priorities } from "#queue/priority.ts";
import { distributeSpread, readSpreadAccounts, type Spread } from "#store/phones/spread.ts";
import { gatewaysOf, lateMs, linesIn, offlineMs, phoneLine } from "./lines.ts";

type SpreadDeps = Pick<Core, "clock" | "database" | "log" | "sealer">;

/** The account's spreads that are switched on. */
async function spreadsOf(deps: SpreadDeps, accountId: string): Promise<Spread[]> {
  const all = await gatewaysOf(deps, { accountId, kind: kind.kind }, spreadSettings);
  const active = all.filter(({ gateway }) => gateway.active === 1);
  if (active.length === 0) return [];
  const now = deps.clock.now();
  const lines = (await linesIn(deps, accountId)).map((line) => {
    const { gatewayId, isOpen, day } = phoneLine(line, { now });
    return { gatewayId, identifier: line.gateway.identifier, phoneId: line.phoneId, isOpen, day };
  });
  return active.map(({ gateway, settings: { members } }) => ({
    id: gateway.id,
    kind: kind.kind,
    identifier: gateway.identifier,
    members: lines.filter(({ identifier }) => members.includes(identifier)),
    others: lines.filter(({ identifier }) => !members.includes(identifier)),
    lateBefore: now - lateMs,
    offlineBefore: now - offlineMs,
  }));
}

/** Maximum number of messages in one transaction, from each gateway. */
const batchSize = 500;

/** Assigns waiting messages to the members of every spread. */
async function distributeSpreads(
  deps: SpreadDeps & Pick<Core, "crashPoint" | "newId" | "random">,
): Promise<void> {
  for (const accountId of await deps.database.run(readSpreadAccounts, kind.kind))
    for (const spread of await spreadsOf(deps, accountId))
      while ((await distribute(deps, spread)) >= batchSize);
}

async function distribute(
  { clock, crashPoint, database, log, newId, random }: Parameters<typeof distributeSpreads>[0],
  spread: Spread,
): Promise<number> {
  crashPoint("spread.before");
  const moved = await database.run(distributeSpread, {
    spread,
    at: clock.now(),
    point: random.random(),
    priorities,
    limit: batchSize,
    eventId: newId("gp"),
  });
  crashPoint("spread.after");
  let count = 0;
  for (const { identifier, messages } of moved) {
    count += messages;
    log.info(
      { event: "messages.spread", spread: spread.identifier, to: identifier, messages },
      "A spread gave messages to a phone.",
    );
  }
  return count;
}

/** Spreads, in the form in which `messaging/routes.ts` uses routes of any kind. */
export const spreads = { kind: kind.kind, routesOf: spreadsOf, distribute: distributeSpreads };
