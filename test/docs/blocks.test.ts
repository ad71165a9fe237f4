// Every block of code in README.md, docs/ and examples/ runs unchanged against a service of its own, or says why it does not, in a
// comment on the line before it: `<!-- fragment: reason -->`.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";
import { eventCatalogue } from "#contract/events/catalogue.ts";
import { providers } from "#providers/registry.ts";
import { applyProvision } from "#provision/apply.ts";
import { readProvisionFile } from "#provision/file.ts";
import { childEnvironment, serviceProgram } from "../child-environment.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";
import { environment } from "../reference-examples.ts";
import { type Block, blocksOf, guides } from "./pages.ts";
import { type Service, startService } from "./service.ts";

const blocks = guides.flatMap(blocksOf);
const place = ({ page, line }: Block) => `${page}:${line}`;
/** The languages that this file runs or reads. */
const played = ["sh", "js", "python", "yaml", "json"];
let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

test("every block runs, or says why it does not", () => {
  const unmarked = blocks.filter(({ language, fragment }) => fragment === null && !played.includes(language));
  const unexplained = blocks.filter(({ fragment }) => fragment !== null && fragment.length < 15);
  assert.deepEqual([...unmarked, ...unexplained].map(place), []);
  const share = blocks.filter(({ fragment }) => fragment !== null).length / blocks.length;
  assert.ok(share < 0.4, `${Math.round(share * 100)} % of ${blocks.length} blocks are fragments`);
});

interface Ran {
  status: number | null;
  output: string;
  errors: string;
}

function run(program: string, parameters: string[], variables = service.environment): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd: service.folder, env: variables });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, output, errors }));
  });
}

