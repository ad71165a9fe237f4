// What a bounded child is refused beside what Node's permission model denies. Everything that a hostile library may try is in
// test/gateways/whatsapp/linked/hostile-library.test.ts.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Child, type ChildNetwork, startChild } from "#runtime/children/child-process.ts";
import { systemClock } from "#runtime/clock.ts";

const module = new URL("./channel-child.ts", import.meta.url);

async function ask(child: Child, message: unknown): Promise<unknown> {
  const answer = new Promise((resolve) => child.onMessage(resolve));
  child.send({ channel: 1, message });
  return ((await answer) as { message: unknown }).message;
}

test("a child reaches its own machine where it may, and only there", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "bound-"));
  const path = join(folder, "listener.sock");
  const onPort = createServer().listen(0, "127.0.0.1");
  const onPath = createServer().listen(path);
  await Promise.all([once(onPort, "listening"), once(onPath, "listening")]);
  const { port } = onPort.address() as AddressInfo;
  const start = (network: ChildNetwork, only?: string) => {
    const child = startChild({
      module,
      clock: systemClock(),
      permissions: { network, ...(only !== undefined && { only }), read: [module], write: [] },
    });
    context.after(() => child.stop());
    return child;
  };
  context.after(() => {
    onPort.close();
    onPath.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const outside = start("outside");
  assert.equal(await ask(outside, { connect: port }), "EACCES");
  assert.equal(await ask(outside, { connect: path }), "EACCES");
  const all = start("all");
  assert.equal(await ask(all, { connect: port }), "done");
  assert.equal(await ask(all, { connect: path }), "done");
  const proxied = start("outside", `127.0.0.1:${port}`);
  assert.equal(await ask(proxied, { connect: port }), "done");
  assert.equal(await ask(proxied, { connect: path }), "EACCES");
  const elsewhere = start("all", "192.0.2.1:1080");
  assert.equal(await ask(elsewhere, { connect: port }), "EACCES");
  // `process.kill` and `os.setPriority` are no functions there.
  for (const child of [outside, all])
    for (const tried of [{ signal: process.pid }, { slow: process.pid }])
      assert.match(String(await ask(child, tried)), /^TypeError/);
});
