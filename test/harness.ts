// A whole system for one test: real storage (SQLite in a temporary folder, or PostgreSQL), the real HTTP edge
// through `inject()`, and a runtime whose clock the test moves. Nothing here waits for real time.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { z } from "zod";
import { accountInput, issueApiKey } from "#configure/account.ts";
import { upsertGateway } from "#configure/gateway.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { xorshift32 } from "#runtime/random.ts";
import type { Dns, DnsAnswer, OutboundRequest, OutboundResult, Random } from "#runtime/runtime.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { openSystem, type System, type SystemSettings } from "../src/system.ts";
import { upsertAccount } from "./configure/upsert-account.ts";
import { type Injected, type InjectOptions, inject } from "./inject.ts";
import { memoryLog } from "./log.ts";
import { testPasswordCost } from "./password-cost.ts";
import { eventFault } from "./posted-event.ts";
import { migratedDatabase } from "./postgres.ts";
import { share } from "./runner/share.ts";
import { openCopied } from "./sqlite.ts";

export const engines = ["sqlite", "postgres"] as const;

/**
 * The engines for a file of rules that hold on any: one of them in each run, by the seed, and both where the change touches the
 * store (`runner/share.ts`). The store's own promises are in `store/`, on both.
 */
export const someEngines = (file: string) => share(`engines of ${basename(file)}`, ["src/store/"], engines);
export type EngineName = (typeof engines)[number];

/** Randomness that is the same in every run. */
export function seededRandom(seed = 1): Random {
  const next = xorshift32(seed);
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 255),
    random: () => next() / 2 ** 32,
  };
}

const noRecord = async (): Promise<DnsAnswer> => ({ kind: "none" });

/** A database on which several systems can be opened, one after another or at once. */
export interface Ground {
  engine: EngineName;
  open(): Promise<Database>;
  remove(): Promise<void>;
}

