// `npm run test:openapi`: whether the OpenAPI document is exact enough for generators and true to the server.
// 1. openapi-typescript makes types that compile.
// 2. openapi-python-client makes a client that sends an SMS, looks it up, and manages an account.
// 3. schemathesis sends generated requests and compares every reply with the document.
// Options: --only types|client|schemathesis, --examples N (per operation; default 10), --seed N,
// --tag NAME (schemathesis alone; again for more tags).

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openapiDocument } from "#http/openapi/document.ts";
import { apiKey, type Installation, managementToken, openInstallation } from "./installation.ts";
import { schemathesisConfig } from "./schemathesis.ts";
import { findTools, run, type Tools } from "./tools.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    examples: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    tag: { type: "string", multiple: true, default: [] },
  },
});
const minuteMs = 60_000;
const schemathesisMinutes = 15;
const root = resolve(import.meta.dirname, "../..");

async function types(tools: Tools, folder: string): Promise<boolean> {
  const made = join(folder, "openapi.ts");
  if (!(await run(tools.openapiTypescript, [join(folder, "openapi.json"), "-o", made], folder, minuteMs)))
    return false;
  copyFileSync(join(import.meta.dirname, "types.ts.txt"), join(folder, "use.ts"));
  const tsc = join(root, "test/node_modules/.bin/tsc");
  const flags = ["--noEmit", "--strict", "--allowImportingTsExtensions", "--types", ""];
  return await run(tsc, [...flags, join(folder, "use.ts")], folder, minuteMs);
}

async function client(tools: Tools, folder: string, { server }: Installation): Promise<boolean> {
  const out = join(folder, "client");
  const generate = [
    "generate",
    "--path",
    join(folder, "openapi.json"),
    "--output-path",
    out,
    "--fail-on-warning",
  ];
  if (!(await run(tools.openapiPythonClient, generate, folder, 2 * minuteMs))) return false;
  const script = join(out, "send.py");
  copyFileSync(join(import.meta.dirname, "send.py"), script);
  return await run(tools.python, [script, server.base, apiKey, managementToken], folder, minuteMs);
}

async function schemathesis(
  tools: Tools,
  folder: string,
  { server, managed }: Installation,
): Promise<boolean> {
  // Schemathesis compares each event of a stream with the schema, which describes the whole stream as text.
  const document = join(folder, "without-streams.json");
  const withoutStream = (name: string, value: unknown) => (name === "text/event-stream" ? {} : value);
  writeFileSync(document, JSON.stringify(openapiDocument(), withoutStream));
  const config = join(folder, "schemathesis.toml");
  writeFileSync(config, schemathesisConfig({ managed, examples: Number(values.examples) }));
  const place = [document, "--url", server.base, "--seed", values.seed];
  const tags = values.tag.flatMap((tag) => ["--include-tag", tag]);
  const args = [
    "--config-file",
    config,
    "run",
    ...place,
    ...tags,
    "--report",
    "ndjson",
    "--report-dir",
    folder,
  ];
  return await run(tools.schemathesis, args, folder, schemathesisMinutes * minuteMs);
}

async function main(): Promise<void> {
  const tools = findTools(resolve(root, process.env.OPENAPI_TOOLS ?? ".openapi-tools"));
  if (typeof tools === "string") {
    console.error(tools);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "trunkline-openapi-"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(openapiDocument()));
  const installation = await openInstallation(folder);
  const steps = {
    types: () => types(tools, folder),
    client: () => client(tools, folder, installation),
    schemathesis: () => schemathesis(tools, folder, installation),
  };
  const failed: string[] = [];
  let isOver = false;
  void installation.server.ended.then(({ code, signal }) => {
    if (isOver) return;
    failed.push("server");
    console.error(`\nThe server ended (${signal ?? code}). Its last lines:\n${installation.server.tail()}`);
  });
  try {
    for (const [name, step] of Object.entries(steps)) {
      if (values.only !== undefined && values.only !== name) continue;
      console.log(`\n== ${name}`);
      if (!(await step())) failed.push(name);
    }
  } finally {
    isOver = true;
    await installation.close();
    if (failed.length === 0) rmSync(folder, { recursive: true, force: true });
  }
  if (failed.length === 0) return;
  console.error(`\nFailed: ${failed.join(", ")}. The files are in ${folder}.`);
  process.exitCode = 1;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
await main();
