// The installation that a command talks to: the process of this machine, through its socket, or one at an address, with a token or key from
// the environment. Secrets are never arguments of a command, because every user of the machine sees those.

import { Api, runningHere } from "./api.ts";
import { configured } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

export interface AccessOptions {
  /** An address instead of this machine. */
  url?: string;
  /** The name or id of an account. */
  account?: string;
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The origin of the address that the options or the environment name; null for this machine. */
function addressOf(
  { environment }: Terminal,
  { url = environment.TRUNKLINE_URL }: AccessOptions,
): string | null {
  if (url === undefined || url === "") return null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new Error(`${url} is no address such as https://sms.example.com.`);
  return parsed.origin + parsed.pathname.replace(/(?<!\/)\/+$/, "");
}

async function ofThisMachine(terminal: Terminal): Promise<Api> {
  const config = configured(terminal);
  const running = await runningHere(config);
  if (running !== null) return running;
  throw new Error(
    `No service runs with the data folder ${config.DATA_DIR}. Start it, or name an installation with --url.`,
  );
}

const present = ({ environment }: Terminal, name: string): string | null => {
  const value = environment[`TRUNKLINE_${name}`];
  return value === undefined || value === "" ? null : value;
};

/** The management API. */
export async function managementOf(terminal: Terminal, options: AccessOptions): Promise<Api> {
  const url = addressOf(terminal, options);
  if (url === null) return await ofThisMachine(terminal);
  const token = present(terminal, "TOKEN");
  if (token === null) throw new Error("Put a management token of that installation into TRUNKLINE_TOKEN.");
  return new Api({ url }, bearer(token));
}

/** The management API, or the API of an account's or a pool's key in the variable `name`. */
export async function managementOrKey(
  terminal: Terminal,
  options: AccessOptions,
  name: "API_KEY" | "POOL_KEY",
): Promise<{ management: Api } | { keyed: Api }> {
  const url = addressOf(terminal, options);
  if (url === null) return { management: await ofThisMachine(terminal) };
  const token = present(terminal, "TOKEN");
  if (token !== null) return { management: new Api({ url }, bearer(token)) };
  const key = present(terminal, name);
  if (key === null)
    throw new Error(
      `Put a key of that installation into TRUNKLINE_${name}, or a management token into TRUNKLINE_TOKEN.`,
    );
  return { keyed: new Api({ url }, name === "API_KEY" ? { "api-key": key } : bearer(key)) };
}

interface NamedAccount {
  id: string;
  name: string;
}

/** The default without a name: the only one, or the one called `default`. */
export const onlyOrDefault = <Row extends { name: string }>(rows: readonly Row[]): Row | undefined =>
  rows.length === 1 ? rows[0] : rows.find(({ name }) => name === "default");

/** The account that the options name; by default the only one, or the one called `default`. */
export async function chosenAccount(api: Api, { account }: AccessOptions): Promise<NamedAccount> {
  const known: NamedAccount[] = [];
  for await (const row of api.rows<NamedAccount>("/api/manage/v1/accounts")) {
    if (row.id === account || row.name === account) return row;
    known.push(row);
  }
  const only = onlyOrDefault(known);
  if (account === undefined && only !== undefined) return only;
  const names = known
    .slice(0, 20)
    .map(({ name }) => name)
    .join(", ");
  const there = known.length === 0 ? "There are no accounts yet." : `There are: ${names}.`;
  throw new Error(
    account === undefined
      ? `Name one of the accounts with --account. ${there}`
      : `There is no account called ${account}. ${there}`,
  );
}
