// The stage of every attack: the real service as a process of its own on a free loopback port, its peers in another
// one, the well-behaved client in a third; the attacker is the process that runs the attacks.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseLink, databaseLink } from "../faults/database-link.ts";
import { freePort, type Server, startServer } from "../faults/server.ts";
import { freshDatabase } from "../postgres.ts";
import { peerAddress, proxyAddress } from "./addresses.ts";
import { type Asked, askAt, jsonOf, type Reply } from "./ask.ts";
import { bearer, provisioning, secrets } from "./installation.ts";
import { type Line, openLine } from "./line.ts";
import { type PeerProcess, startPeerProcess } from "./peer-process.ts";
import type { PeersReady, PeersSeen } from "./peers-process.ts";

export interface Stage {
  engine: "sqlite" | "postgres";
  server: Server;
  base: string;
  bouncePort: number;
  /** Where mails are submitted by SMTP. */
  submissionPort: number;
  peers: PeersReady & { address: string; base: string };
  /** The wire to PostgreSQL. */
  link: DatabaseLink | null;
  ours: { id: string };
  theirs: { id: string };
  ask(asked: Asked): Promise<Reply>;
  /** As the operator's program, below `/api/manage/v1`; the JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
  manage(method: string, path: string, body?: object): Promise<any>;
  /** A connection to the service; null when it takes none. */
  line(from?: string): Promise<Line | null>;
  seenByPeers(): Promise<PeersSeen>;
  /** How the process ended; null while it lives. */
  ended(): string | null;
  close(): Promise<void>;
}

export async function openStage(
  engine: "sqlite" | "postgres",
  env: Record<string, string> = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-attacks-"));
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const running: PeerProcess<PeersReady> = await startPeerProcess("./peers-process.ts");
  const peers = {
    ...running.ready,
    address: peerAddress,
    base: `http://${peerAddress}:${running.ready.httpPort}`,
  };
  const database = engine === "postgres" ? await freshDatabase() : null;
  const link = database === null ? null : await databaseLink(database.url);
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(peers)));
  const bouncePort = await freePort();
  const submissionPort = await freePort();
  const server = await startServer({
    port: await freePort(),
    logFile: join(folder, "server.log"),
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: `${peerAddress}/32`,
      TRUNKLINE_PUBLIC_URL: "http://trunkline.test",
      TRUNKLINE_TRUSTED_PROXIES: proxyAddress,
      TRUNKLINE_BOUNCE_SMTP_PORT: String(bouncePort),
      TRUNKLINE_SMTP_PORT: String(submissionPort),
      ...(link === null ? {} : { TRUNKLINE_DATABASE_URL: link.url }),
      ...env,
    },
  });
  let ended: string | null = null;
  void server.ended.then(({ code, signal }) => {
    ended = signal ?? `exit ${code}`;
  });
  const { base } = server;
  const ask = (asked: Asked) => askAt(base, asked);
  const stage: Stage = {
    engine,
    server,
    base,
    bouncePort,
    submissionPort,
    peers,
    link,
    ours: { id: "" },
    theirs: { id: "" },
    ask,
    manage: async (method, path, body) => {
      const reply = await ask({
        method,
        path: `/api/manage/v1${path}`,
        headers: bearer(secrets.operator),
        ...(body === undefined ? {} : { body }),
      });
      if (![200, 201].includes(reply.status))
        throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
      return jsonOf(reply);
    },
    line: (from) => openLine(base, from),
    seenByPeers: () => running.ask<PeersSeen>("seen"),
    ended: () => ended,
    close: async () => {
      await server.kill();
      await running.close();
      await link?.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const accounts = (await stage.manage("GET", "/accounts")).data as { id: string; name: string }[];
  for (const { id, name } of accounts) if (name === "ours" || name === "theirs") stage[name].id = id;
  return stage;
}
