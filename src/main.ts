// The command line: `serve` (default) runs the service; the others do one thing and end. See `usage`.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createSignals } from "#core/signals.ts";
import { audit, commandLine } from "#identity/audit.ts";
import { holdAllPending, releaseAllHeld } from "#maintenance/restore-hold.ts";
import type { BounceMail } from "#messaging/feedback/bounce-mail.ts";
import type { ProvisionFile } from "#provision/file.ts";
import { createIds } from "#runtime/ids.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { openSmtpListener, type SmtpListener } from "#runtime/net/smtp-listener.ts";
import { commandWords, version } from "#runtime/program.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Runtime } from "#runtime/runtime.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { backupSqlite } from "#store/engine/sqlite/backup.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import type { RestoreHold } from "#store/maintenance/restore-hold.ts";
import { createSealer, readOrCreateMasterKey } from "#store/seal.ts";
import { type Config, environment, readConfig } from "./config.ts";
import { openSystem, type SystemSettings } from "./system.ts";

/** Several heartbeats fit into the takeover time, so that one late heartbeat loses no lane. */
const maxHeartbeatMs = 5_000;

/** So many bodies of the largest size may be in memory at once, unless the operator says otherwise. */
const defaultConcurrentBodies = 4;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Errors in the operator's hands: named one by one, then the end. */
function fail(errors: readonly string[]): never {
  process.stderr.write(`${errors.map((error) => `trunkline: ${error}`).join("\n")}\n`);
  process.exit(1);
}

const masterKeyFile = (config: Config) => join(config.DATA_DIR, "master.key");
const databaseFile = (config: Config) => join(config.DATA_DIR, "trunkline.db");

const openDatabase = (config: Config, { clock, log }: Pick<Runtime, "clock" | "log">) =>
  config.DATABASE_URL
    ? openPostgres({
        url: config.DATABASE_URL,
        connections: config.POSTGRES_CONNECTIONS,
        clock,
        onWait: (sentence) => log.warn({ event: "storage.waiting" }, sentence),
      })
    : openSqlite({ path: databaseFile(config), crashAt: config.CRASH_AT ?? null });

const dayMs = 86_400_000;
const inMs = (days: number | undefined) => (days === undefined ? null : days * dayMs);

