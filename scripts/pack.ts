// `npm run package`: makes the npm package, `dist/trunkline-VERSION.tgz`. It has the sources without their types, which Node does
// not strip in `node_modules`, and without comments; lines and columns stay, so that stack traces fit the sources. Its
// shrinkwrap pins each package as the lock of this repository does.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "vite";

const folder = "dist/package";
/** What is copied as it is. */
const copied = [
  "bin",
  "scripts/compile-cache.mjs",
  "scripts/health.mjs",
  "ui/dist",
  "bridge/whatsapp/package.json",
  "bridge/whatsapp/package-lock.json",
  "CHANGELOG.md",
  "LICENSE",
  "NOTICE",
  "README.md",
  "SECURITY.md",
  ".env.example",
];

/** A source as JavaScript: specifiers of modules, also in `new URL`, end in `.js`. */
function toJavaScript(source: string): string {
  let code = stripTypeScriptTypes(source, { mode: "strip" });
  const { comments } = parseSync("source.js", code);
  for (const { start, end } of comments.toReversed())
    code = code.slice(0, start) + blank(code.slice(start, end)) + code.slice(end);
  return code.replace(/(["'])([#.\w][\w./#-]*)\.ts\1/g, "$1$2.js$1");
}

/** Its line breaks, and spaces for the last line, behind which code may go on. */
function blank(comment: string): string {
  const lines = comment.split("\n");
  return "\n".repeat(lines.length - 1) + " ".repeat(lines.at(-1)?.length ?? 0);
}

interface Manifest {
  [field: string]: unknown;
  version: string;
}

/** The package's own `package.json`: nothing of it is for this repository alone. */
function manifestOf(manifest: Manifest): Manifest {
  const { private: _, devDependencies, scripts, ...kept } = manifest;
  return {
    ...kept,
    // `bin/trunkline.mjs` brings Node 26 along.
    engines: { node: ">=20" },
    imports: { "#*": "./src/*" },
    bin: { trunkline: "bin/trunkline.mjs" },
  };
}

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; [field: string]: unknown }>;
  [field: string]: unknown;
}

/** The lock without what serves development alone. */
function shrinkwrapOf(lock: Lock, manifest: Manifest): Lock {
  const { dependencies, optionalDependencies, bin, engines, name, version, license } = manifest;
  const root = { name, version, license, dependencies, optionalDependencies, bin, engines };
  const packages = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && !entry.dev);
  return { ...lock, packages: { "": root, ...Object.fromEntries(packages) } };
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const writeJson = (path: string, value: unknown) =>
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 1)}\n`);

rmSync("dist", { recursive: true, force: true });
for (const path of globSync(["src/**/*.ts", "bridge/whatsapp/*.ts"])) {
  const to = join(folder, path.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, toJavaScript(readFileSync(path, "utf8")));
}
for (const path of copied) cpSync(path, join(folder, path), { recursive: true });
// What is compressed is not there twice.
for (const path of globSync(`${folder}/ui/dist/**/*.gz`)) rmSync(path.replace(/\.gz$/, ""));
const manifest = manifestOf(readJson<Manifest>("package.json"));
writeJson("package.json", manifest);
writeJson("npm-shrinkwrap.json", shrinkwrapOf(readJson<Lock>("package-lock.json"), manifest));
const packed = spawnSync("npm", ["pack", "--pack-destination", "..", "--json"], {
  cwd: folder,
  encoding: "utf8",
  shell: process.platform === "win32",
});
if (packed.status !== 0) throw new Error(packed.stderr);
const [{ filename, size, entryCount }] = JSON.parse(packed.stdout) as [
  { filename: string; size: number; entryCount: number },
];
console.log(`dist/${filename}: ${entryCount} files, ${(size / 1e6).toFixed(2)} MB.`);
