// A server that sends scripted bytes, in scripted pieces, and closes the connection.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface Script {
  /** Latin1. */
  wire: string;
  /** Where a piece ends; each goes out in a turn of the event loop of its own. */
  cuts: readonly number[];
}

export interface AnsweringServer {
  origin: string;
  /** The path that plays the script. */
  add(script: Script): string;
  close(): void;
}

export async function openAnsweringServer(): Promise<AnsweringServer> {
  const scripts: Script[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    let received = "";
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
      if (!received.includes("\r\n\r\n")) return;
      const [, at = ""] = /^\w+ \/(\d+) /.exec(received) ?? [];
      received = "";
      void play(socket, scripts[Number(at)]!);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (script) => `/${scripts.push(script) - 1}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function play(socket: Socket, { wire, cuts }: Script): Promise<void> {
  let from = 0;
  for (const to of [...cuts, wire.length]) {
    if (to > from) socket.write(Buffer.from(wire.slice(from, to), "latin1"));
    from = Math.max(from, to);
    // Two turns, so that the client reads the piece before the next one is written.
    for (let turns = 0; turns < 2 && to < wire.length; turns += 1)
      await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
}
