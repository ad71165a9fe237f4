// Completions' way out, against real servers on loopback: what an answer is, each phase's own patience, and idle
// connections told from fresh ones. What becomes of bodies is in upstream-body.test.ts.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { createStreamingClient, isBodyError } from "#runtime/net/streaming-client.ts";
import { TurnBudget, turnBudgetBytes } from "#runtime/net/turn-budget.ts";
import { allow, turn } from "../asking.ts";
import { answered, chunked, drain, failed, open, patience, piece, withPeer, withServer } from "../opening.ts";
import { answer, closedPort } from "../peer.ts";

/** The lookup of a name that has no answer until its test is over. */
const never = Promise.withResolvers<never>();
never.promise.catch(() => {});

describe("an answer", () => {
  test("its head comes before its body, its pieces as they come, and it asks for no compression", () =>
    withPeer({ onRequest: (socket) => socket.write(chunked) }, async (url, upstreams, peer) => {
      const { status, headers, body } = answered(await open(upstreams, url));
      assert.deepEqual([status, headers["content-type"]], [200, "text/event-stream"]);
      const first = body.read(patience);
      const [socket] = peer.sockets;
      socket!.write(piece("one"));
      assert.equal(String(await first), "one");
      socket!.write(`${piece("two")}0\r\n\r\n`);
      assert.deepEqual(await drain(body), { text: "two", end: "end" });
      assert.equal(await body.read(patience), null, "the end stays the end");
      const [sent] = peer.received();
      assert.match(sent!, /^POST \/v1\/x\?y=1 HTTP\/1\.1\r\n/);
      assert.match(sent!, /accept-encoding: identity\r\n/);
      assert.ok(sent!.endsWith('{"a":1}'));
    }));

  test("any status is one, 1xx before it is not, nothing is followed, repeated headers are joined", async () => {
    for (const head of ["200 OK", "204 No Content", "302 Found", "401 No", "429 Slow", "500 Oops"]) {
      await withPeer(
        {
          onRequest: (socket) =>
            socket.write(
              `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head.startsWith("204") ? "HTTP/1.1 204 No Content\r\nx-a: 1\r\nX-A: 2\r\n\r\n" : answer("body", head, "x-a: 1", "X-A: 2", "location: /other")}`,
            ),
        },
        async (url, upstreams, peer) => {
          const { status, headers, body } = answered(await open(upstreams, url));
          assert.equal(status, Number.parseInt(head, 10));
          assert.equal(headers["x-a"], "1, 2");
          assert.equal(headers.link, undefined);
          assert.equal((await drain(body)).text, status === 204 ? "" : "body");
          assert.equal(peer.paths().length, 1);
        },
      );
    }
  });

  test("a GET goes out without a body", () =>
    withPeer({ onRequest: (socket) => socket.write(answer("ok")) }, async (url, upstreams, peer) => {
      await drain(answered(await open(upstreams, url, { method: "GET", body: null })).body);
      assert.match(peer.received()[0]!, /^GET /);
      assert.doesNotMatch(peer.received()[0]!, /content-length/);
    }));
});

test("answers share what a turn of the event loop hands on, and nothing of them is lost", async () => {
  const works: (() => void)[] = [];
  const budget = new TurnBudget((work) => works.push(work));
  const upstreams = createStreamingClient({ allow, budget });
  const long = "x".repeat(2 * turnBudgetBytes);
  await withPeer({ onRequest: (socket) => socket.write(answer(long)) }, async (url) => {
    const bodies = [await open(upstreams, url), await open(upstreams, url)].map((it) => answered(it).body);
    let handedOn = 0;
    const drained = Promise.all(
      bodies.map(async (body) => {
        let length = 0;
        for (;;) {
          const piece = await body.read(patience);
          if (piece === null || isBodyError(piece)) return piece === null ? length : -1;
          length += piece.length;
          handedOn += piece.length;
        }
      }),
    );
    let isDone = false;
    void drained.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const before = handedOn;
      for (let turns = 0; turns < 20; turns += 1) await turn();
      assert.ok(handedOn - before <= turnBudgetBytes + 2 * 65_536, `${handedOn - before} in one turn`);
      for (const work of works.splice(0)) work();
    }
    assert.deepEqual(await drained, [long.length, long.length]);
  });
  await upstreams.close();
});

