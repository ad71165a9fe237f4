// One process for many users: each has a channel of its own, and the process ends with the last.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Child } from "#runtime/children/child-process.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { systemClock } from "#runtime/clock.ts";

const module = new URL("./channel-child.ts", import.meta.url);
const permissions = { network: "none" as const, read: [module], write: [] };

function ask(child: Child, message: unknown): Promise<unknown> {
  const answer = new Promise((resolve) => child.onMessage(resolve));
  child.send(message);
  return answer;
}

test("users of one process hear their own answers, until it is full", async () => {
  const children = new SharedChildren(systemClock());
  const open = () => children.open(module, { permissions, maxChannels: 2 });
  const [one, two, three] = [open(), open(), open()];
  const pids = await Promise.all([one, two, three].map((child) => ask(child, "pid")));
  assert.equal(pids[0], pids[1]);
  assert.notEqual(pids[0], pids[2]);
  await one.stop();
  assert.equal(await ask(two, "closed"), 1);
  await two.stop();
  assert.match(await two.ended, /SIGTERM/);
  await three.stop();
});

test("users with other permissions have another process", async () => {
  const children = new SharedChildren(systemClock());
  const open = (only: string | null) =>
    children.open(module, { permissions: { ...permissions, only }, maxChannels: 20 });
  const three = [open("proxy.test:1"), open("proxy.test:1"), open("proxy.test:2")];
  const pids = await Promise.all(three.map((child) => ask(child, "pid")));
  assert.equal(pids[0], pids[1]);
  assert.notEqual(pids[0], pids[2]);
  await Promise.all(three.map((child) => child.stop()));
});

test("an end of the process is the end for all that use it, and another one is started for the next", async () => {
  const children = new SharedChildren(systemClock());
  const open = () => children.open(module, { permissions, maxChannels: 20 });
  const [one, two] = [open(), open()];
  await ask(one, "pid");
  one.kill();
  assert.match(await two.ended, /SIGKILL/);
  const three = open();
  assert.equal(typeof (await ask(three, "pid")), "number");
  await Promise.all([one, two, three].map((child) => child.stop()));
});

test("it may read what it was given, and nothing else, and start no program", async () => {
  const children = new SharedChildren(systemClock());
  const child = children.open(module, { permissions, maxChannels: 1 });
  assert.equal(await ask(child, { read: module.pathname }), "read");
  const denied = "ERR_ACCESS_DENIED";
  for (const message of [
    { read: "/etc/hostname" },
    { write: "/tmp/written-by-a-child" },
    { run: "true" },
    { connect: 9 },
  ])
    assert.equal(await ask(child, message), denied, JSON.stringify(message));
  await child.stop();
});