function allowListProblem(text: string): string | null {
  try {
    readAllowList(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function open(config: Config) {
  const allow = readAllowList(config.OUTBOUND_ALLOW);
  const settings: SystemSettings = {
    masterKey: config.MASTER_KEY ?? readOrCreateMasterKey(masterKeyFile(config), systemRandom()),
    publicUrl: config.PUBLIC_URL ?? null,
    maxContacts: config.MAX_CONTACTS,
    answerBytes: config.MAX_ANSWER_BYTES,
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxUploadBytes: config.MAX_UPLOAD_BYTES,
    maxKeylessBodyBytes: config.MAX_KEYLESS_BODY_BYTES,
    maxBodiesBytes: config.MAX_BODIES_BYTES ?? defaultConcurrentBodies * config.MAX_BODY_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
    linkedDevices: { inAll: config.LINKED_DEVICES, ofAccount: config.LINKED_DEVICES_PER_ACCOUNT },
    trustedProxies: config.TRUSTED_PROXIES,
    metricsToken: config.METRICS_TOKEN ?? null,
    outboundAllow: config.OUTBOUND_ALLOW.split(",")
      .map((block) => block.trim())
      .filter((block) => block !== ""),
    dashboardFolder: config.DASHBOARD ? join(import.meta.dirname, "../ui/dist") : null,
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
  const runtime = systemRuntime({
    logLevel: config.LOG_LEVEL,
    outboundAllow: allow,
    ...(config.CRASH_AT === undefined ? {} : { crashAt: config.CRASH_AT }),
  });
  return { runtime, system: await openSystem(runtime, settings, await openDatabase(config, runtime)) };
}

/** Runs the service until a signal stops it. */
async function serve(config: Config): Promise<void> {
  const provision = config.PROVISION === undefined ? null : await readProvision(config.PROVISION);
  const { runtime, system } = await open(config);
  if (provision) {
    const { errors, made } = await system.provision(provision);
    if (errors.length > 0) {
      await system.stop();
      fail(errors);
    }
    for (const { what, secret } of made) print(`${what} (shown once): ${secret}`);
  }
  let address: string;
  try {
    address = await system.app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await system.stop();
    const inUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw inUse ? new Error(`Port ${config.PORT} is in use. TRUNKLINE_PORT names another one.`) : error;
  }
  let mailPort: SmtpListener | null;
  try {
    mailPort = await openBouncePort(config, runtime, system.bounceMail);
  } catch (error) {
    await system.stop();
    throw new Error(`The port of TRUNKLINE_BOUNCE_SMTP_PORT cannot be had: ${(error as Error).message}`);
  }
  // After listening, so that a key is never made and then lost to a port in use.
  const first = await system.createDefaultAccount();
  const firstCode = first === null ? null : await system.createSetupCode();
  await system.start();
  runtime.log.info(
    { event: "process.listening", address },
    `Trunkline is listening on ${address} for HTTP requests.`,
  );
  const url = config.PUBLIC_URL ?? address;
  if (first !== null && firstCode !== null) print(welcome(url, first, setupLink(url, firstCode)));

  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal means now.
    if (stopping) process.exit(1);
    stopping = true;
    runtime.log.info(
      { event: "process.stopping", signal },
      "The process is stopping; what is under way gets 30 s.",
    );
    await mailPort?.close();
    await system.stop();
    runtime.log.info({ event: "process.stopped" }, "The process has stopped.");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
}

/** Listens for bounces beside HTTP, if it is to. */
async function openBouncePort(
  config: Config,
  { clock, log }: Runtime,
  returned: BounceMail,
): Promise<SmtpListener | null> {
  if (config.BOUNCE_SMTP_PORT === undefined) return null;
  const port = await openSmtpListener({
    host: config.HOST,
    port: config.BOUNCE_SMTP_PORT,
    clock,
    log,
    ...returned,
  });
  log.info({ event: "bounce_mail.listening", port: port.port }, "The port for bounces is open.");
  return port;
}

async function readProvision(path: string): Promise<ProvisionFile> {
  // Only who has a file needs its parser.
  const { readProvisionFile } = await import("#provision/file.ts");
  const read = readProvisionFile(path, environment);
  if ("errors" in read) fail(read.errors);
  return read.file;
}

/** The code behind the `#` reaches the page and no server. */
const setupLink = (url: string, code: string) => `${url}/setup#${code}`;

function welcome(url: string, keys: { apiKey: string; poolKey: string }, link: string): string {
  const { apiKey: key, poolKey } = keys;
  return `
  Trunkline is running. Open this link to become its operator (once, within 24 hours):

    ${link}

  It made an account ("default") with a sandbox gateway on every channel and a sandbox
  pool of AI models. Its keys, shown this once:

    ${key}     for messages
    ${poolKey}    for the AI gateway

  Send your first SMS (the sandbox sends nothing, but takes the message through its whole life):

    curl ${url}/api/sms/send -H 'Api-key: ${key}' -H 'Content-Type: application/json' \\
      -d '{"contact":[{"number":"+15550000001","message":"Hello from Trunkline"}]}'

  and look what became of it:

    curl ${url}/api/get/sms -H 'Api-key: ${key}'

  Ask the AI gateway something (the sandbox only echoes; any OpenAI client works with base URL ${url}/api/ai/v1):

    curl ${url}/api/ai/v1/chat/completions -H 'Authorization: Bearer ${poolKey}' \\
      -H 'Content-Type: application/json' -d '{"messages":[{"role":"user","content":"Hello"}]}'

  The API is described at ${url}/docs
`;
}

/** Makes a link that makes an operator; with an e-mail address, for that one alone, who may be one already. */
async function makeSetupLink(config: Config, email: string | null): Promise<void> {
  const { system } = await open({ ...config, LOG_LEVEL: "warn" });
  const code = await system.createSetupCode(email ?? undefined);
  await system.app.close();
  await system.database.close();
  const host = config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST;
  const url = config.PUBLIC_URL ?? `http://${host}:${config.PORT}`;
  print(
    `${email ?? "The person who opens the link"} can become an operator here, once, within 24 hours:\n\n  ${setupLink(url, code)}`,
  );
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

/** Copies a SQLite installation, running or not, to a file; with `keyFile` the master key to another. */
async function backup(config: Config, file: string, keyFile: string | null): Promise<void> {
  if (config.DATABASE_URL)
    fail([
      `This is for SQLite. Back PostgreSQL up with pg_dump, and before the first start on a restored database run: ${commandWords("hold")}`,
    ]);
  if (!existsSync(databaseFile(config)))
    fail([
      `There is no database at ${databaseFile(config)}. TRUNKLINE_DATA_DIR names the installation's folder.`,
    ]);
  let key: string | null = null;
  if (keyFile !== null) {
    if (existsSync(keyFile)) fail([`${keyFile} exists already. A backup overwrites nothing.`]);
    key = config.MASTER_KEY ?? readFileSync(masterKeyFile(config), "utf8").trim();
  }
  const runtime = systemRuntime({ logLevel: "warn", outboundAllow: [] });
  const copy = await backupSqlite({
    path: databaseFile(config),
    file,
    at: runtime.clock.now(),
    tag: Buffer.from(systemRandom().bytes(8)).toString("hex"),
  });
  print(`${file}: ${copy.messages} messages, ${copy.bytes} bytes, checked.`);
  print(`Held in it until you release it: ${heldText(copy.held)}.`);
  if (keyFile !== null && key !== null) {
    const fingerprint = copy.masterKey;
    if (fingerprint !== null && fingerprint !== createSealer(key, systemRandom()).fingerprint)
      fail(["The copy is good, but this master key is not the one that its database was sealed with."]);
    writeSecret(keyFile, key);
    print(`${keyFile}: the master key. Both files together open everything; keep them apart.`);
  } else {
    print("The master key is not in it. Without it the copy does not start: keep a copy of that apart.");
  }
  print(`
To restore: put the file as trunkline.db into an empty data folder, with the master key as master.key
beside it (or in TRUNKLINE_MASTER_KEY), and start. New sends go out at once; what was pending in the copy
waits for: ${commandWords("release")} (while the service is stopped), or the management API.
docs/operations.md says more.`);
}

function writeSecret(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function heldText(held: RestoreHold | null): string {
  if (held === null) return "nothing, for nothing was pending";
  return `${held.messages} messages, ${held.deliveries} webhook deliveries, ${held.events} events`;
}

/** Holds what is pending in a stopped installation, or lets it go. */
async function changeHold(config: Config, change: "hold" | "release"): Promise<void> {
  // Opening would make one.
  if (!config.DATABASE_URL && !existsSync(databaseFile(config)))
    fail([`There is no database at ${databaseFile(config)}.`]);
  const { clock, log } = systemRuntime({ logLevel: "warn", outboundAllow: [] });
  const database = await openDatabase(config, { clock, log });
  try {
    const action = change === "hold" ? "holdInstallation" : "releaseHeldMessages";
    const newId = createIds(clock, systemRandom());
    await audit({ database, clock, newId }, { actor: commandLine, action });
    if (change === "hold") {
      print(`Held until you release it: ${heldText(await holdAllPending({ database, clock }))}.`);
      return;
    }
    const { messages, deliveries, events } = await releaseAllHeld({
      database,
      clock,
      signals: createSignals(log),
    });
    print(`Released: ${messages} messages, ${deliveries} webhook deliveries, ${events} events.`);
  } finally {
    await database.close();
  }
}

/** `FILE`, and `--key KEYFILE` before or behind it; null: something else. */
function backupArguments(words: readonly string[]): { file: string; keyFile: string | null } | null {
  const at = words.indexOf("--key");
  const keyFile = at === -1 ? null : words[at + 1];
  const [file, ...more] = at === -1 ? words : words.toSpliced(at, 2);
  if (file === undefined || keyFile === undefined || more.length > 0) return null;
  return file.startsWith("-") ? null : { file, keyFile };
}

const words: readonly (readonly [words: string, what: string])[] = [
  ["", "run the service"],
  ["key ACCOUNT", "give an account a new API key (on SQLite: while the service is stopped)"],
  ["setup", "make a one-time link that makes an operator (on SQLite: likewise)"],
  ["operator EMAIL", "the same for one e-mail address, also for an operator who lost the password"],
  [
    "backup FILE [--key KEYFILE]",
    "copy a SQLite installation to FILE, while it runs or not; the master key to KEYFILE",
  ],
  ["hold", "hold what is pending, before the first start of a restored dump or snapshot"],
  ["release", "let go of what is held (on SQLite: while the service is stopped)"],
  ["health", "end with 0 when the service on this machine is ready, and else say why"],
  ["install-whatsapp", "install the library of the gateway kind whatsapp-linked"],
  ["version", "print the version"],
];

const usage = `Usage:
${words.map(([form, what]) => `  ${commandWords(form)}\n      ${what}`).join("\n")}
Settings come from TRUNKLINE_ variables; see docs/reference/configuration.md.
`;

const [command = "serve", ...rest] = process.argv.slice(2);
if (["version", "--version", "-v"].includes(command)) {
  print(version);
  process.exit(0);
}
if (command === "health" && rest.length === 0) {
  // It ends the process with its verdict.
  await import(new URL("../scripts/health.mjs", import.meta.url).href);
  await new Promise(() => {});
}
const read = readConfig(environment, { OUTBOUND_ALLOW: allowListProblem });
if ("errors" in read) fail(read.errors);
const copying = backupArguments(rest);
try {
  if (command === "serve" && rest.length === 0) await serve(read.config);
  else if (command === "key" && rest.length === 1) await renewKey(read.config, rest[0]!);
  else if (command === "setup" && rest.length === 0) await makeSetupLink(read.config, null);
  else if (command === "operator" && rest.length === 1) await makeSetupLink(read.config, rest[0]!);
  else if (command === "backup" && copying !== null) await backup(read.config, copying.file, copying.keyFile);
  else if ((command === "hold" || command === "release") && rest.length === 0)
    await changeHold(read.config, command);
  else {
    process.stdout.write(usage);
    process.exit(command === "help" || command === "--help" ? 0 : 2);
  }
} catch (error) {
  fail([error instanceof Error ? error.message : String(error)]);
}
