// A hostile release of the WhatsApp library, in the bridge as Trunkline starts it: it reaches no file, no other program and
// nothing on this machine.

import assert from "node:assert/strict";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { bridgePermissions } from "#gateways/whatsapp/linked/linked.ts";
import { linkedSettings } from "#gateways/whatsapp/linked/settings.ts";
import { type ChildPermissions, startChild } from "#runtime/children/child-process.ts";
import { systemClock } from "#runtime/clock.ts";
import { hostileModule, type Targets } from "./hostile-library.ts";
import { bridgeFolder } from "./real-bridge.ts";
import { notInstalled } from "./wa-server.ts";

interface Place {
  targets: Targets;
  /** What the bridge may do. */
  permissions: ChildPermissions;
  /** How many connections the listeners have taken. */
  connections(): number;
  /** What became of each try, in a bridge with these permissions. */
  tried(permissions: ChildPermissions): Promise<[name: string, result: string][]>;
}

/** A copy of the bridge with a hostile library, and what it aims at. */
async function openPlace(context: TestContext): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "hostile-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  const own = join(root, "bridge", "whatsapp");
  cpSync(bridgeFolder, own, { recursive: true });
  const folder = join(root, "data");
  mkdirSync(folder);
  const file = join(folder, "secret");
  const database = join(folder, "trunkline.db");
  writeFileSync(file, "a secret");
  for (const name of ["module.mjs", "module.cjs", "addon.node"]) writeFileSync(join(folder, name), "");
  new DatabaseSync(database).close();

  let connections = 0;
  const listeners = [createServer(), createServer()].map((server) =>
    server.on("connection", (made) => {
      connections += 1;
      made.destroy();
    }),
  );
  const socket = join(root, "listener.sock");
  const [onPort, onPath] = listeners as [Server, Server];
  await Promise.all([once(onPort.listen(0, "::"), "listening"), once(onPath.listen(socket), "listening")]);
  context.after(() => listeners.map((server) => server.close()));
  const { port } = onPort.address() as AddressInfo;

  const targets = { file, folder, database, own, port, socket, parent: process.pid };
  appendFileSync(join(own, "node_modules", "baileys", "lib", "index.js"), hostileModule(targets));
  const module = pathToFileURL(join(own, "main.ts"));
  const bridge = { module: () => module, folder: pathToFileURL(`${own}/`) };
  return {
    targets,
    permissions: bridgePermissions(bridge, linkedSettings.parse({ accept_risk: true })),
    connections: () => connections,
    tried: async (permissions) => {
      const child = startChild({ module, clock: systemClock(), permissions });
      context.after(() => child.stop());
      return await Promise.race([
        new Promise<[string, string][]>((resolve) =>
          child.onMessage((message) => resolve((message as { tries: [string, string][] }).tries)),
        ),
        child.ended.then((reason) => assert.fail(reason)),
      ]);
    },
  };
}

const allowedIn = (tries: readonly [string, string][]) =>
  tries.filter(([, result]) => result === "allowed").map(([name]) => name);

const options = { skip: notInstalled, timeout: 60_000 };

test("a hostile library is refused what it tries", options, async (context) => {
  const { targets, permissions, connections, tried } = await openPlace(context);
  const before = readdirSync(targets.folder);
  const tries = await tried(permissions);
  assert.deepEqual(allowedIn(tries), []);
  assert.deepEqual(tries[0], ["environment", "empty"]);
  assert.equal(connections(), 0);
  assert.equal(readFileSync(targets.file, "utf8"), "a secret");
  assert.deepEqual(readdirSync(targets.folder), before);
});

test(
  "the control: what may be read and the whole network are reached by the same tries",
  options,
  async (context) => {
    const { targets, permissions, connections, tried } = await openPlace(context);
    const read = [...permissions.read, pathToFileURL(`${targets.folder}/`)];
    const allowed = allowedIn(await tried({ network: "all", read, write: [] }));
    // Writing, programs and what needs an answer are not, and an HTTP/2 session may see the end of its connection first.
    const reads = [
      ...["readFileSync", "readFileSync, Buffer", "readFileSync, URL", "readFileSync, upwards"],
      ...["promises.readFile", "promises.open", "createReadStream", "openSync", "openAsBlob"],
      ...["readdirSync", "opendirSync", "statSync", "watch", "import", "require", "chdir and read"],
    ];
    const connects = [
      ...["connect", "connect, no host", "connect, a name", "connect, another loopback address"],
      ...["connect, mapped", "connect, unspecified", "connect, a number", "connect, hexadecimal"],
      ...["connect, its own look-up", "connect, a socket's method"],
      ...["connect, a Unix socket", "connect, a Unix socket by option"],
      ...["listen", "listen, a Unix socket", "datagram"],
    ];
    assert.deepEqual(
      allowed.filter((name) => name !== "http2"),
      [...reads, ...connects],
    );
    assert.ok(connections() >= 12);
  },
);
