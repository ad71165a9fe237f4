// Bodies on completions' way out: a cut is never an end, a slow reader holds the peer back, and giving up closes the
// connection at once.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { isBodyError } from "#runtime/net/streaming-client.ts";
import { turn } from "../asking.ts";
import { answered, chunked, drain, failed, open, patience, piece, withPeer, withServer } from "../opening.ts";
import { answer } from "../peer.ts";

describe("cut off", () => {
  const cuts: Record<string, [string, (socket: Socket) => void]> = {
    "chunked, closed": [chunked + piece("one"), (socket) => socket.end()],
    "chunked, reset": [chunked + piece("one"), (socket) => socket.resetAndDestroy()],
    "chunked, with a size that is no number": [`${chunked}${piece("one")}zz\r\n`, () => {}],
    "short of its length": ["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\none", (socket) => socket.end()],
    "without a length, reset": ["HTTP/1.1 200 OK\r\n\r\none", (socket) => socket.resetAndDestroy()],
  };
  for (const [name, [wire, then]] of Object.entries(cuts)) {
    test(name, () =>
      withPeer({ onRequest: (socket) => socket.write(wire) }, async (url, upstreams, peer) => {
        const { body } = answered(await open(upstreams, url));
        assert.equal(String(await body.read(patience)), "one");
        then(peer.sockets[0]!);
        assert.deepEqual(await drain(body), { text: "", end: "cut" });
      }),
    );
  }

  test("without a length, closed in order: that is its end", () =>
    withPeer({ onRequest: (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\none") }, async (url, upstreams) => {
      assert.deepEqual(await drain(answered(await open(upstreams, url)).body), {
        text: "one",
        end: "end",
      });
    }));

  test("inside its head, or with a head that is not valid", async () => {
    for (const wire of ["HTTP/1.1 200 OK\r\ncontent-ty", "SSH-2.0-OpenSSH_9\r\n", ""]) {
      await withPeer({ onRequest: (socket) => socket.end(wire) }, async (url, upstreams) => {
        assert.equal(failed(await open(upstreams, url)).why, "cut", wire);
      });
    }
  });
});

describe("back-pressure", () => {
  test("a reader who stops makes the peer stop, with little kept; nothing is lost when it goes on", () => {
    const block = Buffer.alloc(64 * 1024, "x");
    const blocks = 1024;
    let written = 0;
    return withServer(
      (_request, response) => {
        const more = () => {
          while (written < blocks) {
            written += 1;
            if (!response.write(block)) return void response.once("drain", more);
          }
          response.end();
        };
        more();
      },
      async (url, upstreams) => {
        const { body } = answered(await open(upstreams, url));
        // Over: a thousand turns of the event loop in which nothing was taken.
        for (let still = 0, before = 0; still < 1000; await turn()) {
          still = written === before ? still + 1 : 0;
          before = written;
        }
        // What the kernel keeps on both sides is the most of it: 64 MiB were not taken.
        assert.ok(written < blocks / 2, `${written} of ${blocks} blocks were taken`);
        let size = 0;
        for (;;) {
          const read = await body.read(patience);
          if (read === null) break;
          assert.ok(!isBodyError(read));
          size += read.length;
        }
        assert.equal(size, blocks * block.length);
      },
    );
  });

  test("a peer that sends byte by byte loses nothing", () =>
    withServer(
      (_request, response) => {
        response.writeHead(200).flushHeaders();
        response.socket!.write(piece("x").repeat(40_000));
        response.end();
      },
      async (url, upstreams) => {
        const { body } = answered(await open(upstreams, url));
        let pieces = 0;
        for (let read = await body.read(patience); read !== null; read = await body.read(patience)) {
          assert.ok(!isBodyError(read));
          pieces += read.length;
        }
        assert.equal(pieces, 40_000);
      },
    ));
});

describe("given up", () => {
  const stages: Record<string, string> = {
    "before the head": "",
    "after the head": chunked,
    "in the middle": chunked + piece("one"),
  };
  for (const [stage, wire] of Object.entries(stages)) {
    test(`abort ${stage}: the peer sees its connection closed at once`, () =>
      withPeer({ onRequest: (socket) => socket.write(wire) }, async (url, upstreams, peer) => {
        const gone = new AbortController();
        const opening = open(upstreams, url, { signal: gone.signal });
        if (wire === "") {
          await peer.asked;
          gone.abort();
          assert.deepEqual(await opening, {
            kind: "failed",
            why: "aborted",
            reason: "Stopped.",
            reused: false,
          });
          await peer.closed();
          return;
        }
        const { body } = answered(await opening);
        if (stage === "in the middle") await body.read(patience);
        const reading = body.read(patience);
        gone.abort();
        assert.deepEqual(await reading, { why: "cancelled", reason: "stopped" });
        await peer.closed();
        assert.deepEqual(await body.read(patience), { why: "cancelled", reason: "stopped" });
        assert.equal(getEventListeners(gone.signal, "abort").length, 0);
      }));
  }

  test("cancel closes the connection too, also of one that is paused, and may be called again", () =>
    withPeer(
      { onRequest: (socket) => socket.write(chunked + piece("x".repeat(1024 * 1024))) },
      async (url, upstreams, peer) => {
        const { body } = answered(await open(upstreams, url));
        await body.read(patience);
        for (let turns = 0; turns < 50; turns++) await turn();
        body.cancel();
        body.cancel();
        await peer.closed();
        assert.deepEqual(await body.read(patience), { why: "cancelled", reason: "given up" });
      },
    ));

  test("what was aborted before is not sent, and a listener is not left behind an end", () =>
    withPeer({ onRequest: (socket) => socket.write(answer("x")) }, async (url, upstreams, peer) => {
      assert.equal(failed(await open(upstreams, url, { signal: AbortSignal.abort() })).why, "aborted");
      assert.equal(peer.connections(), 0);
      const { signal } = new AbortController();
      await drain(answered(await open(upstreams, url, { signal })).body);
      assert.equal(getEventListeners(signal, "abort").length, 0);
    }));

  test("closing ends what is open", () =>
    withPeer({ onRequest: (socket) => socket.write(chunked) }, async (url, upstreams) => {
      const { body } = answered(await open(upstreams, url));
      const reading = body.read(patience);
      await upstreams.close();
      const end = await reading;
      assert.ok(end !== null && isBodyError(end) && end.why === "cut");
    }));
});
