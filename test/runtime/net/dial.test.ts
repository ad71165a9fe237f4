// Connections to mail servers: guarded as requests are, within their time, and never left behind when no caller waits.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { readAllowList } from "#runtime/net/address.ts";
import {
  type Connector,
  guardedConnector,
  guardedLookup,
  type ResolvedAddress,
} from "#runtime/net/connect.ts";
import { createDial } from "#runtime/net/dial.ts";
import { cert, key } from "../../gateways/email/certificate.ts";
import { memoryLog } from "../../log.ts";
import { closedPort, openPeer } from "../peer.ts";

const patience = 10_000;
const loopback = readAllowList("127.0.0.0/8");
const nothing = readAllowList("");

/** `names`: what DNS says. */
function dialler(allow = loopback, names: Record<string, ResolvedAddress[]> = {}) {
  const log = memoryLog();
  const lookup = async (host: string) => {
    const found = names[host];
    if (found === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return found;
  };
  const connector = guardedConnector(allow, guardedLookup(allow, lookup));
  return { log, dial: createDial(connector, log) };
}

test("the socket that comes back is connected, plain, and the caller's", async () => {
  const peer = await openPeer({ onConnect: (socket) => void socket.write("220 hello\r\n") });
  try {
    const dialled = await dialler().dial({ host: "127.0.0.1", port: peer.port, timeoutMs: patience });
    assert.ok(dialled.kind === "connected");
    const [greeting] = await once(dialled.socket, "data");
    assert.equal(String(greeting), "220 hello\r\n");
    dialled.socket.write("QUIT\r\n");
    dialled.socket.end();
    await once(dialled.socket, "close");
    assert.deepEqual(peer.received(), ["QUIT\r\n"]);
  } finally {
    await peer.close();
  }
});

test("a name is asked for, and every address of it is judged", async () => {
  const peer = await openPeer();
  const names = {
    "mail.test": [{ address: "127.0.0.1", family: 4 }],
    "mixed.test": [
      { address: "127.0.0.1", family: 4 },
      { address: "10.0.0.7", family: 4 },
    ],
  };
  try {
    const { dial, log } = dialler(loopback, names);
    const good = await dial({ host: "mail.test", port: peer.port, timeoutMs: patience });
    assert.ok(good.kind === "connected");
    good.socket.destroy();
    const mixed = await dial({ host: "mixed.test", port: peer.port, timeoutMs: patience });
    assert.ok(mixed.kind === "not_sent" && mixed.code === "url_not_allowed");
    assert.ok(!mixed.reason.includes("10.0.0.7"), "who asks must not read the inner DNS by it");
    assert.match(log.text(), /10\.0\.0\.7/);
    assert.equal(peer.connections(), 1);
    const unknown = await dial({ host: "absent.test", port: peer.port, timeoutMs: patience });
    assert.deepEqual(unknown, {
      kind: "not_sent",
      code: "unreachable",
      reason: "absent.test could not be reached (ENOTFOUND).",
    });
  } finally {
    await peer.close();
  }
});

test("private and loopback addresses are refused in every spelling, before a byte goes out", async () => {
  const peer = await openPeer({ onConnect: (socket) => void socket.write("220 inside\r\n") });
  try {
    const { dial } = dialler(nothing, { "rebound.test": [{ address: "127.0.0.1", family: 4 }] });
    for (const host of ["127.0.0.1", "localhost", "rebound.test", "::1", "::ffff:127.0.0.1", "0.0.0.0"]) {
      const dialled = await dial({ host, port: peer.port, timeoutMs: patience });
      assert.equal(dialled.kind, "not_sent", host);
    }
    assert.deepEqual(
      peer.received().filter((text) => text !== ""),
      [],
    );
  } finally {
    await peer.close();
  }
});

test("no server listens: unreachable, with the system's word for it", async () => {
  const port = await closedPort();
  assert.deepEqual(await dialler().dial({ host: "127.0.0.1", port, timeoutMs: patience }), {
    kind: "not_sent",
    code: "unreachable",
    reason: "127.0.0.1 could not be reached (ECONNREFUSED).",
  });
});

/** A connector that connects when the test says so. */
function slowConnector() {
  const begun = Promise.withResolvers<(socket: Socket) => void>();
  const connector: Connector = {
    connect: (_options, callback) => begun.resolve((socket) => callback(null, socket)),
    abandon() {},
  };
  return { connector, connected: begun.promise };
}

/** A socket that is really connected, to no particular server. */
async function someSocket(): Promise<{ socket: Socket; close(): void }> {
  const peer = await openPeer();
  const dialled = await dialler().dial({ host: "127.0.0.1", port: peer.port, timeoutMs: patience });
  assert.ok(dialled.kind === "connected");
  return { socket: dialled.socket, close: () => void peer.close() };
}

test("too slow: given up, and what connects afterwards is closed", async () => {
  const { connector, connected } = slowConnector();
  const dialled = await createDial(connector)({ host: "slow.test", port: 25, timeoutMs: 1 });
  assert.deepEqual(dialled, {
    kind: "not_sent",
    code: "unreachable",
    reason: "slow.test did not answer in time.",
  });
  const { socket, close } = await someSocket();
  (await connected)(socket);
  assert.equal(socket.destroyed, true);
  close();
});

test("stopped: before it begins nothing is opened, and meanwhile what is opened is closed", async () => {
  const { connector, connected } = slowConnector();
  const dial = createDial(connector);
  const stop = new AbortController();
  const running = dial({ host: "slow.test", port: 25, timeoutMs: patience, signal: stop.signal });
  const found = await connected;
  stop.abort();
  const aborted = { kind: "not_sent", code: "aborted", reason: "It was stopped before it was sent." };
  assert.deepEqual(await running, aborted);
  const { socket, close } = await someSocket();
  found(socket);
  assert.equal(socket.destroyed, true);
  close();
  assert.deepEqual(
    await createDial({ connect: () => assert.fail("it was stopped"), abandon() {} })({
      host: "slow.test",
      port: 25,
      timeoutMs: patience,
      signal: stop.signal,
    }),
    aborted,
  );
});

test("TLS from the start: by the authority that is named, and otherwise by none that is not public", async (context) => {
  const server = createTlsServer({ key, cert }, (socket) => void socket.end("hello"));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const target = { host: "localhost", port, timeoutMs: patience };
  const dialled = await dialler().dial({ ...target, tls: { ca: cert } });
  assert.ok(dialled.kind === "connected", JSON.stringify(dialled));
  const [greeting] = await once(dialled.socket, "data");
  assert.equal(String(greeting), "hello");
  dialled.socket.destroy();
  const refused = await dialler().dial({ ...target, tls: {} });
  assert.ok(refused.kind === "not_sent" && refused.code === "unreachable");
  assert.match(refused.reason, /^No secure connection to localhost came about \([A-Z_]+\)\.$/);
});
