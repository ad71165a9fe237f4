// `trunkline provision FILE` and `trunkline provision --export`: by the running service if there is one, otherwise by this process.

import { existsSync } from "node:fs";
import { type Api, ApiError, runningHere } from "#command-line/api.ts";
import { openInstallation } from "#command-line/open.ts";
import { configured, databaseFile } from "#command-line/settings.ts";
import { Failure, type Result, type Terminal } from "#command-line/terminal.ts";
import type { Config } from "#config.ts";
import type { ProvisionFile } from "#provision/file.ts";
import type { System } from "#system.ts";
import { readProvision } from "./read.ts";

const path = "/api/manage/v1/installation/provisioning";

interface Changes {
  changes: string[];
  made: { what: string; secret: string }[];
}

/** Has the service apply the file, or with `check` say what it would change. Throws the file's errors. */
export async function postFile(running: Api, file: ProvisionFile, check: boolean): Promise<Changes> {
  try {
    return (await running.ask<{ data: Changes }>("POST", path, { file, check })).data;
  } catch (error) {
    const errors = error instanceof ApiError ? error.fields.file : undefined;
    throw errors === undefined ? error : new Failure(errors);
  }
}

async function withStopped<T>(config: Config, use: (system: System) => Promise<T>): Promise<T> {
  // Opening it would create one.
  if (!config.DATABASE_URL && !existsSync(databaseFile(config)))
    throw new Error(
      `There is no database at ${databaseFile(config)}. The first start applies the file that TRUNKLINE_PROVISION names.`,
    );
  const { system } = await openInstallation({ ...config, LOG_LEVEL: "warn" });
  try {
    return await use(system);
  } finally {
    await system.app.close();
    await system.database.close();
  }
}

/** Applies the file as a start does. Throws all of its errors, after which nothing has changed. */
export async function applyFile(terminal: Terminal, name: string): Promise<Result> {
  const config = configured(terminal);
  const file = await readProvision(terminal, name);
  const running = await runningHere(config);
  const { changes, made } =
    running === null
      ? await withStopped(config, async ({ core }) => {
          const { errors, ...applied } = await core.provisioning.apply(file);
          if (errors.length > 0) throw new Failure(errors);
          return applied;
        })
      : await postFile(running, file, false);
  const lines = [
    changes.length === 0 ? "The file was applied: nothing changed." : "The file was applied:",
    ...changes.map((change) => `  ${change}`),
    ...made.map(({ what, secret }) => `${what} (shown once): ${secret}`),
  ];
  return { text: lines.join("\n"), data: { changes, made } };
}

type Exported = Awaited<ReturnType<System["core"]["provisioning"]["export"]>>;

const head = `# What this installation has, without its secrets: set the variables in the environment before you apply the file.
# Not in it: users, API keys with names, links of phones and devices, suppressions, used credit, messages.
`;

/** Prints what the installation has as a provisioning file, and to standard error the variables in it. */
export async function exportFile(terminal: Terminal, { json = false }: { json?: boolean }): Promise<void> {
  const config = configured(terminal);
  const running = await runningHere(config);
  const exported =
    running === null
      ? await withStopped(config, ({ core }) => core.provisioning.export())
      : (await running.ask<{ data: Exported }>("GET", path)).data;
  if (json) {
    terminal.output.write(`${JSON.stringify(exported, null, 2)}\n`);
    return;
  }
  const { yamlText } = await import("#provision/yaml.ts");
  terminal.output.write(`${head}${yamlText(exported.file)}`);
  const { variables, left_out } = exported;
  if (variables.length > 0)
    terminal.errors.write(`Secrets that the file takes from variables:\n  ${variables.join("\n  ")}\n`);
  for (const sentence of left_out) terminal.errors.write(`Left out: ${sentence}\n`);
}
