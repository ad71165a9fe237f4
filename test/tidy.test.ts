// Guards the borders and words of the source tree. Each rule is one test; what it finds is listed with
// file and line. The rules' data is in tidy/borders.ts, where exceptions are written down with a reason.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { posix, resolve } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { analyse } from "scslre";
import {
  builtRegexes,
  emptyWords,
  heavy,
  longFiles,
  outsideWorld,
  packageHomes,
  ranks,
  testVariables,
  wireWords,
  withoutTwin,
} from "./tidy/borders.ts";
import { type Finding, findCode, hasLogic, lineAt, loadedBy, readSources } from "./tidy/source.ts";

const sources = readSources("src");
const dashboard = readSources("ui/src");
const others = [
  ...dashboard,
  ...["bridge", "test", "bench", "scripts", "clients/typescript/src"].flatMap(readSources),
];
const everything = [...sources, ...others];

/** Fails with one line per finding. */
function expectNone(findings: readonly Finding[], rule: string): void {
  const lines = findings.map(({ path, line, what }) => `  ${path}:${line} ${what}`);
  assert.equal(findings.length, 0, `${rule}\n${lines.join("\n")}`);
}

/** `http` of `src/http/routes/send.ts`, `main.ts` of `src/main.ts`. */
function partOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Whether a path is a listed file, or inside a listed folder (`src/store/migrations/`). */
function inOrAt(path: string, listed: string): boolean {
  return path === listed || (listed.endsWith("/") && path.startsWith(listed));
}

const readText = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : null);

test("every folder of src has a rank, and imports run strictly downwards", () => {
  const findings: Finding[] = [];
  for (const file of sources) {
    const from = partOf(file.path);
    if (file.path === "src/config.ts") continue;
    if (ranks[from] === undefined) findings.push({ path: file.path, line: 1, what: `${from} has no rank` });
    for (const { target, line } of file.imports) {
      if (target === null) continue;
      const to = partOf(target);
      if (target === "src/config.ts") {
        if (from !== "command-line")
          findings.push({ path: file.path, line, what: "config is imported by the command line alone" });
      } else if (to !== from && (ranks[to] ?? 99) >= (ranks[from] ?? -1)) {
        findings.push({ path: file.path, line, what: `${from} may not import ${to}` });
      }
    }
  }
  const config = sources.find((file) => file.path === "src/config.ts");
  for (const { target, line } of config?.imports ?? []) {
    if (target !== null && partOf(target) !== "settings")
      findings.push({ path: "src/config.ts", line, what: "config imports nothing of ours but settings" });
  }
  expectNone(findings, "Borders: the ranks are in test/tidy/borders.ts.");
});

test("imports are ./name.ts inside a folder and #folder/name.ts across; no ../, no index files", () => {
  const findings: Finding[] = [];
  for (const file of sources) {
    if (posix.basename(file.path) === "index.ts")
      findings.push({ path: file.path, line: 1, what: "index file" });
    for (const { specifier, target, line } of file.imports) {
      const add = (what: string) => findings.push({ path: file.path, line, what: `${what}: ${specifier}` });
      if (specifier.includes("../")) add("climbs out of its folder");
      else if (target !== null && !/\.(ts|json)$/.test(target)) add("does not end in .ts or .json");
      else if (target !== null && !existsSync(target)) add("no such file");
      else if (
        specifier.startsWith("#") &&
        target !== null &&
        posix.dirname(target) === posix.dirname(file.path)
      ) {
        add("is a neighbour, write ./");
      }
    }
    for (const found of findCode(file, /^\s*export\s*\*/gm, "export * hides where a name lives"))
      findings.push(found);
  }
  expectNone(findings, "Imports.");
});

