// What one connection may ask for at once, over real sockets: a request is begun when the answer before it has left.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import test from "node:test";
import type { SmsSend } from "#contract/messages/sms.ts";
import { createConnections } from "#http/server/connections.ts";
import { ReadingTurns } from "#runtime/net/paced-request.ts";
import { key, metricsOf } from "../edge.ts";
import { type Line, type Wire, withWire } from "../wire.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Counts the requests that Node has parsed. */
function parsed({ app }: Wire) {
  const seen = { requests: 0 };
  app.server.prependListener("request", () => {
    seen.requests += 1;
  });
  return seen;
}

/** Resolves when so many answers with this body have come. */
async function answers(line: Line, body: string, count: number): Promise<string[]> {
  const received = await line.until(new RegExp(`(?:${body}[\\s\\S]*?){${count}}`));
  return received.split("HTTP/1.1 ").slice(1);
}

test("while an answer is not read, no request behind it is begun, and none is lost", async () => {
  const mib = 1024 * 1024;
  let begun = 0;
  const core = metricsOf(async () => {
    begun += 1;
    return "x".repeat(16 * mib);
  });
  await withWire({ core }, async (wire) => {
    const seen = parsed(wire);
    const line = await wire.open();
    line.socket.pause();
    line.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(12));
    while (seen.requests < 12) await turn();
    for (let turns = 0; turns < 50; turns++) await turn();
    assert.equal(begun, 1);
    let bytes = 0;
    line.socket.removeAllListeners("data");
    line.socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    line.socket.resume();
    while (bytes < 12 * 16 * mib) await turn();
    assert.equal(begun, 12);
  });
});

test("of a large fixed answer, a connection that does not read holds one", async () => {
  await withWire({}, async (wire) => {
    const responses: ServerResponse[] = [];
    wire.app.server.prependListener("request", (_request, response) => responses.push(response));
    for (let at = 0; at < 4; at++) {
      const line = await wire.open();
      line.socket.pause();
      line.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200));
    }
    while (responses.length < 800) await turn();
    for (let turns = 0; turns < 50; turns++) await turn();
    const waiting = responses.reduce((sum, response) => sum + response.writableLength, 0);
    assert.ok(waiting < 4 * 1024 * 1024, `${waiting} bytes wait`);
  });
});

test("thousands of requests in one write are all answered, in order", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    line.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".repeat(4_999));
    line.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    const received = await answers(line, "Not found", 1);
    assert.equal(received.length, 5_000);
    assert.ok(received.slice(0, -1).every((answer) => answer.startsWith("200 ")));
  });
});

test("requests wait for the one before them, with bodies and without", async () => {
  const begun: string[] = [];
  const release: (() => void)[] = [];
  await withWire({}, async (wire) => {
    const acceptSend = wire.core.acceptance.send;
    wire.core.acceptance.send = async (request) => {
      begun.push((request.send as SmsSend).contacts[0]?.message ?? "");
      await new Promise<void>((resolve) => release.push(resolve));
      return acceptSend(request);
    };
    const post = (message: string, more = "") => {
      const body = JSON.stringify({ contact: [{ number: "1", message }], more });
      return `POST /api/sms/send HTTP/1.1\r\nHost: x\r\nApi-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const seen = parsed(wire);
    const line = await wire.open();
    line.write(post("one") + post("two") + post("three", "x".repeat(200_000)));
    while (seen.requests < 3) await turn();
    while (release.length === 0) await turn();
    assert.deepEqual(begun, ["one"]);
    for (let at = 0; at < 3; at++) {
      while (release.length === 0) await turn();
      release.shift()?.();
    }
    await answers(line, '"msg_0"', 3);
    assert.deepEqual(begun, ["one", "two", "three"]);
  });
});

test("behind an answer that closes its connection nothing is begun", async () => {
  await withWire({}, async (wire) => {
    const line = await wire.open();
    const body = '{"contact":[{"number":"1","message":"x"}]}';
    const send = `POST /api/sms/send HTTP/1.1\r\nHost: x\r\nApi-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    line.write(`${send}Connection: close\r\n\r\n${body}${send}\r\n${body}`);
    const received = await line.closed();
    assert.equal(received.split("HTTP/1.1 ").length, 2);
    assert.equal(wire.accepted.length, 1);
  });
});

test("when too many requests wait on all connections, one that asks for many more is closed", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const core = metricsOf(async () => {
    await held;
    return "up 1\n";
  });
  await withWire({ core }, async (wire) => {
    const seen = parsed(wire);
    const first = await wire.open();
    first.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(5));
    const many = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_500);
    let closed = 0;
    for (let at = 1; at <= 6; at++) {
      const line = await wire.open();
      line.socket.once("close", () => closed++);
      line.write(many);
      while (seen.requests < 5 + at * 1_500) await turn();
    }
    const last = await wire.open();
    last.write(many);
    await last.closed();
    assert.equal(closed, 0);
    release();
    assert.equal((await answers(first, "up 1", 5)).length, 5);
  });
});

