// The connections of an origin: how many are opened, which requests wait for one, and what each of them hears when the peer fails it.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { Connector } from "#runtime/net/connect.ts";
import { HttpClient } from "#runtime/net/http/client.ts";
import type { HttpConnection, HttpExchange } from "#runtime/net/http/connection.ts";
import { HttpError, type HttpErrorKind } from "#runtime/net/http/http-error.ts";
import { turn } from "../../asking.ts";
import { answer, closedPort, openPeer, type PeerScript } from "../../peer.ts";
import { ourClient } from "./collecting.ts";

const good = answer("ok");

/** What a peer does to a request, and the kind of failure that the caller gets; null for an answer. */
const failures: Record<string, [onRequest: (socket: Socket) => void, kind: HttpErrorKind | string | null]> = {
  "an answer": [(socket) => socket.write(good), null],
  "a close without an answer": [(socket) => socket.end(), "closed"],
  "a reset without an answer": [(socket) => socket.resetAndDestroy(), "ECONNRESET"],
  "a close inside the head": [(socket) => socket.end("HTTP/1.1 200 OK\r\nx-a"), "closed"],
  "a close behind 100 Continue": [(socket) => socket.end("HTTP/1.1 100 Continue\r\n\r\n"), "closed"],
  "a close inside a body with a length": [
    (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"),
    "cut",
  ],
  "a close inside a chunk": [
    (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc"),
    "cut",
  ],
  "a close between chunks": [
    (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"),
    "cut",
  ],
  "a close before the end of the trailers": [
    (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: 1\r\n"),
    "cut",
  ],
  "a close that ends the body": [(socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nok"), null],
  "another protocol": [(socket) => socket.write("SSH-2.0-OpenSSH_9\r\n"), "invalid"],
  "two framings": [
    (socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    "invalid",
  ],
  "a head without end": [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}`),
    "long_head",
  ],
};

for (const [name, [onRequest, kind]] of Object.entries(failures))
  test(`${name}: ${kind ?? "an answer"}, and the request is sent once`, async () => {
    const peer = await openPeer({ onRequest });
    const client = ourClient();
    const { error, body } = await client.ask(`http://127.0.0.1:${peer.port}`, "/", { method: "POST" });
    if (kind === null) assert.deepEqual([error, body], [null, "ok"]);
    else assert.equal(error instanceof HttpError ? error.kind : (error as NodeJS.ErrnoException).code, kind);
    assert.deepEqual([peer.connections(), peer.paths()], [1, ["/"]]);
    await client.close();
    await peer.close();
  });

/** A client with two connections to an origin, over a connector that opens them when the test says so. */
async function withTwo(
  script: PeerScript,
  run: (two: {
    client: HttpClient;
    /** Opens the next connection; with an error, it fails. */
    open: (error?: Error) => Promise<void>;
    opening: () => number;
    ask: (name: string, isOver?: () => boolean) => void;
    heard: string[];
    paths: () => string[];
  }) => Promise<void>,
): Promise<void> {
  const { connect } = await import("node:net");
  const peer = await openPeer(script);
  const waiting: Parameters<Connector["connect"]>[1][] = [];
  const connector: Connector = {
    connect: (_target, callback) => void waiting.push(callback),
    abandon() {},
  };
  const client = new HttpClient({ connector, connectionsPerOrigin: 2, idleMs: 60_000, hintMarginMs: 0 });
  const origin = `http://127.0.0.1:${peer.port}`;
  const heard: string[] = [];
  const ask = (name: string, isOver = () => false) => {
    const exchange: HttpExchange = {
      get isOver() {
        return isOver();
      },
      onStart() {},
      onHead() {},
      onData() {},
      onEnd: () => void heard.push(name),
      onError: (error) => void heard.push(`${name}: ${error.message}`),
    };
    const request = {
      origin,
      host: "a.test",
      path: `/${name}`,
      method: "GET",
      headers: {},
      body: null,
    } as const;
    client.send(request, exchange);
  };
  const open = async (error?: Error) => {
    const callback = waiting.shift()!;
    if (error !== undefined) return callback(error, null);
    const socket = connect(peer.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    callback(null, socket);
  };
  try {
    await run({ client, open, opening: () => waiting.length, ask, heard, paths: peer.paths });
  } finally {
    client.close();
    await peer.close();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}

test("no more connections than allowed; requests beyond them go out in order, those whose callers left do not", () =>
  withTwo({ onRequest: (socket) => socket.write(good) }, async ({ open, opening, ask, heard, paths }) => {
    let left = false;
    for (const name of ["one", "two", "three"]) ask(name);
    ask("left", () => left);
    ask("last");
    assert.equal(opening(), 2);
    left = true;
    await open();
    await until(() => heard.length === 4);
    assert.deepEqual(heard, ["one", "two", "three", "last"]);
    assert.deepEqual(paths(), ["/one", "/two", "/three", "/last"]);
  }));

test("a connection that cannot be opened fails one request, and the others keep waiting", () =>
  withTwo({ onRequest: (socket) => socket.write(good) }, async ({ open, opening, ask, heard }) => {
    for (const name of ["one", "two", "three", "four"]) ask(name);
    await open(new Error("refused"));
    assert.deepEqual(heard, ["one: refused"]);
    assert.equal(opening(), 2);
    await open(new Error("refused"));
    await open();
    await until(() => heard.length === 4);
    assert.deepEqual(heard, ["one: refused", "two: refused", "three", "four"]);
  }));

test("a closed client fails what waits and what is under way, once, and uses no connection that opens later", () =>
  withTwo({}, async ({ client, open, ask, heard, paths }) => {
    for (const name of ["one", "two", "three"]) ask(name);
    await open();
    client.close();
    await open();
    ask("late");
    const closed = "the client was closed";
    assert.deepEqual(heard, [`one: ${closed}`, `two: ${closed}`, `three: ${closed}`, `late: ${closed}`]);
    await turn();
    assert.ok(paths().length <= 1);
  }));

test("an exchange that is abandoned hears nothing more, and its connection is closed", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const peer = await openPeer({
    onConnect: (socket) => void socket.on("close", () => resolve()),
    onRequest: (socket) => socket.write(good),
  });
  const client = ourClient(60_000);
  const outcomes: unknown[] = [];
  void client
    .ask(`http://127.0.0.1:${peer.port}`, "/", {
      onStart: (connection: HttpConnection) => setImmediate(() => connection.abandon()),
    })
    .then((outcome) => outcomes.push(outcome));
  await closed;
  assert.deepEqual(outcomes, []);
  await client.close();
  await peer.close();
});

test("no server: the error of the system", async () => {
  const client = ourClient();
  const { error } = await client.ask(`http://127.0.0.1:${await closedPort()}`, "/");
  assert.equal((error as NodeJS.ErrnoException).code, "ECONNREFUSED");
  await client.close();
});
