// The provisioning file: read for a start, and `trunkline provision --check`, which applies it to an installation that is thrown away.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ProvisionFile } from "#provision/file.ts";
import { openInstallation } from "./open.ts";
import { configured } from "./settings.ts";
import { Failure, type Result, type Terminal } from "./terminal.ts";

/** Throws all faults of the file. */
export async function readProvision({ environment }: Terminal, path: string): Promise<ProvisionFile> {
  // The parser is loaded only if there is a file.
  const { readProvisionFile } = await import("#provision/file.ts");
  const read = readProvisionFile(path, environment);
  if ("errors" in read) throw new Failure(read.errors);
  return read.file;
}

const counted = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`;

/**
 * Whether a fresh installation with these settings would take the file. The installation of this machine is not opened. Throws all faults.
 */
export async function checkProvision(terminal: Terminal, path: string): Promise<Result> {
  const file = await readProvision(terminal, resolve(terminal.folder, path));
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
  return { text: `A fresh installation takes the file: ${parts.join(", ")}. Nothing was changed.`, data };
}
