// A gateway may be a route: other gateways send its messages. A router chooses the gateway of each message, in the transaction that
// stores it.

import type { Tx } from "#store/database.ts";

/** A gateway that is a route, with the data for its router's choice. It is passed to the SQLite thread, so it is only data. */
export interface Route {
  id: string;
  /** The gateway's kind, which names the router in `store/routers.ts`. */
  kind: string;
}

/** The interface of routes of one kind. */
export interface Router<R extends Route = Route> {
  /**
   * The id of a gateway for each recipient, or null if no gateway can send. The route's lane must be locked. `point` is a random place
   * in [0, 1).
   */
  choose(
    tx: Tx,
    route: R,
    recipients: readonly string[],
    of: { at: number; point: number },
  ): Promise<ReadonlyMap<string, string> | null>;
  /** Marks stored messages as the route's, so that it may choose again while they wait. */
  mark(tx: Tx, routeId: string, messageIds: readonly string[]): Promise<void>;
}
