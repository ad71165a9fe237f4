// Requests that break in every way, against a whole system: what the client sees, and what was stored. A send that was
// stored is never answered with an error, and one that was answered with an error was not stored.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import test from "node:test";
import { type Harness, harness } from "../harness.ts";

const body = JSON.stringify({ contact: [{ number: "+4915123456789", message: "Hello" }] });

interface Broken {
  name: string;
  /** What is sent; `KEY` stands for the account's key. */
  bytes: string | Buffer;
  /** The client ends its side behind the bytes. */
  half?: true;
  /** The statuses of the answers, in their order. */
  seen: number[];
  stored: number;
}

const head = (...more: string[]) =>
  `${["POST /api/sms/send HTTP/1.1", "Host: x", "Api-key: KEY", "Content-Type: application/json", ...more].join("\r\n")}\r\n\r\n`;
const send = `${head(`Content-Length: ${body.length}`)}${body}`;
const chunked = `${head("Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n`;
const cancel = "POST /api/cancel/sms/msg_1 HTTP/1.1\r\nHost: x\r\nApi-key: KEY\r\n";

const tails: [name: string, tail: string | Buffer][] = [
  ["a bracket", "}"],
  ["a word", "garbage"],
  ["a blank", " "],
  ["a NUL", "\0"],
  ["a byte of TLS", "\x16\x03\x01"],
  ["a line that is no request", "GET / HTTP/9.9\r\n\r\n"],
  ["a second request with two lengths", head("Content-Length: 2", "Content-Length: 3")],
  ["a second request with length and chunks", head("Content-Length: 2", "Transfer-Encoding: chunked")],
  ["a second request with a bad header", "GET /health/live HTTP/1.1\r\nHost : x\r\n\r\n"],
  [
    "a second request with headers over 16 KiB",
    `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(17_000)}\r\n\r\n`,
  ],
  ["64 KiB of anything", "x".repeat(65_536)],
];

const broken: Broken[] = [
  ...tails.map(
    ([name, tail]): Broken => ({
      name: `a send with ${name} behind it`,
      bytes: `${send}${tail}`,
      seen: [200],
      stored: 1,
    }),
  ),
  ...tails.slice(0, 4).map(
    ([name, tail]): Broken => ({
      name: `a chunked send with ${name} behind it`,
      bytes: `${chunked}0\r\n\r\n${tail}`,
      seen: [200],
      stored: 1,
    }),
  ),
  { name: "two sends with a bracket behind them", bytes: `${send}${send}}`, seen: [200, 200], stored: 2 },
  {
    name: "a send that says it closes, and another",
    bytes: `${send.replace("Host: x", "Host: x\r\nConnection: close")}${send}`,
    seen: [200],
    stored: 1,
  },
  {
    name: "a send and one whose chunks are none",
    bytes: `${send}${head("Transfer-Encoding: chunked")}zz\r\n`,
    seen: [200, 400],
    stored: 1,
  },
  {
    name: "a send and one with two Host headers",
    bytes: `${send}${send.replace("Host: x", "Host: x\r\nHost: y\r\nConnection: close")}`,
    seen: [200, 400],
    stored: 1,
  },
  {
    name: "a length that is one too long",
    bytes: `${head(`Content-Length: ${body.length + 1}`)}${body}`,
    half: true,
    seen: [400],
    stored: 0,
  },
  {
    name: "a length that is one too short",
    bytes: `${head(`Content-Length: ${body.length - 1}`)}${body}`,
    seen: [400],
    stored: 0,
  },
  { name: "a body that was cut off", bytes: send.slice(0, -5), half: true, seen: [400], stored: 0 },
  { name: "chunks that were cut off", bytes: chunked, half: true, seen: [400], stored: 0 },
  { name: "a chunk that is not one", bytes: `${chunked}zz\r\n\r\n`, seen: [400], stored: 0 },
  {
    name: "a chunk that is longer than it says",
    bytes: `${head("Transfer-Encoding: chunked")}2\r\n${body}\r\n0\r\n\r\n`,
    seen: [400],
    stored: 0,
  },
  {
    name: "length and chunks",
    bytes: `${head("Content-Length: 2", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    seen: [400],
    stored: 0,
  },
  {
    name: "two lengths",
    bytes: `${head("Content-Length: 2", "Content-Length: 3")}{}`,
    seen: [400],
    stored: 0,
  },
  { name: "a length below zero", bytes: `${head("Content-Length: -1")}{}`, seen: [400], stored: 0 },
  {
    name: "two Host headers",
    bytes: send.replace("Host: x", "Host: x\r\nHost: x\r\nConnection: close"),
    seen: [400],
    stored: 0,
  },
  {
    name: "two Authorization headers",
    bytes: send.replace("Host: x", "Host: x\r\nAuthorization: a\r\nAuthorization: b\r\nConnection: close"),
    seen: [400],
    stored: 0,
  },
  {
    name: "two keys",
    bytes: send.replace("Host: x", "Host: x\r\nConnection: close\r\nApi-key: KEY"),
    seen: [403],
    stored: 0,
  },
  {
    name: "headers over 16 KiB",
    bytes: send.replace("Host: x", `Host: x\r\nA: ${"a".repeat(17_000)}`),
    seen: [431],
    stored: 0,
  },
  { name: "a first line that is not one", bytes: `garbage\r\n${send}`, seen: [400], stored: 0 },
  {
    name: "another coding of chunks",
    bytes: `${head("Transfer-Encoding: gzip, chunked", "Connection: close")}0\r\n\r\n`,
    seen: [422],
    stored: 0,
  },
  { name: "another protocol", bytes: "SSH-2.0-OpenSSH_9.9\r\n\r\n", seen: [400], stored: 0 },
  {
    name: "a request whose body is not looked at and breaks",
    bytes: `${cancel}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    seen: [404],
    stored: 0,
  },
];

