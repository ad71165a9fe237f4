// One installation under test: a database, one or two server processes, a provider, a client that
// records, and the verdict over all of it. Everything lives in one temporary folder.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { freshDatabase } from "../postgres.ts";
import { check, type Row, type Taken, type Verdict } from "./checker.ts";
import { markerIn, pause } from "./marker.ts";
import { createRecorder, type Recorder, type Sender } from "./recorder.ts";
import { freePort, type Server, startServer } from "./server.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

/** Messages that one gateway may have on the wire at once. */
export const concurrency = 8;
/** So soon does a process count as dead in these runs. */
export const takeoverMs = 2000;

const token = "callback-token";
const gateways = {
  acme: ["hold-a", "hold-b", "resend"],
  beta: ["beta-a"],
} as const;

export const senders: readonly Sender[] = [
  { account: "acme", apiKey: `tl_${"a".repeat(32)}`, gateways: gateways.acme },
  { account: "beta", apiKey: `tl_${"b".repeat(32)}`, gateways: gateways.beta },
];
const allowance = 10_000_000;
export const wire = concurrency * senders.flatMap((sender) => sender.gateways).length;

export const policyOf = (gateway: string): "hold" | "resend" => (gateway === "resend" ? "resend" : "hold");

export interface Installation {
  engine: Engine;
  folder: string;
  dataFolder: string;
  simulator: Simulator;
  recorder: Recorder;
  /** Starts process 0 or 1; `env` adds to the installation's own. */
  start(index?: number, env?: Record<string, string>): Promise<Server>;
  /** Waits until nothing is pending any more and no report is under way; false when that takes too long. */
  drained(base: string, limitMs?: number): Promise<boolean>;
  verdict(base: string, judged: { drained: boolean; unknownAtMost: number | null }): Promise<Verdict>;
  /** The histories of the first few messages that violations name, and what the provider took of them. */
  histories(base: string, violations: readonly string[]): Promise<string[]>;
  /** Ends everything; the folder stays when it is to be looked at. */
  close(keepFolder?: boolean): Promise<void>;
}

let count = 0;

