// `trunkline serve`: runs the service until a signal stops it.

import { mkdir } from "node:fs/promises";
import type { Config } from "#config.ts";
import { openOperatorSocket } from "#http/server/operator-socket.ts";
import type { BounceMail } from "#messaging/feedback/bounce-mail.ts";
import { collectGarbage } from "#runtime/memory/collect-garbage.ts";
import { openSmtpListener, type SmtpListener } from "#runtime/net/smtp-listener.ts";
import type { SocketFile } from "#runtime/net/socket-file.ts";
import { version } from "#runtime/program.ts";
import type { Runtime } from "#runtime/runtime.ts";
import type { System } from "#system.ts";
import { setupLink } from "./keys.ts";
import { openInstallation } from "./open.ts";
import { readProvision } from "./provision/read.ts";
import { reloadAtSignal } from "./provision/reload.ts";
import { configured, operatorSocketFile, traceSettings } from "./settings.ts";
import { openSubmission, type SubmissionPorts } from "./submission.ts";
import { Failure, print, type Terminal } from "./terminal.ts";
import { watchSchema } from "./watch-schema.ts";

/** How long mails that are arriving may take when the service stops, ms. */
const graceMs = 10_000;

/** Runs the service until a signal stops it. */
export async function serve(terminal: Terminal): Promise<void> {
  const config = configured(terminal);
  const provision = config.PROVISION === undefined ? null : await readProvision(terminal, config.PROVISION);
  const { runtime, system } = await openInstallation(config, traceSettings(terminal));
  if (provision) {
    const { errors, made } = await system.provision(provision);
    if (errors.length > 0) {
      await system.stop();
      throw new Failure(errors);
    }
    for (const { what, secret } of made) print(terminal, `${what} (shown once): ${secret}`);
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
  let submission: SubmissionPorts | null;
  try {
    submission = await openSubmission(config, runtime, system);
  } catch (error) {
    await mailPort?.close();
    await system.stop();
    throw error;
  }
  // After listening, so that a key is never created and then lost because the port is in use.
  const first = await system.createDefaultAccount();
  const code = await system.createStartCode();
  await system.start();
  const socket = await openSocket(config, runtime, system);
  if (config.PROVISION !== undefined) reloadAtSignal(terminal, config.PROVISION, runtime.log, system);
  let stopping = false;
  const watching = new AbortController();
  const stop = async (signal: string, exitCode = 0) => {
    // A second signal stops it at once.
    if (stopping) process.exit(1);
    stopping = true;
    watching.abort();
    runtime.log.info(
      { event: "process.stopping", signal },
      "The process is stopping; what is under way gets 30 s.",
    );
    system.announceStop();
    // A load balancer needs a moment to notice.
    if (config.STOP_DELAY_MS > 0) await runtime.clock.sleep(config.STOP_DELAY_MS);
    socket?.close();
    // Mails that are arriving are answered before the database closes.
    await Promise.all([mailPort?.close(), submission?.close(graceMs)]);
    await system.stop();
    runtime.log.info({ event: "process.stopped" }, "The process has stopped.");
    process.exit(exitCode);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
  // An older release must not go on where a newer one has changed what it reads; its next start says so too.
  const { database } = system;
  void watchSchema({ ...runtime, database }, watching.signal, () => void stop("schema", 1));
  // After that, because supervisors wait for this line and may stop the process at once.
  runtime.log.info(
    { event: "process.listening", address },
    `Trunkline ${version} is listening on ${address} for HTTP requests.`,
  );
  const url = config.PUBLIC_URL ?? address;
  if (code !== null) print(terminal, invitation(setupLink(url, code)));
  if (first !== null) print(terminal, welcome(url, first));
  setImmediate(collectGarbage);
}

const withoutSocket: Readonly<Record<string, string>> = {
  TOO_LONG: "its path is longer than 103 bytes; a shorter TRUNKLINE_DATA_DIR helps",
  ENOTSUP: "this system has none",
  NOT_A_SOCKET: "something else lies at its path; move it away and start again",
};

/** Opens the socket of the command line. The service also works without. */
async function openSocket(config: Config, { log }: Runtime, system: System): Promise<SocketFile | null> {
  const path = operatorSocketFile(config);
  // On PostgreSQL nothing else needs the folder. If it cannot be created, the socket reports it.
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 }).catch(() => {});
  const opened = await openOperatorSocket(system.app.server, path);
  if (!("reason" in opened)) return opened;
  // Of several processes on this machine that share a data folder, only one has it.
  if (opened.reason === "IN_USE") return null;
  log.warn(
    { event: "operator_socket.missing", path, reason: opened.reason },
    `The socket of the command line is missing: ${withoutSocket[opened.reason] ?? opened.reason}. Commands that change something need the service to be stopped.`,
  );
  return null;
}

/** Listens for bounces beside HTTP, if configured. */
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

function invitation(link: string): string {
  return `
  Trunkline is running and has no operator yet. Open this link to become its operator (once, within 24 hours):

    ${link}
`;
}

function welcome(url: string, keys: { apiKey: string; poolKey: string }): string {
  const { apiKey: key, poolKey } = keys;
  return `
  Trunkline made an account ("default") with a sandbox gateway on every channel and a sandbox
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
