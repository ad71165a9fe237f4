// Connections: when they are used again, when not, and what a closing system does to them.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createOutbound } from "#runtime/net/outbound.ts";
import { allow, ask, turn, withPeer, words } from "../asking.ts";
import { answer, openPeer, type PeerScript } from "../peer.ts";

describe("connections", () => {
  test("one after the other they share one; the peer's close in between costs nothing", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const script: PeerScript = {
      onConnect: (socket) => socket.on("close", () => resolve()),
      onRequest: (socket, nth) => void socket.write(answer("ok"), () => nth === 3 && socket.end()),
    };
    await withPeer(script, async (origin, outbound, peer) => {
      for (let i = 0; i < 3; i++) {
        assert.equal(words(await ask(outbound, origin)), "answer 200");
        await turn();
      }
      assert.equal(peer.connections(), 1);
      await closed;
      assert.equal(words(await ask(outbound, origin)), "answer 200");
      assert.equal(peer.connections(), 2);
    });
  });

  for (const method of ["GET", "POST"] as const) {
    for (const how of ["end", "resetAndDestroy"] as const) {
      test(`${method} on a reused connection that dies under it (${how}): no answer, and not repeated`, () =>
        withPeer(
          { onRequest: (socket, nth) => void (nth === 1 ? socket.write(answer("ok")) : socket[how]()) },
          async (origin, outbound, peer) => {
            assert.equal(words(await ask(outbound, origin)), "answer 200");
            await turn();
            assert.equal((await ask(outbound, origin, { method, body: "" })).kind, "no_answer");
            assert.deepEqual([peer.connections(), peer.paths().length], [1, 2]);
          },
        ));
    }
  }

  for (const hint of ["timeout=600", "timeout=2, max=1000"]) {
    test(`an idle one is closed by us after a second, though the peer says Keep-Alive: ${hint}`, async () => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      await withPeer(
        {
          onConnect: (socket) => socket.on("end", () => resolve()),
          onRequest: (socket) => socket.write(answer("ok", "200 OK", `keep-alive: ${hint}`)),
        },
        async (origin, outbound, peer) => {
          await ask(outbound, origin);
          await closed;
          await ask(outbound, origin);
          assert.equal(peer.connections(), 2);
        },
      );
    });
  }

  test("no pipelining: a second request waits for no first one's answer", async () => {
    const waiting: Socket[] = [];
    await withPeer(
      {
        onRequest: (socket) => {
          waiting.push(socket);
          if (waiting.length === 40) for (const one of waiting) one.write(answer("ok"));
        },
      },
      async (origin, outbound, peer) => {
        const results = await Promise.all(Array.from({ length: 40 }, () => ask(outbound, origin)));
        assert.ok(results.every((result) => result.kind === "answer"));
        assert.equal(peer.connections(), 40);
      },
    );
  });

  test("more requests than connections: those that never got one are not sent, and stay so", async () => {
    const controller = new AbortController();
    const script: PeerScript = {
      onRequest: (socket, nth) => {
        if (nth === 256) controller.abort();
        if (nth > 256) socket.write(answer("ok"));
      },
    };
    await withPeer(script, async (origin, outbound, peer) => {
      const asked = Array.from({ length: 300 }, () => ask(outbound, origin, { signal: controller.signal }));
      const kinds = (await Promise.all(asked)).map((result) => result.kind);
      assert.equal(kinds.filter((kind) => kind === "no_answer").length, 256);
      assert.equal(kinds.filter((kind) => kind === "not_sent").length, 44);
      assert.equal(words(await ask(outbound, origin)), "answer 200");
      assert.equal(peer.paths().length, 257);
    });
  });

  test("close lets running requests end, refuses new ones, and waits for no connection that is still being made", async () => {
    let socket: Socket | null = null;
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const peer = await openPeer({
      onRequest: (peerSocket) => {
        socket = peerSocket;
        resolve();
      },
    });
    const outbound = createOutbound({ allow, lookup: () => new Promise(() => {}) });
    const running = ask(outbound, `http://127.0.0.1:${peer.port}`);
    await ask(outbound, `http://stuck.test:${peer.port}`, { timeoutMs: 20 });
    await arrived;
    const closed = outbound.close();
    const late = await ask(outbound, `http://127.0.0.1:${peer.port}`);
    assert.ok(late.kind === "not_sent" && late.code === "aborted");
    socket!.write(answer("last"));
    assert.equal(words(await running), "answer 200");
    await closed;
    await outbound.close();
    await peer.close();
  });
});

test("a peer of many moods: 400 requests, none received that was not declared, none received twice", async () => {
  const moods = [
    "ok",
    "ok",
    "ok",
    "close",
    "reset",
    "silent",
    "cut",
    "garbage",
    "ok then close",
    "ok then reset",
  ] as const;
  const [plan] = fc.sample(fc.array(fc.constantFrom(...moods), { minLength: 400, maxLength: 400 }), {
    numRuns: 1,
    seed: 20_261_121,
  });
  const act = (socket: Socket, mood: (typeof moods)[number]) => {
    if (mood === "ok") socket.write(answer("ok"));
    else if (mood === "close") socket.end();
    else if (mood === "reset") socket.resetAndDestroy();
    else if (mood === "cut") socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc");
    else if (mood === "garbage") socket.write("garbage\r\n\r\n");
    else if (mood === "ok then close") socket.end(answer("ok"));
    else if (mood === "ok then reset") socket.write(answer("ok"), () => socket.resetAndDestroy());
  };
  await withPeer(
    { onRequest: (socket, nth) => act(socket, plan![nth - 1] ?? "ok") },
    async (origin, outbound, peer) => {
      const verdicts = new Map<string, string>();
      const worker = async (name: number) => {
        for (let i = 0; i < 25; i++) {
          const path = `/moods/${name}/${i}`;
          const method = i % 2 === 0 ? "GET" : "POST";
          const result = await outbound.request({ method, url: `${origin}${path}`, timeoutMs: 100 });
          verdicts.set(path, result.kind);
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, name) => worker(name)));
      const received = peer.paths();
      assert.equal(new Set(received).size, received.length, "a request came twice");
      for (const path of received) assert.notEqual(verdicts.get(path), "not_sent", path);
      for (const [path, verdict] of verdicts)
        if (verdict === "answer") assert.ok(received.includes(path), path);
      for (const kind of ["answer", "no_answer"]) assert.ok([...verdicts.values()].includes(kind), kind);
    },
  );
});
