// Builds the service (src/ and the packages it uses) into build/service/ when its sources or packages have changed since:
// one file for each thread, and for the process one for what every start loads and further ones for what is loaded on demand.
// `npm start` does so; `npm run dev` and most tests run the sources. A build that fails is a warning, and the sources run. Plain
// JavaScript, because it also runs under the Node that the machine has. Options: --always; --into=FOLDER, for a package.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleFolder, isBundled, sourceStamp } from "../bin/program.mjs";
import { asLatin1 } from "./latin1.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Modules that run in a thread or a process of their own, as `ownModule` names them. */
function ownModules() {
  const names = readdirSync(join(root, "src"), { recursive: true }).filter((name) => name.endsWith(".ts"));
  return names.flatMap((name) =>
    [...readFileSync(join(root, "src", name), "utf8").matchAll(/\bownModule\("([\w/-]+)"\)/g)].map(
      ([, module]) => module,
    ),
  );
}

/** The folder of the package that a file belongs to, or null for a source. */
function packageOf(file) {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll("\\", "/"));
  return found === null ? null : found[0];
}

/** The licences of the packages in the bundle, which must accompany every copy. */
function licences(packages) {
  return [...packages]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .map((file) => readFileSync(join(folder, file), "utf8").trim());
      return [`${name} ${version} (${license})`, ...texts].join("\n\n");
    })
    .join(`\n\n${"-".repeat(80)}\n\n`);
}

/**
 * `node:http` as a module of its exported values. Node's own module reads each export once, and those of WebSocket load undici, which
 * takes 45 ms of CPU and 16 MiB at every start.
 */
const httpWithoutUndici = {
  name: "http-without-undici",
  resolveId: (source, _importer, { kind }) =>
    /^(node:)?http$/.test(source) && kind === "import-statement" ? "\0http" : null,
  load(id) {
    if (id !== "\0http") return null;
    const http = process.getBuiltinModule("node:http");
    const values = Object.entries(Object.getOwnPropertyDescriptors(http)).filter(([, { get }]) => !get);
    return `const http = process.getBuiltinModule("node:http");
      export const { ${values.map(([name]) => name).join(", ")} } = http;
      export default http;`;
  },
};

/** Rewrites a file and its source map. */
function writeLatin1(file) {
  // A file that only passes on what others export has no map.
  if (!existsSync(`${file}.map`)) return;
  const { code, map } = asLatin1(readFileSync(file, "utf8"), JSON.parse(readFileSync(`${file}.map`, "utf8")));
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, JSON.stringify(map));
}

/** A process that runs an older build may still load its files, which have names of their own. */
const keptMs = 7 * 86_400_000;

/** Moves a build into its place; the stamp is written last. */
function replace(target, fresh) {
  mkdirSync(target, { recursive: true });
  rmSync(join(target, "stamp"), { force: true });
  const names = readdirSync(fresh).filter((name) => name !== "stamp");
  for (const name of [...names, "stamp"]) renameSync(join(fresh, name), join(target, name));
  const current = new Set(names);
  const since = Date.now() - keptMs;
  for (const name of readdirSync(target))
    if (name !== "stamp" && !current.has(name) && statSync(join(target, name)).mtimeMs < since)
      rmSync(join(target, name), { force: true });
}

/** Builds into a folder of its own first, so that a failure leaves the last build. */
async function build(target) {
  const { rolldown } = await import("rolldown");
  const fresh = `${target}.${process.pid}`;
  const packages = new Set();
  // Before it reads them: a source that changes meanwhile makes the bundle out of date.
  const stamp = sourceStamp(root);
  try {
    for (const [name, input, more] of [
      ["main", "main", { chunkFileNames: "[name]-[hash].mjs" }],
      // Each one separately: code shared with the process would be loaded completely in every thread.
      ...ownModules().map((module) => [module.replaceAll("/", "-"), module, { codeSplitting: false }]),
    ]) {
      const bundle = await rolldown({
        cwd: root,
        input: { [name]: `src/${input}.ts` },
        platform: "node",
        plugins: [httpWithoutUndici],
        logLevel: "silent",
      });
      const { output } = await bundle.write({
        dir: fresh,
        format: "esm",
        entryFileNames: "[name].mjs",
        // Names are kept, for stack traces.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        sourcemap: true,
        sourcemapExcludeSources: true,
        ...more,
      });
      await bundle.close();
      for (const file of output.flatMap((chunk) => chunk.moduleIds ?? [])) {
        const folder = packageOf(file);
        if (folder !== null && existsSync(join(folder, "package.json"))) packages.add(folder);
      }
    }
    for (const name of readdirSync(fresh)) if (name.endsWith(".mjs")) writeLatin1(join(fresh, name));
    writeFileSync(join(fresh, "LICENSES.txt"), `${licences(packages)}\n`);
    writeFileSync(join(fresh, "stamp"), stamp);
    replace(target, fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const into = process.argv.find((word) => word.startsWith("--into="))?.slice("--into=".length);
const always = into !== undefined || process.argv.includes("--always");
try {
  if (always || !isBundled(root)) await build(resolve(root, into ?? bundleFolder));
} catch (error) {
  console.error(
    `The service could not be bundled, so its sources run, which start more slowly: ${error instanceof Error ? error.message : error}`,
  );
  if (always) process.exitCode = 1;
}
