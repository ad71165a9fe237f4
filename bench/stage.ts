// What every measurement uses: an installation with the real server, the load client and the instant
// provider, each in its own process, and the facts of the machine.

import { fork, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { freePort, type Server, startServer } from "../test/faults/server.ts";
import { freshDatabase } from "../test/postgres.ts";
import type { Job, JobResult } from "./job.ts";
import type { Arrivals } from "./provider.ts";

export type Engine = "sqlite" | "postgres";

export const apiKey = `tl_${"c".repeat(32)}`;
export const operatorToken = `tlm_${"o".repeat(40)}`;
/** Outside its hours: what is accepted for it waits. */
export const heldGateway = "bench-held";
/** A lane has one owner, so several processes need several lanes to share work. */
export const gateways = ["bench-a", "bench-b", "bench-c", "bench-d"];

/** `--unpinned`: server and peers share both cores instead of having one each. */
export const pinned =
  !process.argv.includes("--unpinned") &&
  process.platform === "linux" &&
  spawnSync("taskset", ["-V"]).status === 0 &&
  cpus().length > 1;

/** A job as measures give it. */
export type Order = Omit<Job, "host" | "port" | "apiKey">;

export interface Stage {
  folder: string;
  /** Starts one more server process of the installation. */
  start(options?: { pin?: boolean; env?: Record<string, string> }): Promise<Server>;
  run(server: Pick<Server, "base">, job: Order): Promise<JobResult>;
  provider: {
    base: string;
    configure(settings: { open?: boolean; expect?: number }): void;
    arrivals(): Promise<Arrivals>;
  };
  /** A second, independent load client, for measuring beside the first. */
  probe(server: Server, job: Order): Promise<JobResult>;
  close(): Promise<void>;
}

export interface Peer {
  pid: number;
  port: number;
  send(message: object): void;
  ask<T>(message: object): Promise<T>;
  stop(): void;
}

/**
 * A process of ours: `name` is a file of this folder that announces itself over IPC. Pinned, peers share the second
 * core, unless one is measured itself.
 */
export function startPeer(name: string, core: "0" | "1" = "1"): Promise<Peer> {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), [], {
    execArgv: [],
    serialization: "advanced",
  });
  const asked = new Map<number, (result: unknown) => void>();
  let asking = 0;
  if (pinned) spawnSync("taskset", ["-a", "-p", "-c", core, String(child.pid)]);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended (${code})`)));
    child.on("message", (message: { ready?: boolean; port?: number; answer?: number; result?: unknown }) => {
      if (message.answer !== undefined) asked.get(message.answer)?.(message.result);
      if (!message.ready) return;
      resolve({
        pid: child.pid ?? 0,
        port: message.port ?? 0,
        send: (order) => void child.send(order),
        ask: <T>(order: object) =>
          new Promise<T>((answered) => {
            asking += 1;
            asked.set(asking, (result) => answered(result as T));
            child.send({ ...order, ask: asking });
          }),
        stop: () => child.disconnect(),
      });
    });
  });
}

/** `accounts`: what the installation has, for the provider at this address. */
export async function openStage(
  engine: Engine,
  accounts: (provider: string) => object[] = defaultAccounts,
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder, { mode: 0o700 });
  const [client, second, provider] = await Promise.all([
    startPeer("./load-client.ts"),
    startPeer("./load-client.ts"),
    startPeer("./provider.ts"),
  ]);
  const database = engine === "postgres" ? await freshDatabase() : null;
  const provision = join(folder, "provision.json");
  const management_tokens = [{ name: "bench", token: operatorToken, role: "operator" }];
  const made = { management_tokens, accounts: accounts(`http://127.0.0.1:${provider.port}`) };
  writeFileSync(provision, JSON.stringify(made));
  const servers: Server[] = [];
  const jobOn = (peer: Peer) => (server: Pick<Server, "base">, job: Order) => {
    const { hostname, port } = new URL(server.base);
    return peer.ask<JobResult>({ job: { ...job, host: hostname, port: Number(port), apiKey } });
  };
  return {
    folder,
    async start({ pin = true, env = {} } = {}) {
      const server = await startServer({
        port: await freePort(),
        logFile: join(folder, "server.log"),
        ownCache: true,
        ...(pin && pinned ? { cpus: "0" } : {}),
        env: {
          TRUNKLINE_DATA_DIR: dataFolder,
          TRUNKLINE_PROVISION: provision,
          TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
          TRUNKLINE_MAX_CONTACTS: "100000",
          TRUNKLINE_LOG_LEVEL: "info",
          ...(database === null ? {} : { TRUNKLINE_DATABASE_URL: database.url }),
          ...env,
        },
      });
      servers.push(server);
      return server;
    },
    run: jobOn(client),
    probe: jobOn(second),
    provider: {
      base: `http://127.0.0.1:${provider.port}`,
      configure: (settings) => provider.send(settings),
      arrivals: () => provider.ask<Arrivals>({}),
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      for (const peer of [client, second, provider]) peer.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A minute of the day (UTC) that is twelve hours away. */
export function otherHalfOfTheDay(): string {
  const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, "0");
  return `${hour}:00-${hour}:01`;
}

/** An allowance, so that credit is reserved and counted as in a real installation. */
const plan = {
  name: "bench",
  expires_at: null,
  credit: { sms: 1_000_000_000, whatsapp: null, email: null },
};

/** The account that `apiKey` belongs to. */
export function account(gateways: readonly object[]): object {
  return { name: "bench", time_zone: "UTC", country: "DE", api_key: apiKey, plan, gateways };
}

/** A gateway that speaks to the counting provider. */
export function providerGateway(
  provider: string,
  identifier: string,
  more: { default?: boolean; hours?: string; callback?: object } = {},
): object {
  const { hours, callback } = more;
  return {
    identifier,
    channel: "sms",
    kind: "http-api",
    default: more.default ?? false,
    active: true,
    pace: { concurrency: 64, ...(hours === undefined ? {} : { hours }) },
    settings: {
      url: `${provider}/send`,
      body: { to: "{{to}}", text: "{{message}}", id: "{{id}}" },
      success: { status: "2xx", reference: "$.messages[0].id" },
      ...(callback === undefined ? {} : { callback }),
    },
  };
}

function defaultAccounts(provider: string): object[] {
  const driven = gateways.map((identifier, index) =>
    providerGateway(provider, identifier, { default: index === 0 }),
  );
  const held = providerGateway(provider, heldGateway, { hours: otherHalfOfTheDay() });
  return [account([...driven, held])];
}

/** A number from `/metrics` (no labels); null when the server does not show it. */
export async function metric(server: Server, name: string): Promise<number | null> {
  const answer = await request(`${server.base}/metrics`);
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+-]+)`, "m").exec(await answer.body.text())?.[1];
  return value === undefined ? null : Number(value);
}

export function machineFacts(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const pins = pinned ? "server on core 0, load client and provider on core 1" : "not pinned";
  return [
    `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB,`,
    `${process.platform} ${release()}, Node ${process.versions.node}; ${pins}; ${new Date().toISOString().slice(0, 10)}`,
  ].join(" ");
}
