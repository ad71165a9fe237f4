// What a hostile release of the WhatsApp library would try, from inside the bridge. It is put in the library's place as
// text, runs when the library is loaded, and reports `allowed` or the code of the refusal for each try.

/** What the tries aim at. */
export interface Targets {
  /** A file outside of the bridge's folder, the folder around it, and a database there. */
  file: string;
  folder: string;
  database: string;
  /** A folder that the bridge may read. */
  own: string;
  /** A listener on loopback, and one on a Unix socket. */
  port: number;
  socket: string;
  /** The process that started the bridge. */
  parent: number;
}

/** The text of a module that runs every try and sends the results as `{ tries: [name, result][] }`. */
export const hostileModule = (targets: Targets): string => `
const targets = ${JSON.stringify(targets)};
await (${runTries.toString()})(targets);
`;

async function runTries({ file, folder, database, own, port, socket, parent }: Targets): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: What is tried is not typed.
  type Any = any;
  const anyProcess = process as Any;
  const get = (name: string): Any => anyProcess.getBuiltinModule(name);
  const fs = get("node:fs");
  const net = get("node:net");
  const { pathToFileURL } = get("node:url");
  const { once } = get("node:events");
  // What a try leaves behind must not end the bridge before the last one.
  process.removeAllListeners("uncaughtException").on("uncaughtException", () => {});
  const flat = (name: string) => `${folder}/${name}`;
  const connected = async (made: Any) => {
    await once(made, made.encrypted ? "secureConnect" : "connect");
  };
  const answered = async (made: Any) => {
    await once(made, "response");
  };

  const tries: Record<string, () => unknown> = {
    readFileSync: () => fs.readFileSync(file),
    "readFileSync, Buffer": () => fs.readFileSync(Buffer.from(file)),
    "readFileSync, URL": () => fs.readFileSync(pathToFileURL(file)),
    "readFileSync, upwards": () => fs.readFileSync(`${own}/../../../../../../../../../..${file}`),
    "readFileSync, /proc/self/root": () => fs.readFileSync(`/proc/self/root${file}`),
    "readFileSync, /proc/self/cwd": () => fs.readFileSync("/proc/self/cwd/package.json"),
    "readFileSync, own environment": () => fs.readFileSync("/proc/self/environ"),
    "readFileSync, parent's environment": () => fs.readFileSync(`/proc/${parent}/environ`),
    "readFileSync, parent's memory": () => fs.readFileSync(`/proc/${parent}/maps`),
    "promises.readFile": () => fs.promises.readFile(file),
    "promises.open": () => fs.promises.open(file),
    createReadStream: () => once(fs.createReadStream(file), "open"),
    openSync: () => fs.openSync(file, "r"),
    openAsBlob: async () => (await fs.openAsBlob(file)).text(),
    readdirSync: () => fs.readdirSync(folder),
    opendirSync: () => fs.opendirSync(folder),
    statSync: () => fs.statSync(file),
    copyFileSync: () => fs.copyFileSync(file, `${own}/copy`),
    cpSync: () => fs.cpSync(file, `${own}/copy`),
    watch: () => fs.watch(file).close(),
    writeFileSync: () => fs.writeFileSync(flat("written"), ""),
    "writeFileSync, own folder": () => fs.writeFileSync(`${own}/written`, ""),
    appendFileSync: () => fs.appendFileSync(file, "more"),
    truncateSync: () => fs.truncateSync(file),
    renameSync: () => fs.renameSync(file, flat("renamed")),
    unlinkSync: () => fs.unlinkSync(file),
    rmSync: () => fs.rmSync(folder, { recursive: true }),
    chmodSync: () => fs.chmodSync(file, 0o777),
    mkdirSync: () => fs.mkdirSync(flat("made")),
    mkdtempSync: () => fs.mkdtempSync("/tmp/made-"),
    symlinkSync: () => fs.symlinkSync(file, `${own}/link`),
    linkSync: () => fs.linkSync(file, `${own}/link`),
    import: () => import(`${pathToFileURL(folder)}/module.mjs`),
    require: () => get("node:module").createRequire(pathToFileURL(`${own}/x`))(flat("module.cjs")),
    "chdir and read": () => {
      process.chdir(folder);
      return fs.readFileSync("secret");
    },
    "sqlite, import": async () => Reflect.construct((await import("node:sqlite")).DatabaseSync, [database]),
    "sqlite, getBuiltinModule": () => Reflect.construct(get("node:sqlite").DatabaseSync, [database]),
    "sqlite, require": () =>
      Reflect.construct(get("node:module").createRequire(import.meta.url)("node:sqlite").DatabaseSync, [
        database,
      ]),
    spawnSync: () => {
      const { error } = get("node:child_process").spawnSync("true");
      if (error) throw error;
    },
    fork: () => get("node:child_process").fork(`${own}/main.ts`),
    cluster: () => get("node:cluster").fork(),
    Worker: () => Reflect.construct(get("node:worker_threads").Worker, ["0", { eval: true }]),
    binding: () => anyProcess.binding("fs"),
    dlopen: () => anyProcess.dlopen({ exports: {} }, flat("addon.node")),
    kill: () => anyProcess.kill(parent, "SIGUSR1"),
    _kill: () => anyProcess._kill(parent, 0),
    "kill, imported": async () => ((await import("node:process")) as Any).kill(parent, 0),
    "kill, getBuiltinModule": () => get("node:process").kill(parent, 0),
    setPriority: () => get("node:os").setPriority(parent, 19),
    "setPriority, imported": async () => ((await import("node:os")) as Any).setPriority(parent, 19),
    "debugging the parent": () => anyProcess._debugProcess(parent),
    inspector: () => get("node:inspector").open(0),
    report: () => process.report.writeReport(flat("report.json")),
    "heap snapshot": () => get("node:v8").writeHeapSnapshot(flat("heap")),
    WASI: () => Reflect.construct(get("node:wasi").WASI, [{ version: "preview1", preopens: { "/": "/" } }]),
    connect: () => connected(net.connect(port, "127.0.0.1")),
    "connect, no host": () => connected(net.connect(port)),
    "connect, a name": () => connected(net.connect(port, "localhost")),
    "connect, another loopback address": () => connected(net.connect(port, "127.9.9.9")),
    "connect, mapped": () => connected(net.connect(port, "::ffff:127.0.0.1")),
    "connect, unspecified": () => connected(net.connect(port, "0.0.0.0")),
    "connect, a number": () => connected(net.connect(port, "2130706433")),
    "connect, hexadecimal": () => connected(net.connect(port, "0x7f.1")),
    "connect, its own look-up": () =>
      connected(
        net.connect({
          port,
          host: "example.com",
          lookup: (_name: string, options: { all?: boolean }, done: Any) =>
            options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
        }),
      ),
    "connect, a socket's method": () => connected(new net.Socket().connect({ port, host: "127.0.0.1" })),
    "connect, a Unix socket": () => connected(net.connect(socket)),
    "connect, a Unix socket by option": () => connected(net.connect({ path: socket })),
    "tls.connect": () => connected(get("node:tls").connect({ port, host: "127.0.0.1" })),
    "http.get": () => answered(get("node:http").get(`http://127.0.0.1:${port}/`)),
    "http.get, a Unix socket": () => answered(get("node:http").get({ socketPath: socket })),
    http2: () => once(get("node:http2").connect(`http://127.0.0.1:${port}`), "connect"),
    fetch: () =>
      fetch(`http://127.0.0.1:${port}/`).catch(({ cause }) => {
        throw cause;
      }),
    WebSocket: async () => {
      const opened = new WebSocket(`ws://127.0.0.1:${port}/`);
      await new Promise((resolve, reject) => {
        opened.onopen = resolve;
        opened.onerror = () => reject(Object.assign(new Error("The socket failed."), { code: "failed" }));
      });
    },
    listen: () => once(net.createServer().listen(0), "listening"),
    "listen, a Unix socket": () => once(net.createServer().listen(flat("made.sock")), "listening"),
    datagram: async () => {
      const sender = get("node:dgram").createSocket("udp4");
      await new Promise((resolve, reject) =>
        sender.send("x", port, "127.0.0.1", (error: unknown) => (error ? reject(error) : resolve(null))),
      );
    },
  };
  const results: [string, string][] = [["environment", Object.keys(process.env).join() || "empty"]];
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      results.push([name, "allowed"]);
    } catch (error) {
      const { code, name: kind } = error as { code?: string; name?: string };
      results.push([name, code ?? kind ?? "refused"]);
    }
  }
  process.send?.({ tries: results });
}
