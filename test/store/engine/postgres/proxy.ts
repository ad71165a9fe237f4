// A TCP proxy in front of PostgreSQL that can lose the connection exactly at a COMMIT: before the server
// hears of it, as the message leaves, or once the server has answered it.

import { connect as connectSocket, createServer, type Socket } from "node:net";

export type Cut = "before" | "during" | "after";

export interface CommitProxy {
  /** The URL of the server, as seen through the proxy. */
  url: string;
  /** The next COMMIT is cut in this way; later ones pass. */
  cutNext(how: Cut): void;
  /** COMMITs seen so far. */
  commits(): number;
  /** Connections that were asked for so far. */
  asked(): number;
  /** Cuts every connection, and refuses new ones until `up`. Resolves when the server's side is closed too. */
  down(): Promise<void>;
  up(): void;
  /** Cuts the connection that was made first of those that are there. */
  cutOne(): void;
  close(): Promise<void>;
}

/** A simple-query message: `Q`, four bytes of length, the text, a zero. */
const commitMessage = Buffer.from("commit\0");
const isCommit = (chunk: Buffer) => chunk[0] === 0x51 && chunk.subarray(5).equals(commitMessage);

export async function startProxy(target: string): Promise<CommitProxy> {
  const server = new URL(target);
  const sockets = new Set<Socket>();
  let cut: Cut | null = null;
  let seen = 0;
  let asked = 0;
  let away = false;
  const listener = createServer((client) => {
    asked += 1;
    if (away) return void client.destroy();
    const upstream = connectSocket(Number(server.port), server.hostname);
    let cutAtAnswer = false;
    const drop = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", drop).on("close", () => {
        sockets.delete(socket);
        drop();
      });
    }
    client.on("data", (chunk: Buffer) => {
      if (isCommit(chunk)) {
        seen += 1;
        const how = cut;
        cut = null;
        if (how === "before") return drop();
        // Ends the client's side only: what was written to the server still arrives there.
        if (how === "during") {
          upstream.end(chunk);
          client.destroy();
          return;
        }
        cutAtAnswer = how === "after";
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => (cutAtAnswer ? drop() : client.write(chunk)));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const url = new URL(target);
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    cutNext: (how) => {
      cut = how;
    },
    commits: () => seen,
    asked: () => asked,
    down: async () => {
      away = true;
      const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(gone);
    },
    up: () => {
      away = false;
    },
    cutOne: () => {
      const [first] = sockets;
      first?.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
