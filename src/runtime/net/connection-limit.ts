// Limits the connections of a public port, in total and for each client network. When the limit is reached, a new
// connection replaces one that is not proven to be legitimate, so that unknown clients that hold connections open only
// displace each other.

export interface Held {
  /** As `clientNetwork` names it. */
  network: string;
  /** The connection has proven legitimate and is not replaced. */
  proven: boolean;
  /** Closes the connection, whose slot is given to another one. */
  giveUp(): void;
}

export class ConnectionLimit {
  readonly #maxConnections: number;
  readonly #maxPerNetwork: number;
  /** The connections of each network, the oldest first. */
  readonly #networks = new Map<string, Set<Held>>();
  #taken = 0;

  constructor(limits: { maxConnections: number; maxPerNetwork: number }) {
    this.#maxConnections = limits.maxConnections;
    this.#maxPerNetwork = limits.maxPerNetwork;
  }

  /** Takes a slot for a connection. False if all are taken. */
  take(connection: Held): boolean {
    const connections = this.#networks.get(connection.network);
    if (connections !== undefined && connections.size >= this.#maxPerNetwork) return false;
    if (this.#taken >= this.#maxConnections) {
      const loser = this.#replaceable();
      if (loser === null) return false;
      this.leave(loser);
      loser.giveUp();
    }
    const all = this.#networks.get(connection.network);
    if (all === undefined) this.#networks.set(connection.network, new Set([connection]));
    else all.add(connection);
    this.#taken += 1;
    return true;
  }

  /** Frees the connection's slot, if it has one. */
  leave(connection: Held): void {
    const connections = this.#networks.get(connection.network);
    if (connections === undefined || !connections.delete(connection)) return;
    this.#taken -= 1;
    if (connections.size === 0) this.#networks.delete(connection.network);
  }

  /** Among the networks with the most connections, the oldest one that has not proven legitimate. */
  #replaceable(): Held | null {
    const largestFirst = [...this.#networks.values()].sort((a, b) => b.size - a.size);
    for (const connections of largestFirst) {
      for (const connection of connections) if (!connection.proven) return connection;
    }
    return null;
  }
}
