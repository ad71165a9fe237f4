// `npm run package`: makes the npm package, `dist/trunkline-VERSION.tgz`. It has the bundle, and so installs no packages but the
// pinned Node, and the bridge to WhatsApp without types and comments, since Node strips no types in `node_modules`.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "vite";

const folder = "dist/package";
/** Copied unchanged. */
const copied = [
  "bin",
  "scripts/compile-cache.mjs",
  "scripts/health.mjs",
  "ui/dist",
  "bridge/whatsapp/package.json",
  "bridge/whatsapp/package-lock.json",
  "docs/reference/openapi.json",
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

/** Its line breaks, and spaces for the last line, after which code may continue. */
function blank(comment: string): string {
  const lines = comment.split("\n");
  return "\n".repeat(lines.length - 1) + " ".repeat(lines.at(-1)?.length ?? 0);
}

interface Manifest {
  [field: string]: unknown;
  version: string;
}

/** The package's own `package.json`: without the entries that only this repository needs. */
function manifestOf(manifest: Manifest): Manifest {
  const { private: _, dependencies, devDependencies, scripts, imports, ...kept } = manifest;
  return { ...kept, ...addresses(process.env), bin: { trunkline: "bin/trunkline.mjs" } };
}

/** Where the package comes from. The release workflow knows it, and npm's provenance compares it with the repository of the workflow. */
function addresses({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }: NodeJS.ProcessEnv): object {
  if (!server || !repository) return {};
  const home = `${server}/${repository}`;
  return {
    homepage: `${home}#readme`,
    repository: { type: "git", url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
  };
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const writeJson = (path: string, value: unknown) =>
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 1)}\n`);

rmSync("dist", { recursive: true, force: true });
for (const path of globSync("bridge/whatsapp/*.ts")) {
  const to = join(folder, path.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, toJavaScript(readFileSync(path, "utf8")));
}
// Messages, settings and `trunkline init` name these pages. Their pictures stay out.
for (const path of [...copied, ...globSync("docs/**/*.md")])
  cpSync(path, join(folder, path), { recursive: true });
// Compressed files are not included twice.
for (const path of globSync(`${folder}/ui/dist/**/*.gz`)) rmSync(path.replace(/\.gz$/, ""));
const build = ["scripts/build-service.mjs", `--into=${folder}/build/service`];
const built = spawnSync(process.execPath, build, { encoding: "utf8", stdio: "inherit" });
if (built.status !== 0) throw new Error("The service was not bundled.");
writeJson("package.json", manifestOf(readJson<Manifest>("package.json")));
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
