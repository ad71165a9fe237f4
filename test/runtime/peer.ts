// A raw TCP peer on loopback that does to a connection what the test says, and remembers what it was sent.

import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export interface Peer {
  port: number;
  /** How many connections were accepted. */
  connections(): number;
  /** Everything received, one text (latin1) per connection. */
  received(): string[];
  /** The request paths received, in order. */
  paths(): string[];
  close(): Promise<void>;
}

export interface PeerScript {
  onConnect?: (socket: Socket) => void;
  /** Called for each request whose head and (by content-length) body have arrived. `nth` counts from 1 on this peer. */
  onRequest?: (socket: Socket, nth: number, path: string) => void;
  /** Called with everything received on the connection so far, whenever bytes arrive. */
  onBytes?: (socket: Socket, received: string) => void;
  tls?: Pick<TlsOptions, "key" | "cert" | "ALPNCallback">;
  host?: string;
}

export async function openPeer(script: PeerScript = {}): Promise<Peer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  const serve = (socket: Socket) => {
    const index = received.push("") - 1;
    let pending = "";
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    script.onConnect?.(socket);
    socket.on("data", (chunk) => {
      received[index] += chunk.toString("latin1");
      pending += chunk.toString("latin1");
      script.onBytes?.(socket, received[index]!);
      for (let size = requestSize(pending); size !== null; size = requestSize(pending)) {
        const path = pending.split(" ", 2)[1]!;
        pending = pending.slice(size);
        requests += 1;
        script.onRequest?.(socket, requests, path);
      }
    });
  };
  const server: Server = script.tls ? createTlsServer(script.tls, serve) : createServer(serve);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    // Under TLS this is the bare socket, which `serve` never sees.
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, script.host ?? "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    connections: () => connections,
    received: () => received,
    paths: () =>
      received.flatMap((text) =>
        [...text.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) (\S+) HTTP/g)].map((hit) => hit[1]!),
      ),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The length of the first complete request in the text, or null. */
function requestSize(text: string): number | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? "0";
  const size = end + 4 + Number(length);
  return text.length >= size ? size : null;
}

/** A port of this machine on which no server listens. */
export async function closedPort(): Promise<number> {
  const peer = await openPeer();
  await peer.close();
  return peer.port;
}

/** The bytes of an answer with a content-length. */
export function answer(body: string, head = "200 OK", ...headers: string[]): string {
  const lines = [`HTTP/1.1 ${head}`, `content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
