// When a connection of the client is used again, and when not: an answer is never taken for that of another request.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { HttpError } from "#runtime/net/http/http-error.ts";
import { turn } from "../../asking.ts";
import { answer, openPeer, type PeerScript } from "../../peer.ts";
import { type Asking, ourClient } from "./collecting.ts";

interface Wired {
  client: Asking;
  origin: string;
  sockets: Socket[];
  connections(): number;
  received(): string[];
}

async function withPeer(
  onRequest: NonNullable<PeerScript["onRequest"]>,
  run: (wired: Wired) => Promise<void>,
  more: PeerScript = {},
): Promise<void> {
  const sockets: Socket[] = [];
  const peer = await openPeer({ ...more, onConnect: (socket) => void sockets.push(socket), onRequest });
  const client = ourClient(60_000);
  try {
    const { connections, received } = peer;
    await run({ client, origin: `http://127.0.0.1:${peer.port}`, sockets, connections, received });
  } finally {
    await client.close();
    await peer.close();
  }
}

const good = answer("ok");
const chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
const notKept: Record<string, string> = {
  "an answer that says close": answer("ok", "200 OK", "connection: close"),
  "one of HTTP/1.0": good.replace("HTTP/1.1", "HTTP/1.0"),
  "bytes behind an answer": `${good}x`,
  "another answer behind it": `${good}${answer("for another")}`,
  "bytes behind the last chunk": `${chunks}\r\n`,
  "a 204 with a length": "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n",
  "a peer that keeps it no time at all": answer("ok", "200 OK", "keep-alive: timeout=0"),
  "an answer that breaks a rule": good.replace("content-length: 2", "content-length: 2\r\ncontent-length: 2"),
};
const kept: Record<string, string> = {
  "an answer with a length": good,
  "an answer in chunks": chunks,
  "one with trailers": chunks.replace("0\r\n\r\n", "0\r\nx: 1\r\n\r\n"),
  "a 204": "HTTP/1.1 204 No Content\r\n\r\n",
  "a 304": "HTTP/1.1 304 Not Modified\r\n\r\n",
  "informational answers before it": `HTTP/1.1 100 Continue\r\n\r\n${good}`,
};

for (const [table, connections] of [
  [kept, 1],
  [notKept, 2],
] as const)
  for (const [name, wire] of Object.entries(table))
    test(`${name}: ${connections === 1 ? "the connection is used again" : "a new connection"}`, () =>
      withPeer(
        (socket, nth) => socket.write(nth === 1 ? wire : good),
        async ({ client, origin, ...peer }) => {
          await client.ask(origin, "/one");
          await turn();
          const second = await client.ask(origin, "/two");
          assert.deepEqual([second.error, second.status, second.body], [null, 200, "ok"]);
          assert.equal(peer.connections(), connections);
        },
      ));

test("an answer that came before its request was written: the rest is not written, and the connection is not used again", () => {
  let isAnswered = false;
  return withPeer(
    (socket) => socket.write(good),
    async ({ client, origin, ...peer }) => {
      const body = new Uint8Array(64 * 1024 * 1024);
      const early = await client.ask(origin, "/early", { method: "POST", body });
      assert.deepEqual([early.error, early.status, early.body], [null, 200, "ok"]);
      assert.equal((await client.ask(origin, "/next")).body, "ok");
      assert.equal(peer.connections(), 2);
      assert.ok(peer.received()[0]!.length < body.length);
    },
    {
      onBytes: (socket) => {
        if (isAnswered) return;
        isAnswered = true;
        socket.write(good);
        socket.pause();
      },
    },
  );
});

test("bytes that a peer sends unasked on an idle connection answer no request", () =>
  withPeer(
    (socket) => socket.write(good),
    async ({ client, origin, sockets, ...peer }) => {
      assert.equal((await client.ask(origin, "/one")).body, "ok");
      await turn();
      // Both in one turn: the bytes are on their way when the next request is made.
      sockets[0]!.write(answer("planted"));
      const next = await client.ask(origin, "/two");
      assert.deepEqual([next.error, next.body, peer.connections()], [null, "ok", 2]);
      assert.doesNotMatch(peer.received()[0]!, /two/, "it was not sent on that connection");
    },
  ));

test("a request in the turn in which a peer closes its connection goes out on another", () =>
  withPeer(
    (socket) => socket.write(good),
    async ({ client, origin, sockets, ...peer }) => {
      assert.equal((await client.ask(origin, "/one")).body, "ok");
      await turn();
      sockets[0]!.end();
      const next = await client.ask(origin, "/two");
      assert.deepEqual([next.error, next.body, peer.connections()], [null, "ok", 2]);
    },
  ));

test("a request on a connection that dies under it fails, and is not repeated", () =>
  withPeer(
    (socket, nth) => void (nth === 1 ? socket.write(good) : socket.destroy()),
    async ({ client, origin, ...peer }) => {
      await client.ask(origin, "/one");
      await turn();
      const { error } = await client.ask(origin, "/two");
      assert.ok(error instanceof HttpError && error.kind === "closed", String(error));
      assert.deepEqual([peer.connections(), peer.received().join("").match(/two/g)?.length], [1, 1]);
    },
  ));

test("the answer to HEAD ends with its head, and the next request gets its own", () =>
  withPeer(
    (socket, nth) => socket.write(nth === 1 ? "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n" : good),
    async ({ client, origin, ...peer }) => {
      const head = await client.ask(origin, "/one", { method: "HEAD" });
      assert.deepEqual([head.error, head.headers["content-length"], head.body], [null, "5", ""]);
      await turn();
      assert.equal((await client.ask(origin, "/two")).body, "ok");
      assert.equal(peer.connections(), 1);
    },
  ));

test("bodies arrive as they are: none, text of ASCII, other text, bytes, and large ones", () =>
  withPeer(
    (socket) => socket.write(good),
    async ({ client, origin, ...peer }) => {
      const large = "x\u00fc".repeat(200_000);
      const bodies = [null, "", "plain", "gr\u00fcn \u{1f600}", Uint8Array.of(0, 255, 13, 10), large];
      for (const body of bodies) {
        assert.equal((await client.ask(origin, "/x", { method: "POST", body, fresh: true })).body, "ok");
        const sent = Buffer.from(peer.received().at(-1)!, "latin1");
        const expected = Buffer.from(body ?? "");
        const head = sent.subarray(0, sent.length - expected.length).toString("latin1");
        assert.ok(sent.subarray(sent.length - expected.length).equals(expected));
        assert.match(head, new RegExp(`\\r\\ncontent-length: ${expected.length}\\r\\n\\r\\n$`));
      }
    },
  ));
