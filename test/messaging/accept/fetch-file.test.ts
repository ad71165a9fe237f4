// What a stranger's server may do while a file is fetched from it: each ends in bounded time and memory, and with a reason that says why.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { fetchFile } from "#messaging/accept/fetch-file.ts";
import { systemClock } from "#runtime/clock.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";

const maxBytes = 256 * 1024;
const upstreams = createStreamingClient({ allow: readAllowList("127.0.0.1") });
const clock = systemClock();
const asked: IncomingMessage[] = [];
const answers: Record<string, (response: ServerResponse) => void> = {
  "/good": (response) => response.end("Hello"),
  "/chunks": (response) => {
    for (let at = 0; at < 20; at++) response.write(Buffer.alloc(10_000, "x"));
    response.end();
  },
  "/edge": (response) => response.end(Buffer.alloc(maxBytes, "x")),
  "/announced": (response) => response.writeHead(200, { "content-length": maxBytes + 1 }).flushHeaders(),
  "/endless": (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", more);
    more();
  },
  "/empty": (response) => response.end(),
  "/missing": (response) => response.writeHead(404).end("no"),
  "/broken": (response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("half", () => response.destroy());
  },
  "/hang-up": (response) => void response.destroy(),
  "/silent": () => {},
  "/stall": (response) => void response.write("first"),
  "/drip": (response) => {
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
  },
  "/gzip": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
  "/moved": (response) => response.writeHead(302, { location: "/good" }).end(),
  "/nowhere": (response) => response.writeHead(302).end(),
  "/loop": (response) => response.writeHead(307, { location: "/loop" }).end(),
  "/inside": (response) => response.writeHead(302, { location: "http://10.0.0.1/secret" }).end(),
  "/metadata": (response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/ftp": (response) => response.writeHead(302, { location: "ftp://files.test/a" }).end(),
  "/login": (response) => response.writeHead(302, { location: "http://user:word@127.0.0.1/" }).end(),
};
const server = createServer((request, response) => {
  asked.push(request);
  answers[request.url ?? ""]?.(response);
});
let origin: string;

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  await upstreams.close();
  server.closeAllConnections();
  server.close();
});

/** Fetches with the time that is left of a request, ms. */
async function fetched(url: string, leftMs = 10_000, signal = new LightAbortController()) {
  const writes: number[] = [];
  const file = {
    write: async (bytes: Buffer) => void writes.push(bytes.length),
    close: () => assert.fail("closed"),
  };
  const until = clock.monotonic() + leftMs;
  const reason = await fetchFile(url, file, { upstreams, clock, signal, maxBytes, until });
  return { reason, writes, bytes: writes.reduce((sum, each) => sum + each, 0) };
}

const complete: [path: string, bytes: number][] = [
  ["/good", 5],
  ["/chunks", 200_000],
  ["/edge", maxBytes],
  ["/moved", 5],
];
for (const [path, bytes] of complete)
  test(`${path} is complete`, async () => {
    const result = await fetched(origin + path);
    assert.deepEqual([result.reason, result.bytes], [null, bytes]);
    // The last one may be short.
    assert.ok(result.writes.slice(0, -1).every((length) => length >= 65_536));
  });

const tooLong = /longer than 256 KiB/;
const notAllowed = /^its address is not allowed$/;
const refused: [path: string, says: RegExp, leftMs?: number][] = [
  ["/announced", tooLong],
  ["/endless", tooLong],
  ["/empty", /empty/],
  ["/missing", /answered 404/],
  ["/broken", /broke off/],
  ["/hang-up", /did not answer/],
  ["/silent", /in time/, 100],
  ["/stall", /in time/, 100],
  ["/drip", /in time/, 200],
  ["/gzip", /compressed/],
  ["/nowhere", /redirects to no address/],
  ["/loop", /more than 3 times/],
  ["/inside", notAllowed],
  ["/metadata", notAllowed],
  ["/file", notAllowed],
  ["/ftp", notAllowed],
  ["/login", notAllowed],
];
for (const [path, says, leftMs] of refused)
  test(`${path}: ${says.source}`, async () => {
    const { reason, bytes } = await fetched(origin + path, leftMs);
    assert.match(reason ?? "none", says);
    assert.ok(bytes <= maxBytes);
  });

test("a server that is not there cannot be reached", async () => {
  const closed = createServer();
  await once(closed.listen(0, "127.0.0.1"), "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  assert.match((await fetched(`http://127.0.0.1:${port}/a`)).reason ?? "none", /cannot be reached/);
});

test("without time, and after the client has gone, no server is asked", async () => {
  const before = asked.length;
  const gone = new LightAbortController();
  gone.abort();
  assert.notEqual((await fetched(`${origin}/good`, 0)).reason, null);
  assert.notEqual((await fetched(`${origin}/good`, 1000, gone)).reason, null);
  assert.equal(asked.length, before);
});

test("the server learns our name, and nothing else", async () => {
  await fetched(`${origin}/good`);
  const { headers } = asked.at(-1)!;
  assert.deepEqual(Object.keys(headers).sort(), [
    "accept",
    "accept-encoding",
    "connection",
    "host",
    "user-agent",
  ]);
  assert.equal(headers["user-agent"], "Trunkline");
});
