// The service in the test's own process, where the commands find it: for commands that need nothing of it but its API.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { openOperatorSocket } from "#http/server/operator-socket.ts";
import type { SocketFile } from "#runtime/net/socket-file.ts";
import { type Harness, harness } from "../harness.ts";

/** Runs it with a data folder, with the account of a first start, while the tests of the file or suite run. `url` is its address then. */
export function serveHere(folder: string, data: string): { url: string } {
  const service = { url: "" };
  let it: Harness;
  let socket: SocketFile;
  before(async () => {
    it = await harness();
    await it.system.createDefaultAccount();
    mkdirSync(join(folder, data));
    const opened = await openOperatorSocket(it.system.app.server, join(folder, data, "trunkline.sock"));
    assert.ok(!("reason" in opened));
    socket = opened;
    service.url = await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  });
  after(async () => {
    socket?.close();
    await it?.close();
  });
  return service;
}
