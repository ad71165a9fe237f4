// What the test gateway of `line-gateway.ts` connects to: JSON lines over TCP. A client shows a password and the last key
// that it stored; it gets a new key with each connection, which it has to store before the connection is ready. So a
// client with lost or stale state is found out, as by the ratchet of a linked device.

import { createServer, type Socket } from "node:net";
import { password } from "./line-password.ts";
import type { SessionPeer } from "./place.ts";

interface Client {
  socket: Socket;
  ready: boolean;
}

export interface LinePeer extends SessionPeer {
  /** Sockets that are open, whether their session is or not. */
  sockets(): number;
  /** Writes a line to every client. */
  say(line: object): void;
}

export async function openLinePeer(): Promise<LinePeer> {
  const clients = new Set<Client>();
  const taken: string[] = [];
  const reported = new Set<string>();
  /** References of messages, by their text. */
  const references = new Map<string, string>();
  let key: string | null = null;
  let offered: string | null = null;
  let keys = 0;
  let holding = false;
  let refusing = false;
  let staleKeys = 0;
  let maxAtOnce = 0;
  let withheld: (() => void)[] = [];

  const tell = (client: Client, line: object) => void client.socket.write(`${JSON.stringify(line)}\n`);
  const offer = (client: Client) => {
    keys += 1;
    offered = `key ${keys}`;
    tell(client, { key: offered });
  };

  function take(client: Client, line: Record<string, unknown>): void {
    if ("hello" in line) {
      const known = line.key === key || line.key === offered;
      if (!known) staleKeys += 1;
      if (refusing || line.hello !== password) tell(client, { refused: `wrong password ${line.hello}` });
      else if (known) offer(client);
      else tell(client, { refused: "stale key" });
    } else if ("saved" in line) {
      key = String(line.saved);
      client.ready = true;
      maxAtOnce = Math.max(maxAtOnce, [...clients].filter(({ ready }) => ready).length);
      tell(client, { ready: true });
    } else if ("submit" in line) {
      const text = String(line.text);
      taken.push(text);
      const reference = `line-${taken.length}`;
      references.set(text, reference);
      const answer = () => tell(client, { taken: line.submit, reference });
      if (holding) withheld.push(answer);
      else answer();
    } else if ("stored" in line) reported.add(String(line.stored));
    else if ("logOut" in line) {
      key = null;
      offered = null;
      tell(client, { loggedOut: true });
    }
  }

  const server = createServer((socket) => {
    const client = { socket, ready: false };
    clients.add(client);
    socket.on("close", () => clients.delete(client));
    socket.on("error", () => {});
    let rest = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(client, JSON.parse(line));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const all = (line: object) => {
    for (const client of clients) tell(client, line);
  };
  const drop = () => {
    for (const { socket } of clients) socket.destroy();
  };

  return {
    settings: { host: "127.0.0.1", port, password },
    secrets: [password],
    taken,
    connections: () => [...clients].filter(({ ready }) => ready).length,
    maxAtOnce: () => maxAtOnce,
    staleStates: () => staleKeys,
    hold: () => {
      holding = true;
    },
    answer: () => {
      holding = false;
      for (const answer of withheld) answer();
      withheld = [];
    },
    refuse: () => {
      refusing = true;
      drop();
    },
    allow: () => {
      refusing = false;
    },
    drop,
    changeState: () => {
      for (const client of clients) offer(client);
    },
    deliver: (text) => all({ receipt: references.get(text), status: "delivered" }),
    acknowledged: (text) => reported.has(references.get(text) ?? ""),
    endLink: (reason) => {
      key = null;
      offered = null;
      all({ ended: reason });
      for (const { socket } of clients) socket.end();
    },
    crash: () => all({ crash: true }),
    sockets: () => clients.size,
    say: all,
    close: async () => {
      drop();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
