// What became of a request, against a raw peer that fails in every way. Before the first byte: `not_sent`, and
// nothing goes out afterwards either. After it: `no_answer`, and nothing is repeated.
// Runs in a process of its own: it sets the process's certificate authorities.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Lookup } from "#runtime/net/connect.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import type { OutboundRequest } from "#runtime/runtime.ts";
import { allow, ask, canary, latestPath, turn, withPeer, words } from "../asking.ts";
import { cert, key } from "../certificate.ts";
import { answer, closedPort, openPeer, type PeerScript } from "../peer.ts";

describe("not sent", () => {
  const notSent = (code: string, reason: string) => ({ kind: "not_sent", code, reason });

  test("connection refused", async () => {
    const port = await closedPort();
    const outbound = createOutbound({ allow });
    assert.deepEqual(
      await ask(outbound, `http://127.0.0.1:${port}`),
      notSent("unreachable", `Could not reach 127.0.0.1:${port}: the connection was refused.`),
    );
    await outbound.close();
  });

  for (const [code, expected] of [
    ["ENOTFOUND", "the name does not resolve"],
    ["EAI_AGAIN", "DNS did not answer"],
    ["ESERVFAIL", "the connection failed (ESERVFAIL)"],
    [`x ${canary}`, "the connection failed"],
  ] as const) {
    test(`DNS fails with ${code.replace(canary, "odd text")}`, async () => {
      const outbound = createOutbound({
        allow,
        lookup: () => Promise.reject(Object.assign(new Error(canary), { code })),
      });
      assert.deepEqual(
        await ask(outbound, "http://gone.test"),
        notSent("unreachable", `Could not reach gone.test: ${expected}.`),
      );
      await outbound.close();
    });
  }

  test("TLS to a port that speaks plain HTTP", () =>
    withPeer(
      { onBytes: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") },
      async (origin, outbound, peer) => {
        const result = await ask(outbound, origin.replace("http:", "https:"));
        assert.equal(words(result), "not_sent: Could not reach 127.0.0.1: the port does not speak TLS.");
        assert.ok(!peer.received().join("").includes("POST"));
      },
    ));

  test("TLS cut off in the greeting", () =>
    withPeer({ onBytes: (socket) => socket.resetAndDestroy() }, async (origin, outbound) => {
      assert.equal(
        words(await ask(outbound, origin.replace("http:", "https:"))),
        "not_sent: Could not reach 127.0.0.1: the connection was reset.",
      );
    }));

  test("TLS never answered", () =>
    withPeer({}, async (origin, outbound) => {
      const result = await ask(outbound, origin.replace("http:", "https:"), { timeoutMs: 60 });
      assert.equal(words(result), "not_sent: Could not reach 127.0.0.1: no connection within 60 ms.");
    }));

  test("a certificate without a known issuer, and one for another name", async () => {
    await withPeer({ tls: { key, cert } }, async (origin, outbound, peer) => {
      assert.equal(
        words(await ask(outbound, origin)),
        "not_sent: Could not reach peer.test: its certificate is self-signed.",
      );
      const kept = getCACertificates("default");
      setDefaultCACertificates([...kept, cert]);
      const result = await ask(outbound, origin.replace("peer.test", "other.test"));
      setDefaultCACertificates(kept);
      assert.equal(
        words(result),
        "not_sent: Could not reach other.test: its certificate is for another name.",
      );
      assert.deepEqual(peer.paths(), []);
    });
  });

  test("headers that HTTP does not allow never reach a wire", () =>
    withPeer({}, async (origin, outbound, peer) => {
      for (const headers of [
        { "x-a": "1\r\nx-b: 2" },
        { "x a": "1" },
        { "x-a\r\nx-b": "1" },
        { "x-a": "\u0000" },
        { "x-a": "日本" },
        { "": "1" },
      ]) {
        assert.equal(
          words(await ask(outbound, origin, { headers })),
          "not_sent: Could not reach 127.0.0.1: the request has a header that HTTP does not allow.",
        );
      }
      assert.deepEqual(peer.received().join(""), "");
    }));

  test("an abort before the call", () =>
    withPeer({}, async (origin, outbound, peer) => {
      const result = await ask(outbound, origin, { signal: AbortSignal.abort() });
      assert.equal(words(result), "not_sent: Stopped before anything was sent to 127.0.0.1.");
      assert.ok(result.kind === "not_sent" && result.code === "aborted");
      assert.equal(peer.connections(), 0);
    }));

  for (const how of ["timeout", "abort"] as const) {
    test(`${how} while the connection is being made: nothing goes out when it is open at last`, async () => {
      const { promise: resolved, resolve } = Promise.withResolvers<Awaited<ReturnType<Lookup>>>();
      const peer = await openPeer({ onRequest: (socket) => socket.write(answer("ok")) });
      const outbound = createOutbound({ allow, lookup: () => resolved });
      const origin = `http://slow.test:${peer.port}`;
      const controller = new AbortController();
      const withdrawn = ask(
        outbound,
        origin,
        how === "timeout" ? { timeoutMs: 30 } : { signal: controller.signal },
      );
      if (how === "abort") controller.abort();
      assert.equal(
        words(await withdrawn),
        how === "timeout"
          ? "not_sent: Could not reach slow.test: no connection within 30 ms."
          : "not_sent: Stopped before anything was sent to slow.test.",
      );
      resolve([{ address: "127.0.0.1", family: 4 }]);
      // The next request takes the connection that the withdrawn one had asked for.
      assert.equal(words(await ask(outbound, origin)), "answer 200");
      assert.deepEqual(peer.paths(), [latestPath()]);
      await outbound.close();
      await peer.close();
    });
  }
});

describe("no answer", () => {
  const large = Buffer.alloc(8 * 1024 * 1024, "x");
  const afterHead = (act: (socket: Socket) => void): PeerScript => {
    let done = false;
    return {
      onBytes: (socket, received) => {
        if (done || !received.includes("\r\n\r\n")) return;
        done = true;
        act(socket);
      },
    };
  };
  const onRequest = (act: (socket: Socket) => void): PeerScript => ({ onRequest: (socket) => act(socket) });
  const send = (text: string, then: (socket: Socket) => void = () => {}) =>
    onRequest((socket) => socket.write(text, () => then(socket)));
  const close = (socket: Socket) => void socket.end();
  const reset = (socket: Socket) => void socket.resetAndDestroy();
  const table: [name: string, script: PeerScript, reason: RegExp, more?: Partial<OutboundRequest>][] = [
    ["accepted, then silence", {}, /^nothing came within 60 ms$/, { timeoutMs: 60 }],
    [
      "reset when the head has come, the body still going",
      afterHead(reset),
      /^the connection was (reset|closed)$/,
      { body: large },
    ],
    [
      "closed when the head has come, the body still going",
      afterHead((socket) => socket.destroy()),
      /^the connection was (reset|closed)$/,
      { body: large },
    ],
    ["reset after the whole request", onRequest(reset), /^the connection was reset$/],
    ["closed after the whole request", onRequest(close), /^the connection was closed$/],
    [
      "closed inside the answer's head",
      send("HTTP/1.1 200 OK\r\ncontent-le", close),
      /^the connection was closed$/,
    ],
    [
      "content-length too long, closed",
      send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", close),
      /^(the connection was closed|the answer was cut off)$/,
    ],
    [
      "content-length too long, closed as announced",
      send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nabc", close),
      /^the answer was cut off$/,
    ],
    [
      "content-length too long, HTTP/1.0",
      send("HTTP/1.0 200 OK\r\ncontent-length: 10\r\n\r\nabc", close),
      /^the answer was cut off$/,
    ],
    [
      "chunks cut",
      send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", close),
      /^(the connection was closed|the answer was cut off)$/,
    ],
    [
      "chunks cut, closed as announced",
      send("HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n", close),
      /^the answer was cut off$/,
    ],
    ["garbage", send(`\u0000\u0001 not http ${canary}\r\n\r\n`), /^the answer is not valid HTTP$/],
    ["another protocol's greeting", send("SSH-2.0-OpenSSH_10.0\r\n"), /^the answer is not valid HTTP$/],
    [
      "two content-lengths",
      send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
      /^(the answer is not valid HTTP|the answer was cut off)$/,
    ],
    [
      "a broken chunk size",
      send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
      /^the answer is not valid HTTP$/,
    ],
    [
      "headers without end",
      send(`HTTP/1.1 200 OK\r\n${`x-a: ${"y".repeat(1000)}\r\n`.repeat(40)}`),
      /^the answer's headers are too long$/,
    ],
    [
      "an unasked-for upgrade",
      send("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      /^the answer is not valid HTTP$/,
    ],
    [
      "longer than maxBytes by its content-length",
      send("HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n"),
      /^it is longer than 100 bytes$/,
      { maxBytes: 100 },
    ],
    [
      "longer than maxBytes in chunks",
      send(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".concat(
          "10\r\n0123456789abcdef\r\n".repeat(7),
          "0\r\n\r\n",
        ),
      ),
      /^it is longer than 100 bytes$/,
      { maxBytes: 100 },
    ],
    [
      "without end, past maxBytes",
      onRequest((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = () => {
          if (!socket.destroyed) socket.write("x".repeat(65_536), more);
        };
        more();
      }),
      /^it is longer than 1048576 bytes$/,
    ],
    [
      "a slow drip, past the time",
      onRequest((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
        const drip = setInterval(() => socket.write("x"), 5);
        socket.on("close", () => clearInterval(drip));
      }),
      /^it was not complete within 80 ms$/,
      { timeoutMs: 80 },
    ],
    [
      "a slow drip of headers, past the time",
      onRequest((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write("x-a: 1\r\n"), 5);
        socket.on("close", () => clearInterval(drip));
      }),
      /^nothing came within 80 ms$/,
      { timeoutMs: 80 },
    ],
  ];
  for (const [name, script, reason, more] of table) {
    for (const method of ["POST", "GET"] as const) {
      if (method === "GET" && more?.body !== undefined) continue;
      test(`${method}: ${name}`, () =>
        withPeer(script, async (origin, outbound, peer) => {
          const result = await ask(
            outbound,
            origin,
            method === "POST" ? more : { method, body: "", ...more },
          );
          assert.equal(result.kind, "no_answer", JSON.stringify(result));
          assert.match(
            words(result).replace(/^no_answer: No complete answer from 127\.0\.0\.1: |\.$/g, ""),
            reason,
          );
          // Nothing is repeated behind the caller's back, not even a GET.
          assert.equal(peer.paths().length, 1);
          assert.equal(peer.connections(), 1);
        }));
    }
  }

  test("an answer that ends with its connection: a close completes it, a reset does not", async () => {
    const head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    await withPeer(send(`${head}{"id":1}`, close), async (origin, outbound) => {
      const result = await ask(outbound, origin);
      assert.ok(result.kind === "answer" && result.body.toString() === '{"id":1}');
    });
    // Reset only once the first part was read: a reset throws away what is still on the way.
    let socket: Socket | null = null;
    await withPeer(
      onRequest((peerSocket) => {
        socket = peerSocket;
        peerSocket.write(`${head}{"id":`);
      }),
      async (origin, outbound) => {
        const opened: Socket[] = [];
        const onOpen = (message: unknown) => void opened.push((message as { socket: Socket }).socket);
        subscribe("net.client.socket", onOpen);
        const asked = ask(outbound, origin);
        while ((opened[0]?.bytesRead ?? 0) === 0) await turn();
        unsubscribe("net.client.socket", onOpen);
        socket!.resetAndDestroy();
        assert.equal(
          words(await asked),
          `no_answer: No complete answer from 127.0.0.1: the answer was cut off.`,
        );
      },
    );
  });

  test("an abort after the request went out, and one inside the answer", async () => {
    for (const start of ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"]) {
      const controller = new AbortController();
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const script = onRequest((socket) => {
        socket.on("close", () => resolve());
        if (start === "") controller.abort();
        else socket.write(start, () => controller.abort());
      });
      await withPeer(script, async (origin, outbound) => {
        assert.equal(
          words(await ask(outbound, origin, { signal: controller.signal })),
          "no_answer: No complete answer from 127.0.0.1: stopped before the answer was complete.",
        );
        // The connection is not kept: the rest of that answer must not be taken for the next one.
        await gone;
      });
    }
  });

  test("TLS: silence after the request is no answer", async () => {
    const kept = getCACertificates("default");
    setDefaultCACertificates([...kept, cert]);
    await withPeer({ tls: { key, cert } }, async (origin, outbound, peer) => {
      assert.equal(
        words(await ask(outbound, origin, { timeoutMs: 100 })),
        "no_answer: No complete answer from peer.test: nothing came within 100 ms.",
      );
      assert.equal(peer.paths().length, 1);
    });
    setDefaultCACertificates(kept);
  });
});

