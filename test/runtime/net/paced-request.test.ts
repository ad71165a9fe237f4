// Bodies take turns: how much of one comes in a turn of the event loop, in which order several go on, and that nothing of
// them is lost.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import test from "node:test";
import { HttpServer } from "#runtime/net/http-server.ts";
import {
  minPieceBytes,
  PacedRequest,
  piecesIn,
  ReadingTurns,
  turnBytes,
} from "#runtime/net/paced-request.ts";

/** Turns of an event loop that a test moves by hand. */
function movableTurns() {
  let works: (() => void)[] = [];
  return {
    turns: new ReadingTurns((work) => works.push(work)),
    next() {
      const due = works;
      works = [];
      for (const work of due) work();
    },
    /** Whether anything is to be done in the next turn. */
    isIdle: () => works.length === 0,
  };
}

/** A request without a connection, and the chunks that its reader has got. */
function reading(turns: ReadingTurns) {
  const request = new PacedRequest(new Socket(), turns);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { request, chunks };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
const maxPieces = turnBytes / minPieceBytes;

test("one body goes on in each turn, in the order in which they began to wait", () => {
  const { turns, next, isIdle } = movableTurns();
  const order: string[] = [];
  turns.wait(() => order.push("a"));
  turns.wait(() => {
    order.push("b");
    turns.wait(() => order.push("b again"));
  });
  turns.wait(() => order.push("c"));
  for (const expected of [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "b again"]]) {
    next();
    assert.deepEqual(order, expected);
  }
  assert.ok(isIdle());
});

test("after so many tiny pieces the socket is not read, and what still comes is one chunk of the next turn", async () => {
  const { turns, next } = movableTurns();
  const { request, chunks } = reading(turns);
  await settle();
  for (let at = 1; at < maxPieces; at++) assert.equal(request.push(Buffer.from("a")), true);
  for (let at = 0; at < 5_000; at++) assert.equal(request.push(Buffer.from("b")), false);
  assert.equal(chunks.length, maxPieces);
  next();
  assert.equal(chunks.length, maxPieces + 1);
  const last = chunks.at(-1)!;
  assert.equal(last.toString(), "b".repeat(4_999));
  assert.equal(piecesIn(last), 4_999);
  assert.equal(piecesIn(chunks[0]!), 1);
  // The next turn has a share of its own.
  assert.equal(request.push(Buffer.from("c")), true);
});

test("after so many bytes the socket is not read", async () => {
  const { turns, next } = movableTurns();
  const { request, chunks } = reading(turns);
  await settle();
  const piece = Buffer.alloc(64 * 1024);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => request.push(piece)),
    [true, true, true, false, false],
  );
  assert.equal(chunks.length, 4);
  next();
  assert.equal(chunks.length, 5);
});

test("while a body waits its stream does not make the socket read, and does so in its turn", async () => {
  const { turns, next } = movableTurns();
  const { request } = reading(turns);
  let resumed = 0;
  request.socket = Object.assign(new Socket(), {
    readable: true,
    resume: () => {
      resumed += 1;
    },
  });
  await settle();
  const before = resumed;
  request.push(Buffer.alloc(turnBytes));
  await settle();
  assert.equal(resumed, before);
  next();
  assert.equal(resumed, before + 1);
});

test("a body whose reader comes while it waits is read on, although a chunk was kept", async () => {
  const { turns, next } = movableTurns();
  let resumed = 0;
  const socket = Object.assign(new Socket(), {
    readable: true,
    resume: () => {
      resumed += 1;
    },
  });
  const request = new PacedRequest(socket, turns);
  for (let at = 0; at < maxPieces; at++) request.push(Buffer.from("a"));
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
  });
  await settle();
  request.push(Buffer.from("b"));
  assert.deepEqual([length, resumed], [maxPieces, 0]);
  next();
  assert.deepEqual([length, resumed], [maxPieces + 1, 1]);
});

test("the end of a body does not wait, and comes behind all of it", async () => {
  const { turns, next } = movableTurns();
  const { request, chunks } = reading(turns);
  for (let at = 0; at < maxPieces + 10; at++) request.push(Buffer.from("a"));
  request.push(null);
  await once(request, "end");
  assert.equal(Buffer.concat(chunks).toString(), "a".repeat(maxPieces + 10));
  next();
  await settle();
});