/** A status of 400 and more is a failure, and the command of the package is that of this repository. */
const shell = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
trunkline() { "${process.execPath}" "${join(process.cwd(), "bin/trunkline.mjs")}" "$@"; }
`;

const start = "npm start\n";

test("the command that pages start it with makes an account and prints its key", async () => {
  const started = blocks.filter(({ code, fragment }) => code === start && fragment === null);
  assert.deepEqual(started.map(({ page }) => page).toSorted(), ["README.md", "docs/getting-started.md"]);
  serviceProgram();
  // Before it starts, `npm start` installs packages and builds; those of the tests are there.
  const child = spawn("bash", ["-c", `exec ${start.trim()} --ignore-scripts`], {
    detached: true,
    env: childEnvironment({ TRUNKLINE_DATA_DIR: join(service.folder, "first"), TRUNKLINE_PORT: "0" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = once(child, "close");
  try {
    for await (const bytes of child.stdout) {
      output += String(bytes);
      if (/listening on http/.test(output) && /\btl_[\w-]{20}/.test(output)) break;
    }
  } finally {
    // npm and what it started are one group.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
  assert.match(output, /\btl_[\w-]{20}/);
  assert.match(output, /curl http:\/\/127\.0\.0\.1:\d+\/api\/sms\/send/);
});

for (const page of guides) {
  const commands = blocksOf(page).filter(
    ({ language, fragment, code }) =>
      fragment === null && ["sh", "json"].includes(language) && code !== start,
  );
  if (commands.length > 0)
    test(`the commands of ${page} succeed, and answer as it says`, async () => {
      let last: Ran | null = null;
      let message: string | null = null;
      for (const block of commands) {
        if (block.language === "json") {
          const shown: unknown = JSON.parse(block.code);
          if (typeof shown === "object" && shown !== null && "type" in shown)
            assertEvent(shown, place(block));
          else if (last !== null) assertLike(JSON.parse(last.output), shown, place(block));
          continue;
        }
        last = await run("bash", ["-c", shell + service.filledIn(block.code, message)]);
        assert.equal(last.status, 0, `${place(block)}\n${last.output}\n${last.errors}`);
        message = /"id":\s*"(msg_\w+)"/.exec(last.output)?.[1] ?? message;
      }
    });
}

/** What a page shows is part of what came; `…` in a text stands for anything. */
function assertLike(actual: unknown, shown: unknown, where: string): void {
  if (typeof shown === "string" && shown.includes("…")) {
    const [start = "", end = ""] = shown.split("…");
    assert.ok(String(actual).startsWith(start) && String(actual).endsWith(end), `${where}: ${actual}`);
  } else if (typeof shown === "object" && shown !== null) {
    assert.ok(typeof actual === "object" && actual !== null, where);
    for (const [name, value] of Object.entries(shown))
      assertLike((actual as Record<string, unknown>)[name], value, `${where} ${name}`);
  } else assert.deepEqual(actual, shown, where);
}

/** An event of a page has the fields of the catalogue's example. */
function assertEvent(shown: object, where: string): void {
  const { type, data } = shown as { type: string; data: object };
  const known = eventCatalogue.find((event) => event.type === type);
  assert.ok(known, `${where}: ${type}`);
  const example = JSON.stringify(known.example);
  for (const name of Object.keys(data)) assert.match(example, new RegExp(`"${name}":`), where);
}

for (const block of blocks.filter(({ language, fragment }) => fragment === null && language === "js"))
  test(`the program at ${place(block)} runs`, async () => {
    const path = join(service.folder, `block-${block.line}.mjs`);
    writeFileSync(path, service.filledIn(block.code, null));
    const ran = await run(process.execPath, ["--disable-warning=ExperimentalWarning", path]);
    assert.equal(ran.status, 0, ran.errors);
    if (/console\.log|stdout\.write/.test(block.code)) assert.match(ran.output, /Hello/);
  });

/** The Python of `npm run test:clients` where that has run, since it has the packages; else the machine's. */
const installed = join(process.env.CLIENT_TOOLS_PYTHON ?? ".client-tools-python", "bin/python");
const python = existsSync(installed) ? resolve(installed) : "python3";
const has = (module: string) => spawnSync(python, ["-c", `import ${module}`]).status === 0;

for (const block of blocks.filter(({ language, fragment }) => fragment === null && language === "python")) {
  const [, foreign] = /^from (\w+) import/m.exec(block.code) ?? [];
  test(`the program at ${place(block)} is Python`, {
    skip: has("ast") ? false : "there is no python3",
  }, () => {
    const path = join(service.folder, `block-${block.line}.py`);
    writeFileSync(path, block.code);
    const read = spawnSync(python, ["-c", `import ast; ast.parse(open(${JSON.stringify(path)}).read())`]);
    assert.equal(String(read.stderr), "");
  });
  const needed = foreign === "trunkline" ? "httpx" : (foreign ?? "ast");
  test(`the program at ${place(block)} runs`, {
    skip: has(needed) ? false : `${python} has no ${needed}`,
  }, async () => {
    const path = join(service.folder, `block-${block.line}.py`);
    writeFileSync(path, service.filledIn(block.code, null));
    const PYTHONPATH = join(process.cwd(), "clients/python/src");
    const ran = await run(python, [path], { ...service.environment, PYTHONPATH });
    assert.equal(ran.status, 0, ran.errors);
  });
}

/** A whole file around a part of one: a list of gateways or of members, or fields of an account. */
function wholeFile(code: string): string {
  const shift = Math.min(...code.match(/^ *(?=\S)/gm)!.map(({ length }) => length));
  const part = code.replace(new RegExp(`^ {${shift}}`, "gm"), "");
  const indented = (spaces: number) => part.replace(/^(?=.)/gm, " ".repeat(spaces));
  const account = `accounts:\n  - name: docs\n    api_key: ${environment.DOCS_API_KEY}\n`;
  if (/^(?:#.*\n)*(?:accounts|management_tokens):/.test(part)) return part;
  if (part.startsWith("- identifier:")) return `${account}    gateways:\n${indented(6)}`;
  if (
    providers.some(({ kind }) => new RegExp(`^ *kind: ${kind}\\b`, "m").test(part)) &&
    part.startsWith("- ")
  )
    return `${account}    pools:\n      - name: default\n        members:\n${indented(10)}`;
  return account + indented(4);
}

for (const page of guides) {
  const files = blocksOf(page).filter(({ language, fragment }) => fragment === null && language === "yaml");
  if (files.length > 0)
    test(`the provisioning of ${page} applies`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "trunkline-docs-"));
      // A page about a model on the reader's own machine says which setting lets it through.
      const open = await openConfiguring({ allow: "127.0.0.0/8" });
      try {
        for (const block of files) {
          const path = join(folder, "provision.yaml");
          // A gateway's id is known when it was made: a page may name the one that its first block makes.
          const phone = firstGateway(open);
          writeFileSync(path, wholeFile(block.code).replace(/\bgw_\w{26}\b/, phone ?? "gw_"));
          const read = readProvisionFile(path, environment);
          assert.ok("file" in read, `${place(block)} ${JSON.stringify(read)}`);
          const applied = await applyProvision(open.deps, read.file);
          assert.deepEqual(applied.errors, [], place(block));
        }
      } finally {
        await open.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

const firstGateway = (open: Configuring) =>
  open.query("select id from gateways order by id limit 1")[0]?.id as string | undefined;
