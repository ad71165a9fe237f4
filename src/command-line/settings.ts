// The settings of this machine's installation, and where it has its files.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig } from "#config.ts";
import { readListPrices } from "#providers/prices/list-price.ts";
import { readAllowList } from "#runtime/net/address.ts";
import type { TraceSettings } from "#runtime/tracing/tracing.ts";
import { readTraceSettings } from "./open-telemetry.ts";
import { Failure, type Terminal } from "./terminal.ts";

function allowListProblem(text: string): string | null {
  try {
    readAllowList(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A file that cannot be read, or holds no prices, is reported at the start and not at the first call. */
function pricesProblem(path: string): string | null {
  if (path === "") return null;
  try {
    readListPrices(readFileSync(path, "utf8"));
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined
      ? `The file is not one of prices: ${message}.`
      : `The file cannot be read: ${code}.`;
  }
}

/** The settings, or all errors in them. */
export function readSettings({ environment }: Terminal): ReturnType<typeof readConfig> {
  const read = readConfig(environment, { OUTBOUND_ALLOW: allowListProblem, PRICES: pricesProblem });
  const traces = readTraceSettings(environment);
  if ("settings" in traces) return read;
  return { errors: [...("errors" in read ? read.errors : []), ...traces.errors] };
}

/** The settings. Throws all errors in them. */
export function configured(terminal: Terminal): Config {
  const read = readSettings(terminal);
  if ("errors" in read) throw new Failure(read.errors);
  return read.config;
}

/** Where spans are sent; null for nowhere. `configured` has reported wrong settings. */
export function traceSettings({ environment }: Terminal): TraceSettings | null {
  const read = readTraceSettings(environment);
  return "settings" in read ? read.settings : null;
}

export const masterKeyFile = (config: Config) => join(config.DATA_DIR, "master.key");
export const databaseFile = (config: Config) => join(config.DATA_DIR, "trunkline.db");
/** The socket file of the running process. */
export const operatorSocketFile = (config: Config) => join(config.DATA_DIR, "trunkline.sock");

/** The master key; null if neither the settings nor the data folder have one. */
export function configuredKey(config: Config): string | null {
  const path = masterKeyFile(config);
  return config.MASTER_KEY ?? (existsSync(path) ? readFileSync(path, "utf8").trim() : null);
}

const everyAddress: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The address of the service for this machine. */
export function localOrigin({ HOST, PORT }: Config): string {
  const host = everyAddress[HOST] ?? HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}