describe("patience", () => {
  test("an address that is being looked for is a connect_timeout", async () => {
    const upstreams = createStreamingClient({ allow, lookup: () => never.promise });
    const { why, reason, reused } = failed(
      await open(upstreams, "https://slow.test/secret", { connectMs: 20 }),
    );
    assert.deepEqual([why, reused], ["connect_timeout", false]);
    assert.equal(reason, "No connection to slow.test within 20 ms.");
    await upstreams.close();
  });

  test("a peer that says nothing, or only 1xx, is a headers_timeout", async () => {
    for (const prelude of ["", "HTTP/1.1 102 Processing\r\n\r\n"]) {
      await withPeer({ onRequest: (socket) => socket.write(prelude) }, async (url, upstreams, peer) => {
        const { why, reason } = failed(await open(upstreams, url, { headersMs: 20 }));
        assert.equal(why, "headers_timeout");
        assert.match(reason, /^No answer from 127\.0\.0\.1:\d+ within 20 ms\.$/);
        await peer.closed();
      });
    }
  });

  test("silence inside a body is a timeout, for the read that met it alone; the connection is closed", () =>
    withPeer(
      { onRequest: (socket) => socket.write(chunked + piece("one")) },
      async (url, upstreams, peer) => {
        const { body } = answered(await open(upstreams, url, { headersMs: 20 }));
        assert.deepEqual(await drain(body, 30), { text: "one", end: "timeout" });
        assert.deepEqual(await body.read(patience), {
          why: "timeout",
          reason: "nothing came within 30 ms",
        });
        await peer.closed();
      },
    ));

  test("time that passes while no caller reads does not count", () =>
    withPeer(
      { onRequest: (socket, nth) => nth === 1 && socket.write(chunked) },
      async (url, upstreams, peer) => {
        const { body } = answered(await open(upstreams, url, { headersMs: 15 }));
        // A second exchange whose own patience is longer: when that is over, the first one's is long over.
        const other = failed(await open(upstreams, url, { headersMs: 40 }));
        assert.equal(other.why, "headers_timeout");
        peer.sockets[0]!.write(`${piece("late")}0\r\n\r\n`);
        assert.deepEqual(await drain(body), { text: "late", end: "end" });
      },
    ));
});

describe("connections", () => {
  const waiting: (() => void)[] = [];
  const idle = new WeakSet<Socket>();

  test("an idle one is used again, and `reused` says so when its peer had closed it", () =>
    withPeer(
      {
        onRequest: (socket, nth) => {
          if (nth === 1) socket.write(answer("one"));
          else if (nth === 2) socket.resetAndDestroy();
          else socket.write(answer("three"));
        },
      },
      async (url, upstreams, peer) => {
        await drain(answered(await open(upstreams, url)).body);
        await turn();
        const second = failed(await open(upstreams, url));
        assert.deepEqual([second.why, second.reused], ["cut", true]);
        assert.equal(peer.connections(), 1);
        assert.equal((await drain(answered(await open(upstreams, url)).body)).text, "three");
        assert.equal(peer.connections(), 2);
      },
    ));

  test("with many idle ones that are dead, a fresh one is asked for and answers, and is not kept", () =>
    withPeer(
      {
        onRequest: (socket, nth) => {
          if (nth <= 3) {
            // Together, so that there are three connections.
            waiting.push(() => socket.write(answer("idle")));
            if (nth === 3) for (const go of waiting) go();
          } else if (idle.has(socket)) socket.resetAndDestroy();
          else socket.write(answer("fresh"));
          idle.add(socket);
        },
      },
      async (url, upstreams, peer) => {
        await Promise.all(
          Array.from({ length: 3 }, async () => drain(answered(await open(upstreams, url)).body)),
        );
        await turn();
        const stale = failed(await open(upstreams, url));
        assert.deepEqual([stale.why, stale.reused, peer.connections()], ["cut", true, 3]);
        for (const connections of [4, 5]) {
          const { body } = answered(await open(upstreams, url, { fresh: true }));
          assert.deepEqual(await drain(body), { text: "fresh", end: "end" });
          assert.equal(peer.connections(), connections);
        }
      },
    ));

  test("a reset on a fresh one is not", () =>
    withPeer({ onRequest: (socket) => socket.resetAndDestroy() }, async (url, upstreams) => {
      const { why, reused } = failed(await open(upstreams, url));
      assert.deepEqual([why, reused], ["cut", false]);
    }));

  test("no server, and a header that cannot be sent, are values", async () => {
    const upstreams = createStreamingClient({ allow });
    const url = `http://127.0.0.1:${await closedPort()}/`;
    assert.equal(failed(await open(upstreams, url)).why, "unreachable");
    const odd = failed(await open(upstreams, url, { headers: { "x-a": "1\r\nx-b: 2" } }));
    assert.ok(odd.why === "unreachable" && !odd.reason.includes("x-b"));
    await upstreams.close();
  });

  test("many at once do not wait for one another", () =>
    withServer(
      (_request, response) => void response.writeHead(200).write("x"),
      async (url, upstreams) => {
        const bodies = await Promise.all(
          Array.from({ length: 100 }, async () => answered(await open(upstreams, url)).body),
        );
        for (const body of bodies) assert.equal(String(await body.read(patience)), "x");
        for (const body of bodies) body.cancel();
      },
    ));

  test("refused addresses never see a byte, under every name", () =>
    withPeer({}, async (_url, _upstreams, peer) => {
      const strict = createStreamingClient({
        allow: readAllowList(""),
        lookup: async () => [{ address: "127.0.0.1", family: 4 }],
      });
      for (const host of ["127.0.0.1", "localhost", "rebound.test", "[::ffff:127.0.0.1]", "0x7f.1"]) {
        for (const scheme of ["http", "https"]) {
          const { why, reused } = failed(await open(strict, `${scheme}://${host}:${peer.port}/`));
          assert.deepEqual([host, why, reused], [host, "not_allowed", false]);
        }
      }
      for (const url of ["", "no url", "ftp://127.0.0.1/", "file:///etc/passwd", "https://a:b@x.test/"])
        assert.equal(failed(await open(strict, url)).why, "not_allowed");
      assert.equal(peer.connections(), 0);
      await strict.close();
    }));
});
