// `trunkline provision FILE --check`: applies the file to an installation that is thrown away, and asks the running service what it would change.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runningHere } from "#command-line/api.ts";
import { openInstallation } from "#command-line/open.ts";
import { configured } from "#command-line/settings.ts";
import { Failure, type Result, type Terminal } from "#command-line/terminal.ts";
import { postFile } from "./apply.ts";
import { readProvision } from "./read.ts";

const counted = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`;

/**
 * Whether a fresh installation with these settings would take the file, and what it would change in the service that runs on this machine.
 * A database that no service has open is not opened. Throws all faults.
 */
export async function checkProvision(terminal: Terminal, path: string): Promise<Result> {
  const file = await readProvision(terminal, path);
  const config = configured(terminal);
  const folder = mkdtempSync(join(tmpdir(), "trunkline-provision-"));
  try {
    const { system } = await openInstallation({
      ...config,
      DATA_DIR: folder,
      DATABASE_URL: undefined,
      LOG_LEVEL: "error",
    });
    const { errors } = await system.provision(file).finally(() => system.stop());
    if (errors.length > 0) throw new Failure(errors);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { accounts, management_tokens } = file;
  const data = {
    accounts: accounts.length,
    gateways: accounts.flatMap(({ gateways }) => gateways).length,
    pools: accounts.flatMap(({ pools }) => pools).length,
    webhooks: accounts.flatMap(({ webhooks }) => webhooks).length,
    management_tokens: management_tokens.length,
  };
  const parts = [
    counted(data.accounts, "account"),
    counted(data.gateways, "gateway"),
    counted(data.pools, "pool"),
    counted(data.webhooks, "webhook"),
    counted(data.management_tokens, "management token"),
  ];
  const taken = `A fresh installation takes the file: ${parts.join(", ")}. Nothing was changed.`;
  const running = await runningHere(config);
  if (running === null) return { text: taken, data };
  const { changes } = await postFile(running, file, true);
  const here =
    changes.length === 0
      ? "The service that runs here has all of it: nothing would change."
      : ["In the service that runs here, it would change:", ...changes].join("\n  ");
  return { text: `${taken}\n${here}`, data: { ...data, changes } };
}