test("a large answer to a question finds no room while too many wait to be read; what was done is always told", async () => {
  const mib = 1024 * 1024;
  const core = metricsOf(async () => "x".repeat(40 * mib));
  await withWire({ core }, async (wire) => {
    const ask = async () => {
      const line = await wire.open();
      const [, response] = await Promise.all([
        line.socket.pause(),
        once(wire.app.server, "request").then(([, answer]) => answer),
        line.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      ]);
      while (!response.headersSent) await turn();
      return { line, status: response.statusCode as number };
    };
    const first = await ask();
    assert.equal(first.status, 200);
    assert.equal((await ask()).status, 503);
    first.line.socket.destroy();
    let last = await ask();
    while (last.status === 503) last = await ask();
    assert.equal(last.status, 200);
  });
});

test("connections beyond the bound are closed", async () => {
  await withWire({ settings: { maxConnections: 2 } }, async ({ open }) => {
    await open();
    const second = await open();
    const third = await open();
    assert.equal(await third.closed(), "");
    second.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
    await second.until(/^HTTP\/1\.1 200 /);
  });
});

test("two lists are read at once, and none while too many large answers wait to be read", async () => {
  let reading = 0;
  let max = 0;
  const release: (() => void)[] = [];
  const core = metricsOf(async () => "x".repeat(64 * 1024 * 1024));
  const operations = {
    recentMessages: async () => {
      reading += 1;
      max = Math.max(max, reading);
      await new Promise<void>((resolve) => release.push(resolve));
      reading -= 1;
      return { rows: [], more: false };
    },
  };
  await withWire({ core, operations }, async (wire) => {
    const list = async () => {
      const line = await wire.open();
      line.write(`GET /api/get/sms HTTP/1.1\r\nHost: x\r\nApi-key: ${key}\r\n\r\n`);
      return line;
    };
    const seen = parsed(wire);
    const lines = await Promise.all(Array.from({ length: 6 }, list));
    while (seen.requests < 6 || release.length < 2) await turn();
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.equal(reading, 2);
    for (let at = 0; at < 6; at++) {
      while (release.length === 0) await turn();
      release.shift()?.();
    }
    for (const line of lines) await line.until(/^HTTP\/1\.1 200 /);
    assert.equal(max, 2);
    const unread = await wire.open();
    unread.socket.pause();
    const begun = once(wire.app.server, "request");
    unread.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [, response] = await begun;
    while (!response.headersSent) await turn();
    const refused = await (await list()).until(/\}$/);
    assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
    assert.equal(release.length, 0);
  });
});

test("requests that waited begin one in each turn of the event loop, whichever connection they came on", async () => {
  const later: (() => void)[] = [];
  const begun: string[] = [];
  const { listener } = createConnections(
    (request, response) => {
      begun.push(request.url ?? "");
      response.end("ok");
    },
    () => false,
    new ReadingTurns((work) => void later.push(work)),
  );
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let parsedRequests = 0;
  server.prependListener("request", () => {
    parsedRequests += 1;
  });
  const sockets = ["a", "b"].map((name) => {
    const socket = connect(port, "127.0.0.1");
    socket.resume();
    socket.write([1, 2, 3].map((number) => `GET /${name}${number} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    return socket;
  });
  while (parsedRequests < 6 || later.length < 1) await turn();
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.deepEqual(begun.toSorted(), ["/a1", "/b1"], "the first of each connection begins at once");
  for (let count = 3; count <= 6; count += 1) {
    later.shift()!();
    while (later.length === 0 && begun.length < 6) await turn();
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.equal(begun.length, count);
  }
  for (const name of ["a", "b"])
    assert.deepEqual(
      begun.filter((url) => url.startsWith(`/${name}`)),
      [1, 2, 3].map((number) => `/${name}${number}`),
      "in order",
    );
  for (const socket of sockets) socket.destroy();
  server.close();
});

test("while the server closes, a connection ends with its answer, also with one that had begun before", async () => {
  let isClosing = false;
  let answer = () => {};
  const { listener } = createConnections(
    (_request, response) => {
      response.write("begun");
      answer = () => response.end(", ended");
    },
    () => isClosing,
  );
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "data");
  isClosing = true;
  answer();
  let rest = "";
  socket.on("data", (bytes) => {
    rest += String(bytes);
  });
  await once(socket, "close");
  assert.match(rest, /, ended/);
  server.close();
  await once(server, "close");
});
