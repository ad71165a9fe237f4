// A module in a process of its own: messages in order, ends that are noticed, and no way to stop or to outlive this one.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import test from "node:test";
import { type Child, startChild } from "#runtime/children/child-process.ts";
import { systemClock } from "#runtime/clock.ts";
import { movableClock } from "#runtime/movable-clock.ts";

const module = new URL("./echo-child.ts", import.meta.url);

/** Sends a message and resolves with the next one that comes. */
function ask(child: Child, message: unknown): Promise<unknown> {
  const answer = new Promise((resolve) => child.onMessage(resolve));
  child.send(message);
  return answer;
}

test("values go both ways, bytes and maps as what they are", async () => {
  const child = startChild({ module, clock: systemClock() });
  const value = { bytes: new Uint8Array([1, 2, 3]), map: new Map([["a", 1n]]) };
  const answer = (await ask(child, value)) as typeof value;
  assert.deepEqual([...answer.bytes], [1, 2, 3]);
  assert.equal(answer.map.get("a"), 1n);
  await child.stop();
});

test("it knows nothing of our environment", async () => {
  const child = startChild({ module, clock: systemClock() });
  const names = (await ask(child, "environment")) as string[];
  assert.deepEqual(
    names.filter((name) => !name.startsWith("NODE_CHANNEL_")),
    [],
  );
  await child.stop();
});

test("an end of its own is noticed, with its reason, and what is sent afterwards is dropped", async () => {
  const crashed = startChild({ module, clock: systemClock() });
  crashed.send("crash");
  assert.equal(await crashed.ended, "The child process ended with signal SIGKILL.");
  crashed.send("anything");
  const left = startChild({ module, clock: systemClock() });
  left.send("leave");
  assert.equal(await left.ended, "The child process ended with code 7.");
  await left.stop();
});

test("a module that is not there ends at once", async () => {
  const child = startChild({ module: new URL("./no-such-child.ts", import.meta.url), clock: systemClock() });
  assert.equal(await child.ended, "The child process ended with code 1.");
});

test("output that is not read stops nothing", async () => {
  const child = startChild({ module, clock: systemClock() });
  assert.equal(await ask(child, "noise"), "made noise");
  await child.stop();
});

test("one that ignores the request to end is killed after five seconds", async () => {
  const clock = movableClock();
  const child = startChild({ module, clock });
  assert.equal(await ask(child, "deaf"), "is deaf");
  const stopped = child.stop();
  await clock.advance(5_000);
  await stopped;
  assert.equal(await child.ended, "The child process ended with signal SIGKILL.");
});

test("it ends when the process that started it is killed", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const script = `
    import { startChild } from ${JSON.stringify(import.meta.resolve("#runtime/children/child-process.ts"))};
    import { systemClock } from ${JSON.stringify(import.meta.resolve("#runtime/clock.ts"))};
    const child = startChild({ module: new URL(${JSON.stringify(module.href)}), clock: systemClock() });
    child.send({ port: ${port} });
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  const [socket] = (await once(server, "connection")) as [Socket];
  const gone = once(socket.resume(), "close", { signal: AbortSignal.timeout(30_000) });
  parent.kill("SIGKILL");
  await assert.doesNotReject(gone, "the child runs on without the process that started it");
  server.close();
});
