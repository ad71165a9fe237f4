// Routes: gateways whose messages other gateways send. Acceptance finds out here which of a request's gateways are routes, and the
// transaction that stores the messages chooses among the gateways of each (`store/routers.ts`).

import type { Account } from "#accounts/account.ts";
import type { Core } from "#core/core.ts";
import { spreads } from "#phones/spread.ts";
import type { Route } from "#store/messages/router.ts";

type RouteDeps = Pick<Core, "clock" | "database" | "log" | "sealer">;
type TurnDeps = RouteDeps & Pick<Core, "crashPoint" | "newId" | "random">;

/** A kind of gateway that is a route. */
interface RouteKind {
  kind: string;
  /** The account's routes of this kind that are switched on. */
  routesOf(deps: RouteDeps, accountId: string): Promise<readonly Route[]>;
  /** Assigns messages that wait on routes of this kind to the gateways that send them, and moves messages that one of those cannot send. */
  distribute(deps: TurnDeps): Promise<void>;
}

const routeKinds: readonly RouteKind[] = [spreads];

/** The routes among the gateways of a request. */
export async function routesAmong(
  deps: RouteDeps,
  account: Account,
  gatewayIds: ReadonlySet<string>,
): Promise<Route[]> {
  const routes: Route[] = [];
  for (const { kind, routesOf } of routeKinds) {
    if (!account.gateways.some((gateway) => gateway.kind === kind && gatewayIds.has(gateway.id))) continue;
    routes.push(...(await routesOf(deps, account.id)).filter(({ id }) => gatewayIds.has(id)));
  }
  return routes;
}

/** One run of all routes, in the process that owns the rerouting lane. */
export async function distributeRoutes(deps: TurnDeps): Promise<void> {
  for (const { distribute } of routeKinds) await distribute(deps);
}
