// The wire between servers and their PostgreSQL, so that a test can cut it, or let it go silent without a word.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface DatabaseLink {
  /** The database, through this link. */
  url: string;
  /** Every connection breaks, and new ones break at once. */
  cut(): void;
  /** Nothing passes, and neither side is notified: a switch that died, a server that is stopped. */
  hang(): void;
  /** As before; what was held back passes. */
  mend(): void;
  close(): Promise<void>;
}

/** A link to the database at `url`. */
export async function databaseLink(url: string): Promise<DatabaseLink> {
  const target = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: "whole" | "cut" | "hanging" = "whole";
  const server = createServer((near) => {
    near.on("error", () => {});
    if (state === "cut") {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    far.on("error", () => {});
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on("data", (bytes) => other.write(bytes));
      one.on("close", () => {
        other.destroy();
        pairs.delete(pair);
      });
      if (state === "hanging") one.pause();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const breakAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    url: through.href,
    cut: () => {
      state = "cut";
      breakAll();
    },
    hang: () => {
      state = "hanging";
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    mend: () => {
      state = "whole";
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
