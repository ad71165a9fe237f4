// `trunkline key`, `setup` and `operator`: access for people and programs, created by someone with access to the machine. The running
// process creates them if there is one, otherwise this one does.

import type { Config } from "#config.ts";
import type { System } from "#system.ts";
import { chosenAccount } from "./access.ts";
import { type Api, runningHere } from "./api.ts";
import { configured, localOrigin } from "./settings.ts";
import type { Result, Terminal } from "./terminal.ts";

/** The part after `#` reaches the page but no server. */
export const setupLink = (url: string, code: string) => `${url}/setup#${code}`;

async function withStopped<T>(config: Config, change: (system: System) => Promise<T>): Promise<T> {
  const { openInstallation } = await import("./open.ts");
  const { system } = await openInstallation({ ...config, LOG_LEVEL: "warn" });
  try {
    return await change(system);
  } finally {
    await system.app.close();
    await system.database.close();
  }
}

async function newKey(running: Api, account: string): Promise<string> {
  const { id } = await chosenAccount(running, { account });
  const { data } = await running.ask<{ data: { api_key: string } }>(
    "POST",
    `/api/manage/v1/accounts/${id}/api-key`,
  );
  return data.api_key;
}

/** Gives an account a new API key. */
export async function renewKey(terminal: Terminal, account: string): Promise<Result> {
  const config = configured(terminal);
  const running = await runningHere(config);
  const key =
    running === null
      ? await withStopped(config, (system) => system.renewKey(account))
      : await newKey(running, account);
  if (key === null) throw new Error(`There is no account called ${account}.`);
  return {
    text: `New API key of account ${account} (shown once): ${key}`,
    data: { account, api_key: key },
  };
}

async function newCode(running: Api, email: string | null): Promise<string> {
  const asked = email === null ? {} : { email };
  const { data } = await running.ask<{ data: { code: string } }>("POST", "/api/manage/v1/setup/code", asked);
  return data.code;
}

/** Creates a link that creates an operator; with an email address, only for that address, even if a user already has it. */
export async function makeSetupLink(terminal: Terminal, email: string | null): Promise<Result> {
  const config = configured(terminal);
  const running = await runningHere(config);
  const code =
    running === null
      ? await withStopped(config, (system) => system.createSetupCode(email ?? undefined))
      : await newCode(running, email);
  const link = setupLink(config.PUBLIC_URL ?? localOrigin(config), code);
  return {
    text: `${email ?? "The person who opens the link"} can become an operator here, once, within 24 hours:\n\n  ${link}`,
    data: { email, setup_link: link },
  };
}
