// A server on a loopback port, and a client that writes bytes: for what only a socket can show.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Edge, type EdgeOptions, edge } from "./edge.ts";

export interface Wire extends Edge {
  port: number;
  /** A connection that gathers what comes back. */
  open(): Promise<Line>;
}

export interface Line {
  socket: Socket;
  write(bytes: string | Buffer): void;
  /** Everything so far. */
  received(): string;
  /** Resolves with everything so far as soon as it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything when the server has closed the connection. */
  closed(): Promise<string>;
}

function lineOn(socket: Socket): Line {
  let text = "";
  let ended = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const each of waiting) each();
  };
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    look();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended = true;
    look();
  });
  const when = (holds: () => boolean) =>
    new Promise<string>((resolve, reject) => {
      const each = () => {
        if (holds()) resolve(text);
        else if (ended) reject(new Error(`closed with ${JSON.stringify(text)}`));
        else return;
        waiting.delete(each);
      };
      waiting.add(each);
      each();
    });
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    until: (pattern) => when(() => pattern.test(text)),
    closed: () => when(() => ended),
  };
}

/** Runs a test against a listening server, and closes everything afterwards. */
export async function withWire(options: EdgeOptions, run: (wire: Wire) => Promise<void>): Promise<void> {
  const built = edge(options);
  await built.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = built.app.server.address() as AddressInfo;
  const lines: Line[] = [];
  try {
    await run({
      ...built,
      port,
      async open() {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        const line = lineOn(socket);
        lines.push(line);
        return line;
      },
    });
  } finally {
    for (const { socket } of lines) socket.destroy();
    await built.app.close();
  }
}

/** The head and JSON body of the last answer in what was received. */
export function lastAnswer(received: string): { status: number; head: string; json: unknown } {
  const start = received.lastIndexOf("HTTP/1.1 ");
  const [head = "", body = ""] = received.slice(start).split("\r\n\r\n", 2);
  assert.match(head, /^HTTP\/1\.1 \d{3} /);
  return { status: Number(head.slice(9, 12)), head, json: JSON.parse(body) as unknown };
}

export const sendHead = (key: string, more: readonly string[]) =>
  `${["POST /api/sms/send HTTP/1.1", "Host: x", `Api-key: ${key}`, ...more].join("\r\n")}\r\n\r\n`;
