// The routers, by the kind of gateway, and how a transaction that stores messages calls them.

import type { Router } from "#store/messages/router.ts";
import type { SendInput } from "#store/messages/send.ts";
import { spreadRouter } from "#store/phones/spread.ts";
import type { Tx } from "./database.ts";

const routers: Readonly<Record<string, Router>> = { spread: spreadRouter };

/** Messages for which a route chose a gateway. */
interface Routed {
  router: Router;
  routeId: string;
  messageIds: readonly string[];
}

/**
 * The sends with the chosen gateway in each message of a route. A message keeps the route as its gateway if the route is stopped by hand
 * or none of its gateways can send. `routed` is for `markRouted`, once the messages are stored.
 */
export async function resolveRoutes(
  tx: Tx,
  sends: readonly SendInput[],
): Promise<{ resolved: SendInput[]; routed: Routed[] }> {
  const open = await lockRoutes(tx, sends);
  const routed: Routed[] = [];
  const resolved: SendInput[] = [];
  for (const send of sends) {
    let { messages } = send;
    for (const route of send.routes?.list ?? []) {
      const router = routers[route.kind];
      const its = send.messages.filter(({ gateway_id }) => gateway_id === route.id);
      if (router === undefined || its.length === 0 || !open.has(route.id)) continue;
      const recipients = its.map(({ recipient }) => recipient);
      const of = { at: send.at, point: send.routes?.point ?? 0 };
      const chosen = await router.choose(tx, route, recipients, of);
      if (chosen === null) continue;
      messages = messages.map((message) => {
        const gateway_id = message.gateway_id === route.id ? chosen.get(message.recipient) : undefined;
        return gateway_id === undefined ? message : { ...message, gateway_id };
      });
      routed.push({ router, routeId: route.id, messageIds: its.map(({ id }) => id) });
    }
    resolved.push(messages === send.messages ? send : { ...send, messages });
  }
  return { resolved, routed };
}

/** Locks the lanes of all routes, always in the order of their ids. Returns those that are not stopped by hand. */
async function lockRoutes(tx: Tx, sends: readonly SendInput[]): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const ids = sends.flatMap(({ routes }) => routes?.list.map(({ id }) => id) ?? []);
  for (const id of new Set(ids.sort())) {
    const lane = await tx.db
      .selectFrom("lanes")
      .select("operator_paused_at")
      .where("id", "=", id)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (lane?.operator_paused_at === null) open.add(id);
  }
  return open;
}

/** Marks messages that were stored as those of their routes. */
export async function markRouted(tx: Tx, routed: readonly Routed[]): Promise<void> {
  for (const { router, routeId, messageIds } of routed) await router.mark(tx, routeId, messageIds);
}
