// The configured installation: its files, its database, and the whole system on top of it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Config } from "#config.ts";
import { readListPrices } from "#providers/prices/list-price.ts";
import { type AllowList, readAllowList } from "#runtime/net/address.ts";
import { installation } from "#runtime/program.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Runtime } from "#runtime/runtime.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";
import { openTracing } from "#runtime/tracing/open-tracing.ts";
import type { TraceSettings } from "#runtime/tracing/tracing.ts";
import type { StorageError } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { createSealer, readOrCreateMasterKey } from "#store/seal.ts";
import { openSystem, type SystemSettings } from "#system.ts";
import { configuredKey, databaseFile, masterKeyFile } from "./settings.ts";

/** Several heartbeats fit into the takeover time, so that one late heartbeat loses no lane. */
const maxHeartbeatMs = 5_000;

/** This many bodies of the largest size may be in memory at once, unless the operator sets another limit. */
const defaultConcurrentBodies = 4;

function fingerprintOf(config: Config): string | null {
  const key = configuredKey(config);
  return key === null ? null : createSealer(key, systemRandom()).fingerprint;
}

/** Time that requests in flight have to finish, ms. */
const lastAnswersMs = 250;

/** A dead thread is an outage that a restart ends, as after `kill -9`, from which everything recovers. */
function endProcess({ clock, log }: Pick<Runtime, "clock" | "log">, error: StorageError): void {
  log.error(
    { event: "storage.thread_died", err: error },
    "A thread of the database has died. The process ends.",
  );
  void clock.sleep(lastAnswersMs).then(() => process.exit(1));
}

export const openDatabase = (config: Config, runtime: Pick<Runtime, "clock" | "log">) =>
  config.DATABASE_URL
    ? openPostgres({
        url: config.DATABASE_URL,
        schema: config.DATABASE_SCHEMA,
        keyFingerprint: fingerprintOf(config),
        connections: config.POSTGRES_CONNECTIONS,
        clock: runtime.clock,
        ...(config.DATABASE_LISTEN_URL === undefined ? {} : { listenUrl: config.DATABASE_LISTEN_URL }),
        notice: (event, sentence) => {
          const level = event === "waiting" || event === "silent" ? "warn" : "info";
          runtime.log[level]({ event: `storage.${event}` }, sentence);
        },
      })
    : openSqlite({
        path: databaseFile(config),
        crashAt: config.CRASH_AT ?? null,
        onDeath: (error) => endProcess(runtime, error),
      });

const dayMs = 86_400_000;
const inMs = (days: number | undefined) => (days === undefined ? null : days * dayMs);

/** What the settings say about the system. Reads the files of the master key and of the prices. */
export function systemSettings(
  config: Config,
  allow: AllowList = readAllowList(config.OUTBOUND_ALLOW),
): SystemSettings {
  return {
    masterKey: config.MASTER_KEY ?? readOrCreateMasterKey(masterKeyFile(config), systemRandom()),
    publicUrl: config.PUBLIC_URL ?? null,
    maxContacts: config.MAX_CONTACTS,
    answerBytes: config.MAX_ANSWER_BYTES,
    listPrices: config.PRICES === undefined ? undefined : readListPrices(readFileSync(config.PRICES, "utf8")),
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxUploadBytes: config.MAX_UPLOAD_BYTES,
    maxKeylessBodyBytes: config.MAX_KEYLESS_BODY_BYTES,
    maxBodiesBytes: config.MAX_BODIES_BYTES ?? defaultConcurrentBodies * config.MAX_BODY_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
    linkedDevices: { inAll: config.LINKED_DEVICES, ofAccount: config.LINKED_DEVICES_PER_ACCOUNT },
    trustedProxies: config.TRUSTED_PROXIES,
    metricsToken: config.METRICS_TOKEN ?? null,
    outboundAllow: allow.map(({ text }) => text),
    logRequests: config.LOG_REQUESTS > 0,
    logSuccessEvery: config.LOG_REQUESTS,
    dashboardFolder: config.DASHBOARD ? fileURLToPath(new URL("ui/dist", installation)) : null,
    showApiKeys: config.SHOW_API_KEYS,
    takeoverMs: config.TAKEOVER_MS,
    heartbeatMs: Math.min(maxHeartbeatMs, config.TAKEOVER_MS / 4),
    // In one process acceptance wakes the lanes itself.
    pollMs: config.DATABASE_URL ? 1_000 : 60_000,
    maintenanceMs: 60_000,
    retention: {
      messagesMs: inMs(config.KEEP_MESSAGES_DAYS),
      webhooksMs: config.KEEP_WEBHOOK_DAYS * dayMs,
      auditMs: inMs(config.KEEP_AUDIT_DAYS),
      usageMs: config.KEEP_USAGE_DAYS * dayMs,
      deferredMs: config.KEEP_DEFERRED_DAYS * dayMs,
    },
  };
}

/** The system over its database, not started. `traces`: where spans of AI calls are sent; null for nowhere. */
export async function openInstallation(config: Config, traces: TraceSettings | null = null) {
  const allow = readAllowList(config.OUTBOUND_ALLOW);
  const settings = systemSettings(config, allow);
  const runtime = systemRuntime({
    logLevel: config.LOG_LEVEL,
    logText: config.LOG_FORMAT === "text" || (config.LOG_FORMAT === "auto" && process.stdout.isTTY),
    outboundAllow: allow,
    ...(config.CRASH_AT === undefined ? {} : { crashAt: config.CRASH_AT }),
  });
  const tracing = traces === null ? null : await openTracing(traces, runtime);
  const database = await openDatabase(config, runtime);
  return { runtime, system: await openSystem(runtime, { ...settings, tracing }, database) };
}
