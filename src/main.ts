// The command line: `serve` (default) runs the service, `key ACCOUNT` gives an account a new API key.

import { join } from "node:path";
import type { ProvisionFile } from "#provision/file.ts";
import { type AllowList, readAllowList } from "#runtime/address.ts";
import { systemRandom } from "#runtime/random.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";
import { openPostgres } from "#store/postgres/postgres.ts";
import { readOrMakeMasterKey } from "#store/seal.ts";
import { openSqlite } from "#store/sqlite/sqlite.ts";
import { type Config, environment, readConfig } from "./config.ts";
import { openSystem, type SystemSettings } from "./system.ts";

/** Several beats fit into the takeover time, so that one late beat costs nobody a lane. */
const longestBeatMs = 5_000;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Faults in the operator's hands: named one by one, then the end. */
function fail(faults: readonly string[]): never {
  process.stderr.write(`${faults.map((fault) => `trunkline: ${fault}`).join("\n")}\n`);
  process.exit(1);
}

async function open(config: Config) {
  let allow: AllowList;
  try {
    allow = readAllowList(config.OUTBOUND_ALLOW);
  } catch (error) {
    fail([`TRUNKLINE_OUTBOUND_ALLOW: ${(error as Error).message}`]);
  }
  const settings: SystemSettings = {
    masterKey: config.MASTER_KEY ?? readOrMakeMasterKey(join(config.DATA_DIR, "master.key"), systemRandom()),
    publicUrl: config.PUBLIC_URL ?? null,
    maxContacts: config.MAX_CONTACTS,
    maxBodyBytes: config.MAX_BODY_BYTES,
    trustedProxies: config.TRUSTED_PROXIES,
    metricsToken: config.METRICS_TOKEN ?? null,
    showApiKeys: config.SHOW_API_KEYS,
    takeoverMs: config.TAKEOVER_MS,
    beatMs: Math.min(longestBeatMs, config.TAKEOVER_MS / 4),
    // In one process acceptance wakes the lanes itself.
    pollMs: config.DATABASE_URL ? 1_000 : 60_000,
  };
  const runtime = systemRuntime({
    logLevel: config.LOG_LEVEL,
    outboundAllow: allow,
    ...(config.CRASH_AT === undefined ? {} : { crashAt: config.CRASH_AT }),
  });
  const crashAt = config.CRASH_AT ?? null;
  const database = config.DATABASE_URL
    ? await openPostgres({ url: config.DATABASE_URL })
    : await openSqlite({ path: join(config.DATA_DIR, "trunkline.db"), crashAt });
  return { runtime, system: await openSystem(runtime, settings, database) };
}

/** Runs the service until a signal stops it. */
async function serve(config: Config): Promise<void> {
  const provision = config.PROVISION === undefined ? null : await readProvision(config.PROVISION);
  const { runtime, system } = await open(config);
  if (provision) {
    const { faults, madeKeys } = await system.provision(provision);
    if (faults.length > 0) {
      await system.stop();
      fail(faults);
    }
    for (const { account, key } of madeKeys) print(`API key of account ${account} (shown once): ${key}`);
  }
  let address: string;
  try {
    address = await system.app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await system.stop();
    const inUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw inUse ? new Error(`Port ${config.PORT} is in use. TRUNKLINE_PORT names another one.`) : error;
  }
  // After listening, so that a key is never made and then lost to a port in use.
  const firstKey = await system.makeDefaultAccount();
  await system.start();
  runtime.log.info({}, `listening on ${address}`);
  if (firstKey !== null) print(welcome(config.PUBLIC_URL ?? address, firstKey));

  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal means now.
    if (stopping) process.exit(1);
    stopping = true;
    runtime.log.info({ signal }, "stopping; what is on the wire gets 30 s");
    await system.stop();
    runtime.log.info({}, "stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
}

async function readProvision(path: string): Promise<ProvisionFile> {
  // Only who has a file needs its parser.
  const { readProvisionFile } = await import("#provision/file.ts");
  const read = readProvisionFile(path, environment);
  if ("faults" in read) fail(read.faults);
  return read.file;
}

function welcome(url: string, key: string): string {
  return `
  Trunkline is running. It made an account ("default") with a sandbox gateway on every channel.
  Its API key, shown this once:

    ${key}

  Send your first SMS (the sandbox delivers it to nobody, but takes it through its whole life):

    curl ${url}/api/sms/send -H 'Api-key: ${key}' -H 'Content-Type: application/json' \\
      -d '{"contact":[{"number":"+15550000001","message":"Hello from Trunkline"}]}'

  and look what became of it:

    curl ${url}/api/get/sms -H 'Api-key: ${key}'

  The API is described at ${url}/docs
`;
}

/** Gives an account a new API key and prints it. */
async function renewKey(config: Config, account: string): Promise<void> {
  const { system } = await open({ ...config, LOG_LEVEL: "warn" });
  const key = await system.renewKey(account);
  await system.app.close();
  await system.database.close();
  if (key === null) fail([`There is no account called ${account}.`]);
  print(`New API key of account ${account} (shown once): ${key}`);
}

const usage = `Usage: npm start                  run the service
       npm start -- key ACCOUNT   give an account a new API key (on SQLite: while the service is stopped)
Settings come from TRUNKLINE_ variables; see docs/reference/configuration.md.
`;

const [command = "serve", ...rest] = process.argv.slice(2);
const read = readConfig();
if ("faults" in read) fail(read.faults);
try {
  if (command === "serve" && rest.length === 0) await serve(read.config);
  else if (command === "key" && rest.length === 1) await renewKey(read.config, rest[0]!);
  else {
    process.stdout.write(usage);
    process.exit(command === "help" || command === "--help" ? 0 : 2);
  }
} catch (error) {
  fail([error instanceof Error ? error.message : String(error)]);
}