describe("an answer that may be cut", () => {
  const long = "x".repeat(300);
  const heads = [
    ["by its content-length", answer(long, "202 Accepted")],
    ["in chunks", `HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n12c\r\n${long}\r\n0\r\n\r\n`],
    ["without end", `HTTP/1.1 202 Accepted\r\n\r\n${long}`],
  ] as const;
  for (const [name, bytes] of heads) {
    test(`longer than maxBytes ${name}: the status counts, the rest is not read`, async () => {
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const script: PeerScript = {
        onRequest: (socket) => void socket.on("close", () => resolve()).write(bytes),
      };
      await withPeer(script, async (origin, outbound, peer) => {
        const result = await ask(outbound, origin, { maxBytes: 100, truncate: true });
        assert.ok(result.kind === "answer", words(result));
        assert.deepEqual([result.status, result.body.toString()], [202, "x".repeat(100)]);
        // The connection is not kept: the rest of that answer must not be taken for the next one.
        await gone;
        assert.equal(peer.paths().length, 1);
      });
    });
  }

  test("as long as maxBytes: nothing is cut", () =>
    withPeer({ onRequest: (socket) => socket.write(answer(long)) }, async (origin, outbound) => {
      const result = await ask(outbound, origin, { maxBytes: 300, truncate: true });
      assert.ok(result.kind === "answer" && result.body.toString() === long);
    }));
});
