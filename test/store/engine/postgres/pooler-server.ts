// A pooler in transaction mode in front of a test server: it takes turns among a few server connections, and knows nothing of prepared
// statements or settings, as PgBouncer before 1.21. And PgBouncer itself, where this machine has it (TRUNKLINE_TEST_PGBOUNCER or PATH).

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort, unprivilegedUser } from "../../../postgres.ts";

export interface Pooler {
  /** The URL of the database, as seen through the pooler. */
  url: string;
  close(): Promise<void>;
}

export type PoolMode = "session" | "transaction";

const terminate = 0x58;
const readyForQuery = 0x5a;
const idle = 0x49;
/** A simple query, and the end of an extended one: the server answers each with a ReadyForQuery. */
const asksForReady = new Set([0x51, 0x53]);

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const text = (value: string) => Buffer.from(`${value}\0`);

/** Calls `each` with whole messages, type byte first. */
function eachMessage(socket: Socket, each: (whole: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 5 && received.length > received.readInt32BE(1)) {
      const end = received.readInt32BE(1) + 1;
      const whole = received.subarray(0, end);
      received = received.subarray(end);
      each(whole);
    }
  });
}

interface ServerConnection {
  socket: Socket;
  /** Who has it at the moment. */
  client: { socket: Socket; unanswered: number } | null;
}

/** The program, or null. */
export function findPgbouncer(): string | null {
  const program = process.env.TRUNKLINE_TEST_PGBOUNCER ?? "pgbouncer";
  return spawnSync(program, ["--version"]).status === 0 ? program : null;
}

/** PgBouncer with three server connections. It ends with this process. */
export async function startPgbouncer(
  program: string,
  target: string,
  mode: PoolMode = "transaction",
): Promise<Pooler> {
  const { hostname, port, username } = new URL(target);
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), "trunkline-pgbouncer-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  const listenPort = await freePort();
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${listenPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    "default_pool_size = 3",
  ];
  writeFileSync(file, lines.join("\n"));
  // The shell ends it when this process, which has the other end of its input, is gone.
  const shell = spawn("sh", ["-c", '"$0" -q "$1" & read -r _; kill "$!"; wait', program, file], {
    ...user,
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = new Promise<void>((exited) => shell.once("exit", () => exited()));
  const url = new URL(target);
  url.port = String(listenPort);
  const close = async () => {
    shell.stdin.end();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: url.href });
    try {
      await client.connect();
      await client.end();
      return { url: url.href, close };
    } catch (error) {
      if (attempt === 200) {
        await close();
        throw error;
      }
      await new Promise((later) => setTimeout(later, 25));
    }
  }
}

/** `size`: how many server connections. In session mode a client keeps the one that it got. */
export async function startPooler(target: string, size = 3, mode: PoolMode = "transaction"): Promise<Pooler> {
  const { hostname, port, pathname, username } = new URL(target);
  const free: ServerConnection[] = [];
  const waiting: ((server: ServerConnection) => void)[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const release = (server: ServerConnection) => {
    server.client = null;
    const next = waiting.shift();
    if (next === undefined) free.push(server);
    else next(server);
  };
  const connectServer = () =>
    new Promise<void>((resolve) => {
      const socket = connectSocket(Number(port), hostname);
      track(socket);
      const server: ServerConnection = { socket, client: null };
      const startup = [
        int32(196_608),
        text("user"),
        text(username),
        text("database"),
        text(pathname.slice(1)),
      ];
      const body = Buffer.concat([...startup, Buffer.from([0])]);
      socket.write(Buffer.concat([int32(body.length + 4), body]));
      let ready = false;
      eachMessage(socket, (whole) => {
        const { client } = server;
        client?.socket.write(whole);
        if (whole[0] !== readyForQuery) return;
        if (!ready) {
          ready = true;
          release(server);
          return resolve();
        }
        if (client === null) return;
        client.unanswered -= 1;
        if (mode === "transaction" && client.unanswered === 0 && whole[5] === idle) release(server);
      });
    });
  await Promise.all(Array.from({ length: size }, connectServer));

  const serve = (socket: Socket) => {
    const client = { socket, unanswered: 0 };
    const take = (): Promise<ServerConnection> => {
      const server = free.shift();
      return server === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(server);
    };
    let held: ServerConnection | null = null;
    let order = Promise.resolve();
    const forward = async (whole: Buffer) => {
      if (held === null || held.client !== client) {
        held = await take();
        held.client = client;
      }
      if (asksForReady.has(whole[0] ?? 0)) client.unanswered += 1;
      held.socket.write(whole);
    };
    eachMessage(socket, (whole) => {
      if (whole[0] !== terminate) order = order.then(() => forward(whole));
    });
    socket.on("close", () => {
      // Its session may be in a transaction, so another one takes its place.
      if (held?.client !== client) return;
      held.socket.destroy();
      void connectServer();
    });
    const parameters = [
      ["server_version", "17.0"],
      ["client_encoding", "UTF8"],
      ["standard_conforming_strings", "on"],
    ];
    socket.write(
      Buffer.concat([
        message("R", int32(0)),
        ...parameters.map((pair) => message("S", ...pair.map(text))),
        message("K", int32(1_000_000_000), int32(1)),
        message("Z", Buffer.from("I")),
      ]),
    );
  };
  const listener = createServer((socket) => {
    track(socket);
    // The start of a client has no type byte; it comes in one piece here.
    socket.once("data", () => serve(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const url = new URL(target);
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