test("contract imports zod and nothing else", () => {
  const findings = sources
    .filter((file) => partOf(file.path) === "contract")
    .flatMap((file) =>
      file.imports
        .filter(({ specifier }) => specifier !== "zod" && !/^(\.\/|#contract\/)/.test(specifier))
        .map(({ specifier, line }) => ({ path: file.path, line, what: specifier })),
    );
  expectNone(findings, "contract/ is the wire shapes alone.");
});

test("adapters see their contract, never each other", () => {
  const findings: Finding[] = [];
  for (const file of sources) {
    const inside = /^src\/(gateways|providers)\/(?!gateway\.ts|provider\.ts|registry\.ts)/.exec(file.path);
    if (!inside) continue;
    for (const { target, specifier, line } of file.imports) {
      if (target === `src/${inside[1]}/registry.ts`) {
        findings.push({ path: file.path, line, what: `imports the registry: ${specifier}` });
      } else if (
        target !== null &&
        /define(Linked)?(Gateway|Provider)\(/.test(readText(target) ?? "") &&
        !/\/(gateway|provider)\.ts$/.test(target)
      ) {
        findings.push({ path: file.path, line, what: `imports another adapter: ${specifier}` });
      }
    }
  }
  expectNone(findings, "Adapters.");
});

test("no folder of src and ui holds more than 20 sources on one floor", () => {
  const floors = Map.groupBy([...sources, ...dashboard], ({ path }) => posix.dirname(path));
  const findings = [...floors]
    .filter(([, files]) => files.length > 20)
    .map(([path, files]) => ({ path, line: 1, what: `${files.length} sources: group them by subject` }));
  expectNone(findings, "Folders.");
});

test("no file cycles, type imports included", () => {
  const edges = new Map(
    everything.map((file) => [
      file.path,
      file.imports.filter(({ target }) => target !== null).map(({ target }) => target ?? ""),
    ]),
  );
  const done = new Set<string>();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const from = trail.indexOf(path);
    if (from !== -1) {
      findings.push({ path, line: 1, what: [...trail.slice(from), path].join(" → ") });
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  expectNone(findings, "Cycles.");
});

test("clock, randomness, timers, outbound HTTP and the console only in runtime, process.env only in config", () => {
  const findings = sources
    .filter((file) => partOf(file.path) !== "runtime")
    .flatMap((file) =>
      outsideWorld
        .filter(({ also }) => !also?.test(file.path))
        .flatMap(({ pattern, name }) => findCode(file, pattern, name)),
    );
  const environment = sources
    .filter((file) => partOf(file.path) === "runtime")
    .flatMap((file) => findCode(file, /\bprocess\s*\.\s*env\b/g, "process.env"));
  expectNone([...findings, ...environment], "The outside world comes in through src/runtime/runtime.ts.");
});

test("SQL only in store", () => {
  const statement =
    /["'`]\s*(?:insert\s+into\s+\w|delete\s+from\s+\w|create\s+(?:unique\s+)?(?:table|index)\b|update\s+\w+\s+set\s|select\s[^"'`]*?\sfrom\s|pragma\s+\w)/gi;
  const findings = sources
    .filter((file) => partOf(file.path) !== "store")
    .flatMap((file) => [
      ...[...file.withoutComments.matchAll(statement)].map((match) => ({
        path: file.path,
        line: lineAt(file.text, match.index),
        what: match[0].trim().slice(0, 40),
      })),
      ...findCode(file, /(?<![.\w])sql(?:<[^`]*>)?`/g, "sql`…`"),
    ]);
  expectNone(findings, "SQL outside src/store.");
});

test("packages stay at home: kysely in store, find-my-way in http, sockets and pino in runtime, …", () => {
  const findings = sources.flatMap((file) =>
    file.imports.flatMap(({ specifier, line, typeOnly }) =>
      packageHomes
        .filter(({ name, home }) => name.test(specifier) && !home.test(file.path) && !typeOnly)
        .map(({ where }) => ({ path: file.path, line, what: `${specifier} belongs in ${where}` })),
    ),
  );
  expectNone(findings, "Packages.");
});

test("heavy clients are loaded lazily or in a thread, each by one file", () => {
  const atStart = loadedBy(sources, ["src/main.ts"]);
  const findings: Finding[] = [];
  for (const name of heavy) {
    const uses = sources.flatMap((file) =>
      file.imports
        .filter(({ specifier, typeOnly }) => specifier === name && !typeOnly)
        .map(({ line, lazy }) => ({ path: file.path, line, lazy })),
    );
    for (const { path, line, lazy } of uses) {
      if (!lazy && atStart.has(path))
        findings.push({ path, line, what: `${name}: write await import("${name}")` });
    }
    if (new Set(uses.map(({ path }) => path)).size > 1) {
      findings.push(
        ...uses.map(({ path, line }) => ({ path, line, what: `${name} is imported by several files` })),
      );
    }
  }
  expectNone(findings, "Heavy clients.");
});

test("no regular expression takes more than linear time; few are put together at run time", () => {
  // `/x+$/` tries each x of a run that does not end the text, and walks to the end of the run each time: 24 s for 96 KiB.
  const advice = "start with what cannot be repeated, such as (?<!x)x+$, or bound the quantifier";
  const findings: Finding[] = [];
  for (const { path, regexes } of sources) {
    for (const { source, flags, line } of regexes) {
      const kinds = new Set(analyse(new RegExp(source, flags)).reports.map(({ type }) => type));
      if (kinds.size > 0) findings.push({ path, line, what: `/${source}/ (${[...kinds]}): ${advice}` });
    }
  }
  for (const file of sources) {
    if (builtRegexes[file.path] === undefined)
      findings.push(...findCode(file, /(?<![.\w#])RegExp\s*\(/g, "put together at run time"));
  }
  expectNone(findings, "Regular expressions; test/tidy/regexes.test.ts runs them on their worst texts.");
});

test("names say what a thing is", () => {
  const empty = (name: string) =>
    wireWords.test(name)
      ? undefined
      : name
          .split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
          .map((word) => word.toLowerCase())
          .find((word) => emptyWords.includes(word));
  const findings: Finding[] = [];
  for (const file of sources) {
    for (const part of file.path.replace(/\.ts$/, "").split("/").slice(1)) {
      const word = empty(part);
      if (word !== undefined) findings.push({ path: file.path, line: 1, what: `file name with "${word}"` });
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part))
        findings.push({ path: file.path, line: 1, what: "not kebab-case" });
    }
    const names =
      /^\s*export\s+(?:async\s+)?(?:function\*?|const|let|class|abstract\s+class|interface|type)\s+(\w+)/gm;
    for (const match of file.bare.matchAll(names)) {
      const name = match[1] ?? "";
      const line = lineAt(file.bare, match.index + match[0].length);
      const word = empty(name);
      if (word !== undefined)
        findings.push({ path: file.path, line, what: `${name}: "${word}" says nothing` });
      if (/interface\s+I[A-Z][a-z]/.test(match[0]))
        findings.push({ path: file.path, line, what: `${name}: I-prefix` });
    }
  }
  expectNone(findings, "Names.");
});

test("no file is longer than 400 lines, and every source file starts by saying what it is", () => {
  const findings: Finding[] = [];
  for (const file of everything) {
    const lines = file.text.split("\n").length - 1;
    if (lines > 400 && longFiles[file.path] === undefined) {
      findings.push({ path: file.path, line: lines, what: "over 400 lines" });
    }
    // A page of the dashboard says it by its name.
    if (!file.path.startsWith("ui/") && !/^\s*(#!.*\n)?\s*(\/\/|\/\*)/.test(file.text))
      findings.push({ path: file.path, line: 1, what: "no header comment" });
  }
  expectNone(findings, "Files.");
});

test("no unfinished business: TODO, ts-ignore, enum, tests that are skipped or run alone", () => {
  const findings: Finding[] = [];
  for (const file of everything) {
    if (file.path.startsWith("test/tidy")) continue;
    for (const match of file.text.matchAll(/\b(?:TODO|FIXME|XXX)\b|@ts-(?:ignore|nocheck|expect-error)/g)) {
      findings.push({ path: file.path, line: lineAt(file.text, match.index), what: match[0] });
    }
    findings.push(
      ...findCode(file, /\b(?:test|it|describe|suite)\s*\.\s*(?:only|skip|todo)\b/g, "only, skip or todo"),
    );
    findings.push(
      ...findCode(file, /^\s*(?:export\s+)?(?:const\s+)?(?:enum|namespace)\s+\w/gm, "not erasable"),
    );
  }
  expectNone(findings, "Unfinished.");
});

test("every source file with logic has its test", () => {
  const findings = sources
    .filter((file) => hasLogic(file) && !Object.keys(withoutTwin).some((path) => inOrAt(file.path, path)))
    .map((file) => ({ file, twin: file.path.replace(/^src\//, "test/").replace(/\.ts$/, ".test.ts") }))
    .filter(({ twin }) => !existsSync(twin))
    .map(({ file, twin }) => ({ path: file.path, line: 1, what: `no ${twin}` }));
  const stale = [...Object.keys(withoutTwin), ...Object.keys(longFiles), ...Object.keys(builtRegexes)]
    .filter((path) => sources.length > 0 && existsSync("src/main.ts") && !existsSync(path))
    .map((path) => ({ path, line: 1, what: "is excepted in tidy/borders.ts but does not exist" }));
  expectNone(
    [...findings, ...stale],
    "Tests mirror src; exceptions with a reason are in test/tidy/borders.ts.",
  );
});

test("the generated reference pages are fresh", async () => {
  if (!existsSync("scripts/docs.ts")) return;
  const generator: { generate(): Promise<Map<string, string>> } = await import(
    pathToFileURL(resolve("scripts/docs.ts")).href
  );
  const stale: Finding[] = [];
  for (const [path, text] of await generator.generate()) {
    if (readText(path) !== text) stale.push({ path, line: 1, what: "is not what npm run docs writes" });
  }
  expectNone(stale, "Run npm run docs.");
});

test("every environment variable is documented", async () => {
  if (!existsSync("src/config.ts")) return;
  const config: { variables: Record<string, unknown> } = await import(
    pathToFileURL(resolve("src/config.ts")).href
  );
  const findings: Finding[] = [];
  for (const place of [".env.example", "docs/reference/configuration.md"]) {
    const text = readText(place) ?? "";
    for (const name of Object.keys(config.variables)) {
      const known = new RegExp(`\\bTRUNKLINE_${name}\\b`).test(text) || testVariables.includes(name);
      if (!known) findings.push({ path: place, line: 1, what: `does not mention TRUNKLINE_${name}` });
    }
  }
  expectNone(findings, "Configuration.");
});

test("the pages that a visitor opens first exist", () => {
  if (!existsSync("src/main.ts")) return;
  const pages = [
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "LICENSE",
    ".env.example",
    "SECURITY.md",
    "docs/upgrading.md",
    "examples/README.md",
    ".github/workflows/ci.yml",
  ];
  const missing = pages
    .filter((path) => !existsSync(path))
    .map((path) => ({ path, line: 1, what: "is missing" }));
  expectNone(missing, "First pages.");
});

test("no path of a developer's machine in any tracked file", () => {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  // Without git (an unpacked archive) the sources alone are looked at.
  const paths =
    listed.status === 0
      ? listed.stdout.split("\0").filter((path) => path !== "")
      : everything.map(({ path }) => path);
  const findings: Finding[] = [];
  for (const path of new Set(paths)) {
    if (!existsSync(path) || statSync(path).size > 2_000_000 || path.startsWith("test/tidy")) continue;
    const text = readFileSync(path, "utf8");
    for (const match of text.matchAll(/(?<![\w.~/-])\/(?:work|home|root|Users)\/[\w.-]+/g)) {
      findings.push({ path, line: lineAt(text, match.index), what: match[0] });
    }
  }
  expectNone(findings, "Machine paths.");
});
