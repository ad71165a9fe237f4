// The limits that Node keeps by itself, and how a server is opened and closed.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import test from "node:test";
import { HttpServer } from "#runtime/net/http-server.ts";

const serving = (
  limits: ConstructorParameters<typeof HttpServer>[0],
  answer: RequestListener,
  onClosed = () => {},
) => new HttpServer(limits, answer, answer, onClosed);
const limits = { headersMs: 1, checkMs: 2, requestMs: 3, keepAliveMs: 4, maxConnections: 1 };

test("the limits are the server's", () => {
  const { server } = serving(limits, () => {});
  assert.deepEqual(
    [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxConnections],
    [1, 3, 4, 1],
  );
});

test("a connection beyond the bound is closed, and those within it are answered", async () => {
  const { server } = serving({ ...limits, headersMs: 10_000, requestMs: 10_000 }, (_request, response) => {
    response.end("well");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const first = connect(port, "127.0.0.1");
  await once(first, "connect");
  const second = connect(port, "127.0.0.1");
  await once(second.resume(), "close");
  first.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let received = "";
  first.on("data", (chunk) => {
    received += chunk;
  });
  await once(first, "close");
  assert.match(received, /well$/);
  server.close();
});

const patient = {
  headersMs: 10_000,
  checkMs: 10_000,
  requestMs: 10_000,
  keepAliveMs: 60_000,
  maxConnections: 10,
};

for (const [host, url, others] of [
  ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/, []],
  ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/, []],
  ["localhost", /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/, ["127.0.0.1"]],
] as const)
  test(`${host}: the URL reaches the server, and a second server finds its port in use`, async () => {
    const app = serving(patient, (_request, response) => response.end("well"));
    const address = await app.listen({ host, port: 0 });
    assert.match(address, url);
    const { port } = new URL(address);
    for (const each of [address, ...others.map((other) => `http://${other}:${port}`)])
      assert.equal(await (await fetch(each, { headers: { connection: "close" } })).text(), "well", each);
    const second = serving(patient, () => {});
    await assert.rejects(second.listen({ host, port: Number(port) }), { code: "EADDRINUSE" });
    await Promise.all([second.close(), app.close()]);
  });

test("closing ends idle connections and waits for the request in progress", async () => {
  let answer = () => {};
  let isClosed = false;
  const app = serving(
    patient,
    (request, response) => {
      if (request.url === "/idle") response.end("well");
      else answer = () => response.end("late");
    },
    () => {
      isClosed = true;
    },
  );
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const open = async (path: string) => {
    const socket = connect(Number(port), "127.0.0.1");
    const begun = once(app.server, "request");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await begun;
    return socket;
  };
  const idle = await open("/idle");
  await once(idle, "data");
  const busy = await open("/busy");
  assert.equal(app.isClosing, false);
  const closing = app.close();
  assert.equal(app.isClosing, true);
  await once(idle, "close");
  assert.equal(isClosed, false);
  const received = once(busy, "data");
  answer();
  assert.match(String((await received)[0]), /late$/);
  busy.destroy();
  await closing;
  assert.equal(isClosed, true);
  await app.close();
});
