// `npm run prices [-- VERSION]`: writes the vendors' list prices, from the newest version of the package `@pydantic/genai-prices` or from
// the given one. A model that the package no longer has keeps its price: vendors bill old ones for years.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type ListedVendor,
  listedVendors,
  type Price,
  readListPrices,
} from "#providers/prices/list-price.ts";
import { type ListedModel, pricesText, rowsOf } from "./price-rows.ts";

const file = "src/providers/prices/list-prices.json";
const name = "@pydantic/genai-prices";

/** The package's names of vendors, if they differ. */
const idOf: Partial<Record<ListedVendor, string>> = {
  gemini: "google",
  xai: "x-ai",
  moonshot: "moonshotai",
  "z.ai": "zai",
};

function npm(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${stderr.trim()}`);
  return stdout.trim();
}

const folder = mkdtempSync(join(tmpdir(), "prices-"));
try {
  const version = process.argv[2] ?? npm(["view", name, "version"], folder);
  const times = JSON.parse(npm(["view", name, "time", "--json"], folder)) as Record<string, string>;
  const date = times[version]?.slice(0, 10);
  if (date === undefined) throw new Error(`There is no version ${version} of ${name}.`);
  npm(["install", "--no-save", "--ignore-scripts", `${name}@${version}`], folder);
  const { findProvider } = (await import(
    pathToFileURL(join(folder, "node_modules", name, "dist", "index.js")).href
  )) as { findProvider(by: { providerId: string }): { models: ListedModel[] } | undefined };
  const before = readListPrices(readFileSync(file, "utf8"));
  const prices: Partial<Record<ListedVendor, Record<string, Price>>> = {};
  for (const vendor of listedVendors) {
    const models = findProvider({ providerId: idOf[vendor] ?? vendor })?.models ?? [];
    if (models.length === 0) throw new Error(`${name} ${version} has no models of ${vendor}.`);
    prices[vendor] = { ...before.prices[vendor], ...rowsOf(models, date) };
  }
  const text = pricesText({ date, source: `${name} ${version}`, prices });
  readListPrices(text);
  writeFileSync(file, text);
  console.log(`${file} has the prices of ${date}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
