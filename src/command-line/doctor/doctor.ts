// `trunkline doctor`: checks everything that commonly breaks and suggests a remedy for each problem. It changes nothing.

import { runningHere } from "#command-line/api.ts";
import { localOrigin, readSettings } from "#command-line/settings.ts";
import { coloured, type Result, type Terminal } from "#command-line/terminal.ts";
import type { Config } from "#config.ts";
import { requestApi } from "#runtime/net/api-request.ts";
import { commandWords } from "#runtime/program.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { checkDataFolder, checkDisk, checkMasterKey, checkNode } from "./machine.ts";
import { checkMailPorts } from "./mail-ports.ts";
import { checkRunning } from "./running.ts";
import { checkStorage } from "./storage.ts";

/** Whether another program has the port that the service would listen on. */
async function checkPort(config: Config): Promise<Finding> {
  const stopped = warning("service", "It does not run.", `Start it: ${commandWords("")}`);
  if (config.PORT === 0) return stopped;
  try {
    await requestApi({ url: localOrigin(config) }, { method: "GET", path: "/", silenceMs: 2_000 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return stopped;
  }
  return fault(
    "service",
    `It does not run with this data folder, and another program listens on port ${config.PORT}.`,
    "Stop that program, or name another port in TRUNKLINE_PORT.",
  );
}

async function lookAround(terminal: Terminal): Promise<Finding[]> {
  const read = readSettings(terminal);
  const node = checkNode();
  if ("errors" in read)
    return [
      node,
      ...read.errors.map((error) =>
        fault("configuration", error, "docs/reference/configuration.md lists every variable."),
      ),
    ];
  const { config } = read;
  const machine = [
    node,
    ok("configuration", "Every TRUNKLINE_ variable is known and has its form."),
    ...checkDataFolder(config),
    checkMasterKey(config),
    checkDisk(config),
    ...(await checkMailPorts(config)),
  ];
  const api = await runningHere(config);
  if (api === null) return [...machine, ...(await checkStorage(config)), await checkPort(config)];
  return [...machine, ...(await checkRunning(api))];
}

function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ what, state, detail, advice }) => {
    const line = `${coloured(state, 7)}  ${what.padEnd(width)}  ${detail}`;
    return advice === null ? line : `${line}\n${" ".repeat(width + 11)}${advice}`;
  });
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const counted = (state: "error" | "warning") => {
    const many = count(state);
    return `${many} ${state}${many === 1 ? "" : "s"}`;
  };
  return `${lines.join("\n")}\n\n${counted("error")}, ${counted("warning")}.`;
}

/** `healthy`: nothing is an error. */
export async function doctor(terminal: Terminal): Promise<Result & { healthy: boolean }> {
  const findings = await lookAround(terminal);
  return {
    text: text(findings),
    data: findings,
    healthy: findings.every(({ state }) => state !== "error"),
  };
}
