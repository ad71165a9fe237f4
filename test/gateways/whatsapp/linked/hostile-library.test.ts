// A hostile release of the WhatsApp library, in the bridge as Trunkline starts it: it reaches no file, no other program and
// nothing on this machine.

import assert from "node:assert/strict";
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
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { bridgePermissions } from "#gateways/whatsapp/linked/linked.ts";
import { linkedSettings } from "#gateways/whatsapp/linked/settings.ts";
import { startChild } from "#runtime/children/child-process.ts";
import { systemClock } from "#runtime/clock.ts";
import { hostileModule } from "./hostile-library.ts";
import { bridgeFolder } from "./real-bridge.ts";
import { notInstalled } from "./wa-server.ts";

test("a hostile library is refused what it tries", {
  skip: notInstalled,
  timeout: 60_000,
}, async (context) => {
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
  const before = readdirSync(folder);

  let connections = 0;
  const listeners = [createServer(), createServer()].map((server) =>
    server.on("connection", (made) => {
      connections += 1;
      made.destroy();
    }),
  );
  const socket = join(root, "listener.sock");
  await Promise.all(
    listeners.map(
      (server, at) =>
        new Promise<void>((resolve) =>
          at === 0 ? server.listen(0, "::", resolve) : server.listen(socket, resolve),
        ),
    ),
  );
  context.after(() => listeners.map((server) => server.close()));
  const { port } = listeners[0]!.address() as AddressInfo;

  const targets = { file, folder, database, own, port, socket, parent: process.pid };
  appendFileSync(join(own, "node_modules", "baileys", "lib", "index.js"), hostileModule(targets));
  const module = pathToFileURL(join(own, "main.ts"));
  const bridge = { module: () => module, folder: pathToFileURL(`${own}/`) };
  const settings = linkedSettings.parse({ accept_risk: true });
  const child = startChild({
    module,
    clock: systemClock(),
    permissions: bridgePermissions(bridge, settings),
  });
  context.after(() => child.stop());
  const tries = await Promise.race([
    new Promise<[string, string][]>((resolve) =>
      child.onMessage((message) => resolve((message as { tries: [string, string][] }).tries)),
    ),
    child.ended.then((reason) => assert.fail(reason)),
  ]);

  const allowed = tries.filter(([, result]) => result === "allowed").map(([name]) => name);
  assert.deepEqual(allowed, []);
  assert.deepEqual(tries[0], ["environment", "empty"]);
  assert.equal(connections, 0);
  assert.equal(readFileSync(file, "utf8"), "a secret");
  assert.deepEqual(readdirSync(folder), before);
});