export async function ground(engine: EngineName): Promise<Ground> {
  if (engine === "postgres") {
    const fresh = await migratedDatabase();
    return { engine, open: () => openPostgres({ url: fresh.url }), remove: fresh.drop };
  }
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  return {
    engine,
    open: () => openCopied(join(folder, "trunkline.db")),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type Respond = (request: OutboundRequest) => OutboundResult | Promise<OutboundResult>;

export interface HarnessOptions {
  /** Addresses inside the network that settings may name, as `TRUNKLINE_OUTBOUND_ALLOW`; none unless given. */
  allow?: string;
  engine?: EngineName;
  /** Default: a new one, removed with the harness. */
  ground?: Ground;
  clock?: MovableClock;
  /** What outbound requests meet. Without one, any request is a failure of the test. */
  respond?: Respond;
  /** What DNS says; without it, there is no record of any name. */
  dns?: Dns;
  seed?: number;
  settings?: Partial<SystemSettings>;
  /** A named point at which the process dies, as by `kill -9`, when it first comes to it; `kill()` then clears up. */
  dieAt?: string;
  /** False: nothing is driven until `harness.system.start()`. */
  started?: boolean;
}

export interface Harness {
  system: System;
  clock: MovableClock;
  log: ReturnType<typeof memoryLog>;
  /** Every outbound request so far. */
  requests: OutboundRequest[];
  /** Sets what outbound requests meet from here on. */
  respond(respond: Respond): void;
  /** Makes (or changes) an account, with a new key; the harness speaks for the last one made. */
  account(input?: Partial<z.input<typeof accountInput>>): Promise<{ id: string; key: string }>;
  /** Speaks for this account from here on. */
  as(account: { id: string; key: string }): void;
  /** Makes or changes a gateway of the account. */
  gateway(input: Partial<z.input<typeof gatewayFields>> & { identifier: string }): Promise<string>;
  /** Sends SMS. */
  send(contacts: unknown, headers?: Record<string, string>): Promise<Injected>;
  /** Sends SMS that must be accepted, and returns their ids. */
  accepted(contacts: object[]): Promise<string[]>;
  get(path: string): Promise<Injected>;
  /** `body`: an object is sent as JSON. */
  post(path: string, body?: object | string, headers?: Record<string, string>): Promise<Injected>;
  /** A message by lookup. */
  message(id: string): Promise<MessageRecord>;
  /** From here on every write meets this fault; null: storage is well again. */
  storageFault(fault: StorageFault | null): void;
  /** Moves time, letting everything happen that becomes due on the way. */
  advance(ms: number): Promise<void>;
  /** Lets everything happen that is due now. */
  settle(): Promise<void>;
  /** Ends without grace, as a killed process does: nothing more is stamped or settled. The ground stays. */
  kill(): Promise<void>;
  /** Whether it was killed, or died at its point. */
  dead(): boolean;
  close(): Promise<void>;
}

let made = 0;
/** Calls under way, by clock: systems that share a clock wait for each other's. */
const runningOn = new WeakMap<MovableClock, Set<Promise<unknown>>>();

export async function harness(options: HarnessOptions = {}): Promise<Harness> {
  // Two systems on one ground at the same instant must not make the same ids.
  made += 1;
  const own = options.ground ?? (await ground(options.engine ?? "sqlite"));
  const clock = options.clock ?? movableClock();
  const log = memoryLog();
  const requests: OutboundRequest[] = [];
  /** What is wrong with events that were posted: `close` fails for it. */
  const eventFaults: string[] = [];
  let respond: Respond =
    options.respond ??
    ((request) => {
      throw new Error(`An unexpected outbound request: ${request.method} ${request.url}`);
    });
  const running = runningOn.get(clock) ?? new Set();
  runningOn.set(clock, running);
  let killed = false;
  let fault: StorageFault | null = null;
  let died: () => void = () => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  let closed = false;
  const database = watched(
    await own.open(),
    running,
    () => killed,
    () => fault,
  );
  const guard = createOutbound({ allow: readAllowList(options.allow ?? "") });
  // Providers of the AI half are real servers on this machine.
  const upstreams = createStreamingClient({ allow: readAllowList("127.0.0.0/8") });
  const dialler = createOutbound({ allow: readAllowList("127.0.0.0/8") });
  const system = await openSystem(
    {
      clock,
      random: seededRandom(options.seed ?? made),
      outbound: {
        rejectReason: guard.rejectReason,
        // Mail servers are real ones on this machine.
        dial: (target) => (killed ? new Promise<never>(() => {}) : dialler.dial(target)),
        request: async (request) => {
          if (killed) return await new Promise<never>(() => {});
          requests.push(request);
          const eventProblem = eventFault(request);
          if (eventProblem !== null) eventFaults.push(eventProblem);
          return await respond(request);
        },
        close: guard.close,
      },
      upstreams,
      dns: options.dns ?? { txt: noRecord, addresses: noRecord, mx: noRecord },
      log,
      crashPoint: (name) => {
        if (name !== options.dieAt) return;
        killed = true;
        died();
      },
    },
    {
      masterKey: "a master key that is only used in tests",
      publicUrl: "https://trunkline.test",
      maxContacts: 10_000,
      answerBytes: 16 * 1024 * 1024,
      maxBodyBytes: 33_554_432,
      maxUploadBytes: 134_217_728,
      maxKeylessBodyBytes: 2_097_152,
      maxBodiesBytes: 134_217_728,
      maxConnections: 10_000,
      linkedDevices: { inAll: 20, ofAccount: 5 },
      trustedProxies: [],
      metricsToken: null,
      outboundAllow: [],
      logRequests: false,
      logSuccessEvery: 1,
      dashboardFolder: null,
      showApiKeys: true,
      passwordCost: testPasswordCost,
      takeoverMs: 45_000,
      // Rare, so that days of test time do not mean thousands of beats; what changes in this process is seen at once.
      heartbeatMs: 3_600_000,
      pollMs: 3_600_000,
      maintenanceMs: 3_600_000,
      retention: {
        messagesMs: null,
        webhooksMs: 30 * 86_400_000,
        auditMs: null,
        usageMs: 90 * 86_400_000,
        deferredMs: 7 * 86_400_000,
      },
      ...options.settings,
    },
    database,
  );
  const idle = async () => {
    for (let quiet = 0; quiet < 2; quiet++) {
      while (running.size > 0) {
        quiet = 0;
        await Promise.allSettled(running);
      }
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  clock.settleWith(idle);
  // A start may find work on which the process dies at once.
  if (options.started !== false) await Promise.race([system.start(), death]);

  let account = { id: "", key: "" };
  const ask = (request: InjectOptions): Promise<Injected> => inject(system.app, request);
  const it: Harness = {
    system,
    clock,
    log,
    requests,
    respond: (next) => {
      respond = next;
    },
    account: async (input = {}) => {
      const id = await upsertAccount(system.core, accountInput.parse({ name: "acme", ...input }));
      account = { id, key: await issueApiKey(system.core, id) };
      return account;
    },
    as: (other) => {
      account = other;
    },
    gateway: async (input) => {
      const parsed = gatewayFields.parse({ channel: "sms", kind: "sandbox", ...input });
      const result = await upsertGateway(system.core, account.id, parsed);
      if (result.kind === "invalid") throw new Error(JSON.stringify(result.issues));
      await idle();
      return result.id;
    },
    send: (contacts, headers = {}) =>
      ask({
        method: "POST",
        url: "/api/sms/send",
        headers: { "api-key": account.key, ...headers },
        payload: { contact: contacts } as object,
      }),
    accepted: async (contacts) => {
      const reply = await it.send(contacts);
      if (reply.statusCode !== 200) throw new Error(`Not accepted: ${reply.statusCode} ${reply.body}`);
      return reply.json().data.contact.map((contact: { id: string }) => contact.id);
    },
    get: (url) => ask({ method: "GET", url, headers: { "api-key": account.key } }),
    post: (url, payload = {}, headers = {}) =>
      ask({ method: "POST", url, headers: { "api-key": account.key, ...headers }, payload }),
    message: async (id) => {
      const reply = await it.get(`/api/get/sms/${id}`);
      if (reply.statusCode !== 200) throw new Error(`No message ${id}: ${reply.statusCode} ${reply.body}`);
      return reply.json().data;
    },
    storageFault: (next) => {
      fault = next;
    },
    advance: (ms) => clock.advance(ms),
    settle: () => clock.settle(),
    kill: async () => {
      killed = true;
      if (closed) return;
      closed = true;
      await system.app.close();
      await database.close();
    },
    dead: () => killed,
    close: async () => {
      if (killed) await it.kill();
      if (!closed) {
        closed = true;
        const stopping = system.stop();
        await Promise.race([stopping, clock.advance(60_000)]);
        await stopping;
      }
      if (!options.ground) await own.remove();
      if (eventFaults.length > 0) throw new Error(eventFaults.join("\n"));
    },
  };
  return it;
}

/** Knows which calls are running, so that the clock can wait for them; a killed one's calls never come back. */
function watched(
  database: Database,
  running: Set<Promise<unknown>>,
  killed: () => boolean,
  fault: () => StorageFault | null,
): Database {
  return {
    ...database,
    run: (operation, input) => {
      if (killed()) return new Promise<never>(() => {});
      const broken = operation.access === "write" ? fault() : null;
      if (broken !== null) return Promise.reject(new StorageError(broken, `${operation.name}: ${broken}`));
      const call = database.run(operation, input);
      running.add(call);
      const done = () => running.delete(call);
      call.then(done, done);
      return call;
    },
  };
}
