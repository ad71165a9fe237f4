// What goes out and what comes back when the peer behaves; redirects and proxies, which are not followed.
// Runs in a process of its own: it sets proxies in the environment, and the process's certificate authorities.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { createOutbound } from "#runtime/net/outbound.ts";
import { allow, ask, patience, turn, withPeer, words } from "../asking.ts";
import { cert, key } from "../certificate.ts";
import { answer, openPeer, type PeerScript } from "../peer.ts";

describe("answers", () => {
  test("every status is an answer; 1xx before it is not", async () => {
    for (const head of [
      "200 OK",
      "201 Created",
      "302 Found",
      "400 Bad Request",
      "429 Too Many Requests",
      "500 Oops",
      "503 Busy",
    ]) {
      await withPeer(
        {
          onRequest: (socket) =>
            socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${answer("body", head)}`),
        },
        async (origin, outbound) => {
          const result = await ask(outbound, origin);
          assert.ok(
            result.kind === "answer" &&
              result.status === Number.parseInt(head, 10) &&
              result.body.toString() === "body",
          );
          assert.deepEqual(result.headers, { "content-length": "4" });
        },
      );
    }
    for (const status of ["204 No Content", "304 Not Modified"]) {
      await withPeer(
        { onRequest: (socket) => socket.write(`HTTP/1.1 ${status}\r\nx-a: 1\r\n\r\n`) },
        async (origin, outbound) => {
          const result = await ask(outbound, origin);
          assert.ok(result.kind === "answer" && result.body.length === 0 && result.headers["x-a"] === "1");
        },
      );
    }
  });

  test("header names are lower-case, repeated ones joined, odd ones harmless", () =>
    withPeer(
      {
        onRequest: (socket) =>
          socket.write(
            answer(
              "",
              "200 OK",
              "Retry-After: 7",
              "X-A: 1",
              "x-a: 2",
              "Set-Cookie: a=1",
              "set-cookie: b=2",
              "__proto__: x",
              "constructor: y",
              "X-Caf\u00e9: z".replace("\u00e9", "e"),
            ),
          ),
      },
      async (origin, outbound) => {
        const result = await ask(outbound, origin);
        assert.ok(result.kind === "answer");
        assert.equal(result.headers["retry-after"], "7");
        assert.equal(result.headers["x-a"], "1, 2");
        assert.equal(result.headers["set-cookie"], "a=1, b=2");
        assert.equal(result.headers.constructor as unknown, "y");
        assert.equal(Object.getPrototypeOf(result.headers), Object.prototype);
      },
    ));

  test("what goes out: method, path and query as given, body bytes, no compression asked for, no header of the caller's that frames it", () =>
    withPeer({ onRequest: (socket) => socket.write(answer("ok")) }, async (origin, outbound, peer) => {
      const headers = {
        "X-Custom": "1",
        Host: "evil.test",
        "Content-Length": "3",
        "Transfer-Encoding": "chunked",
        Connection: "close",
        Expect: "100-continue",
        "Accept-Encoding": "gzip",
        Upgrade: "h2c",
      };
      const body = new Uint8Array([0, 255, 13, 10]).subarray(1, 4);
      await outbound.request({
        method: "PUT",
        url: `${origin}/a%2Fb/ü?x=1&y=%20#frag`,
        headers,
        body,
        timeoutMs: patience,
      });
      const [head = "", sent = ""] = peer.received()[0]!.split("\r\n\r\n");
      const lines = head.split("\r\n");
      assert.equal(lines[0], "PUT /a%2Fb/%C3%BC?x=1&y=%20 HTTP/1.1");
      assert.deepEqual(lines.slice(1).sort(), [
        "X-Custom: 1",
        "accept-encoding: identity",
        "connection: keep-alive",
        "content-length: 3",
        `host: ${new URL(origin).host}`,
      ]);
      assert.equal(sent, "\u00ff\r\n");
    }));

  test("a compressed answer is handed over as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    await withPeer(
      {
        onRequest: (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
          socket.write(bomb);
        },
      },
      async (origin, outbound) => {
        const result = await ask(outbound, origin);
        assert.ok(result.kind === "answer" && result.body.equals(bomb));
      },
    );
  });

  test("exactly maxBytes is not too long; an answer may come before the body is through", async () => {
    await withPeer(
      { onRequest: (socket) => socket.write(answer("x".repeat(100))) },
      async (origin, outbound) => {
        assert.equal(words(await ask(outbound, origin, { maxBytes: 100 })), "answer 200");
      },
    );
    let answered = false;
    const early: PeerScript = {
      onBytes: (socket) => {
        if (!answered) socket.write(answer("no", "413 Too Large", "connection: close"));
        answered = true;
      },
    };
    await withPeer(early, async (origin, outbound) => {
      assert.equal(words(await ask(outbound, origin, { body: Buffer.alloc(4 * 1024 * 1024) })), "answer 413");
    });
  });

  test("over TLS, with the name checked", async () => {
    const kept = getCACertificates("default");
    setDefaultCACertificates([...kept, cert]);
    await withPeer(
      { tls: { key, cert }, onRequest: (socket) => socket.write(answer("sealed")) },
      async (origin, outbound, peer) => {
        for (let i = 0; i < 3; i++) {
          const result = await ask(outbound, origin);
          assert.ok(result.kind === "answer" && result.body.toString() === "sealed", JSON.stringify(result));
          await turn();
        }
        assert.equal(peer.connections(), 1);
      },
    );
    setDefaultCACertificates(kept);
  });

  test("a signal shared by many requests keeps one listener, and none of theirs outlives them", () =>
    withPeer({ onRequest: (socket) => socket.write(answer("ok")) }, async (origin, outbound) => {
      const { signal } = new AbortController();
      for (let round = 0; round < 3; round++)
        await Promise.all(Array.from({ length: 30 }, () => ask(outbound, origin, { signal })));
      assert.equal(getEventListeners(signal, "abort").length, 1);
    }));
});

test("redirects to the inside are answers, and no request follows them", async () => {
  const inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${inside.port}/`,
      `//127.0.0.1:${inside.port}/`,
      `http://localhost:${inside.port}/`,
    ]) {
      const front = await openPeer({
        onRequest: (socket) =>
          socket.write(
            answer("moved", `${status} Moved`, `Location: ${location}`, `Refresh: 0;url=${location}`),
          ),
      });
      const outbound = createOutbound({ allow: allow });
      const result = await outbound.request({
        method: "GET",
        url: `http://127.0.0.1:${front.port}/`,
        timeoutMs: patience,
      });
      assert.ok(result.kind === "answer" && result.status === status && result.headers.location === location);
      await outbound.close();
      await front.close();
    }
  }
  assert.equal(inside.connections(), 0);
  await inside.close();
});

test("proxies of the environment are not used", async () => {
  const proxy = await openPeer({ onRequest: (socket) => socket.write(answer("proxy")) });
  const target = await openPeer({ onRequest: (socket) => socket.write(answer("target")) });
  const settings = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  const kept = settings.map((name) => [name, process.env[name]] as const);
  for (const name of settings) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  const outbound = createOutbound({ allow: allow });
  const result = await outbound.request({
    method: "GET",
    url: `http://127.0.0.1:${target.port}/`,
    timeoutMs: patience,
  });
  for (const [name, value] of kept) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  assert.ok(result.kind === "answer" && result.body.toString() === "target");
  assert.equal(proxy.connections(), 0);
  await outbound.close();
  await Promise.all([proxy.close(), target.close()]);
});
