// The limits that Node keeps by itself.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import test from "node:test";
import { createHttpServer } from "#runtime/net/http-server.ts";

const limits = { headersMs: 1, checkMs: 2, requestMs: 3, keepAliveMs: 4, maxConnections: 1 };

test("the limits are the server's", () => {
  const server = createHttpServer(limits, () => {});
  assert.deepEqual(
    [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxConnections],
    [1, 3, 4, 1],
  );
});

test("a connection beyond the bound is closed, and those within it are answered", async () => {
  const server = createHttpServer(
    { ...limits, headersMs: 10_000, requestMs: 10_000 },
    (_request, response) => {
      response.end("well");
    },
  );
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