export async function openInstallation(engine: Engine, seed: number): Promise<Installation> {
  count += 1;
  const folder = mkdtempSync(join(tmpdir(), "trunkline-faults-"));
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder, { mode: 0o700 });
  const simulator = await startSimulator(folder);
  const database = engine === "postgres" ? await freshDatabase() : null;
  const ports = [await freePort(), await freePort()];
  const recorder = createRecorder(folder, `${engine.charAt(0)}${seed}x${process.pid}x${count}`);
  const servers: Server[] = [];
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(simulator.url), null, 2));
  simulator.configure({
    seed,
    callbacks: {
      bases: ports.map((port) => `http://127.0.0.1:${port}`).slice(0, engine === "postgres" ? 2 : 1),
      token,
      delayMs: 200,
      early: 0.1,
      twice: 0.2,
    },
  });

  return {
    engine,
    folder,
    dataFolder,
    simulator,
    recorder,
    async start(index = 0, env = {}) {
      const server = await startServer({
        port: ports[index] ?? 0,
        logFile: join(folder, `server-${index}.log`),
        env: {
          TRUNKLINE_DATA_DIR: dataFolder,
          TRUNKLINE_PROVISION: provision,
          TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
          TRUNKLINE_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
          TRUNKLINE_TAKEOVER_MS: String(takeoverMs),
          ...(database === null ? {} : { TRUNKLINE_DATABASE_URL: database.url }),
          ...env,
        },
      });
      servers.push(server);
      return server;
    },
    async drained(base, limitMs = 90_000) {
      const deadline = Date.now() + limitMs;
      for (let calm = 0; calm < 2; ) {
        const reports = (await simulator.stats()).reporting;
        calm = reports === 0 && (await pendingAt(base)) === 0 ? calm + 1 : 0;
        if (calm < 2 && Date.now() > deadline) return false;
        if (calm < 2) await pause(100);
      }
      return true;
    },
    async verdict(base, { drained, unknownAtMost }) {
      const rows: Row[] = [];
      const creditUsed: Record<string, number> = {};
      for (const sender of senders) {
        rows.push(...(await readRows(base, sender)));
        creditUsed[sender.account] = await readCreditUsed(base, sender);
      }
      const verdict = check({
        sent: recorder.sent,
        rows,
        taken: simulator.taken(),
        drained,
        policy: policyOf,
        unknownAtMost,
        reported: simulator.reported(),
        settlesDoubt: (gateway) => gateway === "hold-b",
        creditUsed,
      });
      const { callbacksLost } = await simulator.stats();
      if (callbacksLost > 0)
        verdict.violations.push(`${callbacksLost} reports were refused until the provider gave up`);
      return verdict;
    },
    async histories(base, violations) {
      const ids = new Set(violations.flatMap((line) => /\bmsg_\w+/.exec(line)?.[0] ?? []));
      const lines: string[] = [];
      for (const id of [...ids].slice(0, 3)) {
        for (const sender of senders) lines.push(...(await readHistory(base, sender, id, simulator.taken())));
      }
      return lines;
    },
    async close(keepFolder = false) {
      await Promise.all(servers.map((server) => server.kill()));
      await recorder.close();
      await simulator.stop();
      await database?.drop();
      if (!keepFolder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Two accounts, four gateways: two that hold what is in doubt, one that resends it, one of another account. */
function provisioning(provider: string): object {
  return {
    accounts: senders.map(({ account, apiKey, gateways: identifiers }) => ({
      name: account,
      time_zone: "UTC",
      country: "DE",
      api_key: apiKey,
      plan: { name: "basic", expires_at: null, credit: { sms: allowance, whatsapp: null, email: null } },
      gateways: identifiers.map((identifier, index) => ({
        identifier,
        channel: "sms",
        kind: "http-api",
        default: index === 0,
        active: true,
        on_unknown: policyOf(identifier),
        retry: { first_ms: 100, max_ms: 1000, for_ms: 600_000 },
        pace: { concurrency },
        settings: {
          url: `${provider}/send/${identifier}`,
          body: { to: "{{to}}", text: "{{message}}", id: "{{id}}" },
          success: { status: "2xx", reference: "$.messages[0].id" },
          definite: [503],
          timeout_ms: 3000,
          callback: {
            token,
            reference: "$.id",
            // Only this gateway's reports carry our id, and so settle what is in doubt.
            ...(identifier === "hold-b" ? { id: "$.ours" } : {}),
            status: "$.state",
            delivered: ["DELIVRD"],
          },
        },
      })),
    })),
  };
}

// ---- what the API says ----

interface ApiRecord {
  id: string;
  message: string;
  status: string;
  gateway_identifier: string | null;
  segments: number;
  error: { code: string; message: string } | null;
  provider_reference: string | null;
  /** Only in the record of a single message. */
  events: { at: string; type: string; detail: string | null }[];
}

async function get<T>(base: string, path: string, sender: Sender): Promise<T> {
  const pool = new Pool(base, { connections: 1, headersTimeout: 30_000, bodyTimeout: 30_000 });
  try {
    const answer = await pool.request({ method: "GET", path, headers: { "api-key": sender.apiKey } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  } finally {
    await pool.destroy();
  }
}

/** How many of the pending states still have messages, over all accounts. */
async function pendingAt(base: string): Promise<number> {
  let pending = 0;
  for (const sender of senders) {
    for (const status of ["queued", "scheduled", "sending"]) {
      const path = `/api/get/sms?limit=1&status=${status}`;
      pending += (await get<{ data: unknown[] }>(base, path, sender)).data.length;
    }
  }
  return pending;
}

async function readRows(base: string, sender: Sender): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const from = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: ApiRecord[]; next_cursor: string | null } = await get(
      base,
      `/api/get/sms?limit=200${from}`,
      sender,
    );
    for (const record of page.data) {
      rows.push({
        id: record.id,
        marker: markerIn(record.message),
        account: sender.account,
        gateway: record.gateway_identifier ?? "",
        status: record.status,
        reference: record.provider_reference,
        segments: record.segments,
        error: record.error?.code ?? null,
      });
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}

async function readHistory(
  base: string,
  sender: Sender,
  id: string,
  taken: readonly Taken[],
): Promise<string[]> {
  try {
    const { data } = await get<{ data: ApiRecord }>(base, `/api/get/sms/${id}`, sender);
    const marker = markerIn(data.message);
    return [
      `${id} ${data.status} at ${data.gateway_identifier}, reference ${data.provider_reference}`,
      ...data.events.map(({ at, type, detail }) => `  ${at} ${type}: ${detail}`),
      ...taken
        .filter((entry) => entry.marker === marker)
        .map(
          (entry) =>
            `  ${new Date(entry.at).toISOString()} taken by the provider as ${entry.id} (${entry.answer})`,
        ),
    ];
  } catch {
    return []; // the other account's
  }
}

async function readCreditUsed(base: string, sender: Sender): Promise<number> {
  const { data } = await get<{ data: { credit: { sms: { remaining: number } } } }>(
    base,
    "/api/account",
    sender,
  );
  return allowance - data.credit.sms.remaining;
}
