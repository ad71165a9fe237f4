// Where webhooks arrive: ports that answer at once and count, and ports that take everything and never answer.
// How long an event was under way is the time from its body's `timestamp` until the whole request is here.
// Spoken to over IPC; ends with its parent.

import { createServer, type Socket } from "node:net";
import { createHistogram, type Percentiles } from "./histogram.ts";

export interface Sunk {
  /** Different events, by their `webhook-id`, since the start. */
  events: number;
  /** The same ones again. */
  repeats: number;
  /** Since the last `forget`. */
  delay: Percentiles;
}

export interface SinkPorts {
  healthy: number[];
  silent: number[];
}

const seen = new Set<string>();
let repeats = 0;
let delay = createHistogram();

const thanks = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");

function count(head: string, body: string): void {
  const id = /\r\nwebhook-id: *(\S+)/i.exec(head)?.[1] ?? "";
  if (seen.has(id)) {
    repeats += 1;
    return;
  }
  seen.add(id);
  const at = Date.parse(/"timestamp":"([^"]+)"/.exec(body)?.[1] ?? "");
  delay.add(Math.max(0, Date.now() - at));
}

function answer(socket: Socket): void {
  let rest = "";
  socket.on("data", (chunk: Buffer) => {
    rest += chunk.toString("latin1");
    for (;;) {
      const bodyAt = rest.indexOf("\r\n\r\n");
      if (bodyAt === -1) return;
      const head = rest.slice(0, bodyAt);
      const end = bodyAt + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end) return;
      count(head, rest.slice(bodyAt + 4, end));
      rest = rest.slice(end);
      socket.write(thanks);
    }
  });
}

function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    onSocket(socket);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

const listenTimes = (times: number, onSocket: (socket: Socket) => void) =>
  Promise.all(Array.from({ length: times }, () => listen(onSocket)));

interface Order {
  listen?: { healthy: number; silent: number };
  forget?: boolean;
  ask?: number;
}

async function obey(order: Order): Promise<Sunk | SinkPorts> {
  if (order.forget) delay = createHistogram();
  if (order.listen === undefined) return { events: seen.size, repeats, delay: delay.percentiles() };
  const { healthy, silent } = order.listen;
  return {
    healthy: await listenTimes(healthy, answer),
    silent: await listenTimes(silent, (socket) => void socket.resume()),
  };
}

process.on("disconnect", () => process.exit(0));
process.on("message", (order: Order) => {
  void obey(order).then((result) => process.send?.({ answer: order.ask, result }));
});
process.send?.({ ready: true });