test("a body that was given up while it waited is left alone", async () => {
  const { turns, next, isIdle } = movableTurns();
  const { request, chunks } = reading(turns);
  request.on("error", () => {});
  await settle();
  for (let at = 0; at < maxPieces + 10; at++) request.push(Buffer.from("a"));
  request.destroy();
  next();
  await settle();
  assert.equal(chunks.length, maxPieces);
  assert.ok(isIdle());
});

/** A server that answers each body with its length, and what `see` sees of its chunks. */
async function withServer(
  see: (request: IncomingMessage, chunk: Buffer) => void,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const limits = {
    headersMs: 60_000,
    checkMs: 60_000,
    requestMs: 60_000,
    keepAliveMs: 0,
    maxConnections: 10,
  };
  const listener: RequestListener = (request, response) => {
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      see(request, chunk);
    });
    request.on("end", () => response.end(`length ${length}.`));
  };
  const { server } = new HttpServer(limits, listener, listener, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await run((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Writes to a new connection, and resolves with what came until it matches. */
async function exchange(port: number, bytes: string, pattern: RegExp): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.write(bytes);
  for await (const chunk of socket) {
    text += chunk;
    if (pattern.test(text)) break;
  }
  return text;
}
const chunkedHead = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

test("a server hands on no more of a body in a turn of the event loop than its share", async () => {
  let turn = 0;
  let timer: NodeJS.Immediate;
  const tick = () => {
    turn += 1;
    timer = setImmediate(tick);
  };
  tick();
  const events = new Map<number, number>();
  let pieces = 0;
  try {
    await withServer(
      (_request, chunk) => {
        events.set(turn, (events.get(turn) ?? 0) + 1);
        pieces += piecesIn(chunk);
      },
      async (port) => {
        const body = `${"1\r\na\r\n".repeat(40_000)}0\r\n\r\n`;
        assert.match(await exchange(port, chunkedHead + body, /length/), /length 40000\./);
      },
    );
  } finally {
    clearImmediate(timer!);
  }
  assert.equal(pieces, 40_000);
  // Chunks that were joined come beside the single pieces: at the body's turn, and at its end.
  assert.ok(Math.max(...events.values()) <= maxPieces + 3);
});

test("a connection goes on behind a body that ended while it waited", async () => {
  await withServer(
    () => {},
    async (port) => {
      const request = `${chunkedHead}${"1\r\na\r\n".repeat(5_000)}0\r\n\r\n`;
      const received = await exchange(port, request.repeat(3), /(?:length \d+\.[\s\S]*){3}/);
      assert.equal(received.match(/length 5000\./g)?.length, 3);
    },
  );
});

test("a body comes whole, however it is cut, and however late and haltingly it is read", async () => {
  const limits = {
    headersMs: 60_000,
    checkMs: 60_000,
    requestMs: 60_000,
    keepAliveMs: 0,
    maxConnections: 10,
  };
  const listener: RequestListener = async (request, response) => {
    const [late, every] = (request.url ?? "/").slice(1).split("-").map(Number);
    for (let at = 0; at < late!; at++) await settle();
    let length = 0;
    let chunks = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks += 1;
      if (chunks % every! !== 0) return;
      request.pause();
      setImmediate(() => request.resume());
    });
    request.on("end", () => response.end(`length ${length}.`));
  };
  const { server } = new HttpServer(limits, listener, listener, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    for (const [cut, pieces] of [
      [1, 30_000],
      [100, 20_000],
      [1_400, 1_000],
      [70_000, 30],
    ] as const)
      for (const late of [0, 1, 3])
        for (const every of [1_000_000, 100]) {
          const head = chunkedHead.replace("POST /", `POST /${late}-${every}`);
          const piece = `${cut.toString(16)}\r\n${"a".repeat(cut)}\r\n`;
          const received = await exchange(port, `${head}${piece.repeat(pieces)}0\r\n\r\n`, /length/);
          assert.match(received, new RegExp(`length ${cut * pieces}\\.`), `${cut} ${late} ${every}`);
        }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