async function statuses(it: Harness, key: string, { bytes, half }: Broken): Promise<number[]> {
  const { port } = it.system.app.server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  const wire = String(bytes).replaceAll("KEY", key);
  if (half) socket.end(wire);
  else socket.write(wire);
  await new Promise<void>((resolve) => {
    socket.on("end", resolve).on("close", resolve);
  });
  socket.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

test("what the client of a broken request sees, and what was stored", async (t) => {
  const it = await harness();
  const { key } = await it.account();
  await it.gateway({ identifier: "sms-main", kind: "sandbox", default: true });
  await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const count = async () => (await it.get("/api/get/sms?limit=200")).json().data.length as number;
  for (const each of broken) {
    await t.test(each.name, async () => {
      const before = await count();
      const seen = await statuses(it, key, each);
      assert.deepEqual({ seen, stored: (await count()) - before }, { seen: each.seen, stored: each.stored });
    });
  }
  await t.test("a slow body is 408, also behind a send that was stored", async () => {
    const before = await count();
    const { port } = it.system.app.server.address() as AddressInfo;
    for (const [first, seen] of [
      ["", [408]],
      [send, [200, 408]],
    ] as const) {
      const socket = connect(port, "127.0.0.1");
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
      });
      const closed = once(socket, "close");
      let begun = 0;
      const all = new Promise<void>((resolve) => {
        it.system.app.server.on("request", () => {
          begun += 1;
          if (begun === seen.length) resolve();
        });
      });
      socket.write(`${first}${head("Content-Length: 100")}{`.replaceAll("KEY", key));
      await all;
      if (first !== "")
        while (!received.includes("\r\n\r\n")) await new Promise((resolve) => setImmediate(resolve));
      // The second is begun when the first one's answer has left.
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      await it.advance(30_000);
      await closed;
      assert.deepEqual(
        [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
        seen,
      );
    }
    assert.equal((await count()) - before, 1);
  });
  await it.close();
});
