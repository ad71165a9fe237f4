// Builds the dashboard (ui/ into ui/dist/) when its sources or its tools have changed since it was last built. Runs before
// each start: comparing takes some milliseconds. A build that fails is a warning, and the service starts all the same.
// Plain JavaScript, because it also runs under the Node that the machine has. Option: --always.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const ui = join(root, "ui");
const dist = join(ui, "dist");
/** Below that, compressing gains nothing. */
const worthwhile = 1_024;

/** What the dashboard shares with the service, as `test/ui/source.test.ts` holds it. */
const shared = ["src/contract/messages/segments.ts"];

/** The inputs of the build, and the tools that perform it. */
const packages = [
  "vite",
  "react",
  "react-dom",
  "@base-ui/react",
  "@fontsource-variable/geist",
  "@fontsource-variable/geist-mono",
  "@tanstack/react-query",
  "@tanstack/react-router",
  "@tanstack/react-virtual",
  "d3-scale",
  "d3-shape",
  "eventsource-parser",
  "lucide-react",
];

/** A hash of the inputs. */
function stampOf() {
  const hash = createHash("sha256");
  for (const name of readdirSync(ui, { recursive: true }).sort()) {
    if (/^dist/.test(name) || !/\.(ts|tsx|css|html|json|svg)$/.test(name)) continue;
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(ui, name)))
      .update("\0");
  }
  for (const name of shared) hash.update(readFileSync(join(root, name))).update("\0");
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  for (const name of packages) hash.update(`${name}@${lock[`node_modules/${name}`]?.version}\0`);
  return hash.digest("hex");
}

/** Builds into a folder of its own, which then replaces the old one, so that a failure leaves the old one. */
async function build(stamp) {
  const { build: viteBuild } = await import("vite");
  const fresh = join(ui, `dist.${process.pid}`);
  try {
    await viteBuild({
      root: ui,
      configFile: join(ui, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: fresh, emptyOutDir: true },
    });
    for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(path)) continue;
      const bytes = readFileSync(path);
      if (bytes.length > worthwhile) writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
    writeFileSync(join(fresh, "stamp"), stamp);
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

try {
  // The image contains only ui/dist.
  if (process.env.TRUNKLINE_DASHBOARD !== "false" && existsSync(join(ui, "index.html"))) {
    mkdirSync(ui, { recursive: true });
    const stamp = stampOf();
    const file = join(dist, "stamp");
    const current = existsSync(file) && readFileSync(file, "utf8") === stamp;
    if (!current || process.argv.includes("--always")) await build(stamp);
  }
} catch (error) {
  console.error(
    `The dashboard was not built, so its pages ${existsSync(dist) ? "are those of the last build" : "are missing"}: ${error instanceof Error ? error.message : error}`,
  );
  if (process.argv.includes("--always")) process.exitCode = 1;
}
