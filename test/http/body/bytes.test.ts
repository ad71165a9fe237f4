// Reading bodies from real sockets: too large, too slow, cut off.

import assert from "node:assert/strict";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import test from "node:test";
import { maxPieces, streamBody } from "#http/body/bytes.ts";
import { breakRequest } from "#http/server/broken-request.ts";
import { createDeadlines } from "#http/server/deadlines.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { minPieceBytes, PacedRequest, ReadingTurns, turnBytes } from "#runtime/net/paced-request.ts";
import { key } from "../edge.ts";
import { lastAnswer, sendHead, withWire } from "../wire.ts";

const json = "Content-Type: application/json";
const small = { settings: { maxBodyBytes: 1_000 } };
const tooLarge = {
  success: false,
  message: "The body is larger than 1000 bytes.",
  code: "body_too_large",
};

test("a length over the limit is refused before a byte of the body is read", async () => {
  await withWire(small, async ({ open, accepted }) => {
    const line = await open();
    line.write(sendHead(key, [json, "Content-Length: 1001"]));
    const { status, json: body } = lastAnswer(await line.until(/body_too_large"\}/));
    assert.equal(status, 413);
    assert.deepEqual(body, tooLarge);
    assert.equal(accepted.length, 0);
  });
});

test("a body of exactly the limit is read", async () => {
  await withWire(small, async ({ open, accepted }) => {
    const line = await open();
    const body = JSON.stringify({ contact: [{ number: "1", message: "x".repeat(1_000) }] });
    const exact = body.replace(/x+/, "x".repeat(2_000 - body.length));
    assert.equal(exact.length, 1_000);
    line.write(sendHead(key, [json, "Content-Length: 1000"]) + exact);
    assert.equal(lastAnswer(await line.until(/"msg_0"\}\]\}\}/)).status, 200);
    assert.equal(accepted.length, 1);
  });
});

test("a body that does not say its length is cut at the limit, answered, and the connection closed", async () => {
  await withWire(small, async ({ open, clock, accepted }) => {
    const line = await open();
    line.write(sendHead(key, [json, "Transfer-Encoding: chunked"]));
    line.write(`3e8\r\n${"x".repeat(1_000)}\r\n`);
    line.write("1\r\nx\r\n");
    const { status, head, json: body } = lastAnswer(await line.until(/body_too_large"\}/));
    assert.equal(status, 413);
    assert.match(head, /\r\nConnection: close/i);
    assert.deepEqual(body, tooLarge);
    // The client that goes on sending gets to read the answer; but not to send for ever.
    line.write(`3e8\r\n${"x".repeat(1_000)}\r\n`);
    await clock.advance(2_000);
    await line.closed();
    assert.equal(accepted.length, 0);
  });
});

test("a large body that is refused for its key does not keep the connection busy", async () => {
  await withWire({}, async ({ open, clock }) => {
    const line = await open();
    line.write(sendHead("wrong", [json, "Content-Length: 1000000"]));
    const { status, head } = lastAnswer(await line.until(/Invalid Api Key"\}/));
    assert.equal(status, 403);
    assert.match(head, /\r\nConnection: close/i);
    await clock.advance(2_000);
    await line.closed();
  });
});

test("a small body that is refused for its key leaves the connection open", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    line.write(sendHead("wrong", [json, "Content-Length: 2"]));
    await line.until(/Invalid Api Key"\}/);
    line.write(`{}${sendHead("wrong", [json, "Content-Length: 0"])}`);
    const received = await line.until(/Invalid Api Key"\}[\s\S]*Invalid Api Key"\}/);
    assert.doesNotMatch(received, /connection: close/i);
  });
});

test("a body that takes over 30 s is answered 408, and the connection closed", async () => {
  await withWire({}, async ({ open, clock, app }) => {
    const started = new Promise((resolve) => app.server.once("request", resolve));
    const line = await open();
    line.write(sendHead(key, [json, "Content-Length: 100"]));
    line.write('{"contact":');
    await started;
    await clock.advance(29_999);
    assert.equal(line.received(), "");
    await clock.advance(1);
    const { status, head, json: body } = lastAnswer(await line.closed());
    assert.equal(status, 408);
    assert.match(head, /\r\nConnection: close/i);
    assert.deepEqual(body, {
      success: false,
      message: "The request took too long to arrive.",
      code: "request_timeout",
    });
  });
});

test("a slow body without a key in front is answered 408 too", async () => {
  await withWire({}, async ({ open, clock, app }) => {
    const started = new Promise((resolve) => app.server.once("request", resolve));
    const line = await open();
    line.write(`POST /api/sms/send HTTP/1.1\r\nHost: x\r\n${json}\r\nContent-Length: 100\r\n\r\n{`);
    await started;
    await clock.advance(30_000);
    assert.equal(lastAnswer(await line.closed()).status, 408);
  });
});

test("a client that goes away in the middle leaves nothing behind", async () => {
  await withWire({}, async ({ open, clock, app, accepted, log }) => {
    const started = new Promise((resolve) => app.server.once("request", resolve));
    const line = await open();
    line.write(sendHead(key, [json, "Content-Length: 100"]));
    line.write("{");
    await started;
    line.socket.destroy();
    await clock.advance(60_000);
    assert.equal(accepted.length, 0);
    assert.deepEqual(log.lines(), []);
    assert.equal(clock.sleeping(), 0);
  });
});

test("a body that comes in many pieces is put together", async () => {
  await withWire({}, async ({ open, accepted }) => {
    const line = await open();
    const body = Buffer.from(JSON.stringify({ contact: [{ number: "1", message: "grüß 😀" }] }));
    line.socket.setNoDelay(true);
    line.write(sendHead(key, [json, "Transfer-Encoding: chunked"]));
    for (const byte of body)
      line.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]));
    line.write("0\r\n\r\n");
    await line.until(/"msg_0"/);
    assert.equal(accepted[0]?.send.contacts[0]?.message, "grüß 😀");
  });
});

test("two requests in one packet get two answers, in order", async () => {
  await withWire({}, async ({ open, accepted }) => {
    const line = await open();
    const request = (text: string) => {
      const body = JSON.stringify({ contact: [{ number: "1", message: text }] });
      return `${sendHead(key, [json, `Content-Length: ${body.length}`])}${body}`;
    };
    line.write(request("one") + request("two"));
    await line.until(/msg_0[\s\S]*msg_0/);
    assert.deepEqual(
      accepted.map(({ send }) => send.contacts[0]?.message),
      ["one", "two"],
    );
  });
});

/** A body that is written by hand, and what is made of it. */
function taking(take: (chunk: Buffer) => boolean | Promise<boolean>, maxBytes = 100) {
  const clock = movableClock();
  const stream = Object.assign(new PassThrough(), { headers: { "transfer-encoding": "chunked" } });
  const end = streamBody(stream as never, { maxBytes, deadlines: createDeadlines(clock, 1_000) }, take);
  return { clock, stream, end };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("nothing more is read while a piece is being taken", async () => {
  const taken: string[] = [];
  const open: (() => void)[] = [];
  const { stream, end } = taking((chunk) => {
    taken.push(String(chunk));
    return new Promise((resolve) => open.push(() => resolve(true)));
  });
  stream.write("a");
  await turn();
  stream.write("b");
  stream.end();
  await turn();
  assert.deepEqual(taken, ["a"]);
  open[0]?.();
  await turn();
  assert.deepEqual(taken, ["a", "b"]);
  open[1]?.();
  assert.equal(await end, "ended");
});

test("however it ends, what is being taken is finished first", async () => {
  for (const how of ["gone", "too_slow"] as const) {
    let finish: () => void = () => {};
    const { clock, stream, end } = taking(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(true);
        }),
    );
    let over = false;
    void end.then(() => {
      over = true;
    });
    stream.write("a");
    await turn();
    if (how === "gone") stream.destroy();
    else await clock.advance(1_000);
    await turn();
    assert.equal(over, false);
    finish();
    assert.equal(await end, how);
  }
});

test("its taker may end it, or fail", async () => {
  const stopped = taking(() => false);
  stopped.stream.write("a");
  assert.equal(await stopped.end, "stopped");
  const later = taking(async () => false);
  later.stream.write("a");
  assert.equal(await later.end, "stopped");
  // The stream tells its end while its last piece is being taken.
  const last = taking(async () => turn().then(() => false));
  last.stream.end("a");
  assert.equal(await last.end, "stopped");
  const failing = taking(async () => {
    throw new Error("no room");
  });
  failing.stream.write("a");
  await assert.rejects(failing.end, /no room/);
  const large = taking(() => true, 3);
  large.stream.write("abcd");
  assert.equal(await large.end, "too_large");
});

test("pieces are counted beside bytes: single bytes are refused soon, however long the body may be", async () => {
  const max = maxPieces(16_384);
  assert.equal(max, 16_384 + 256);
  // 16,644 bytes allow one piece for each 64 of them: 260 beyond 16,384.
  for (const [pieces, expected] of [
    [16_644, "ended"],
    [16_645, "too_many_pieces"],
  ] as const) {
    let taken = 0;
    const { stream, end } = taking(
      () => {
        taken += 1;
        return true;
      },
      128 * 1024 * 1024,
    );
    for (let at = 0; at < pieces; at++) stream.write("a");
    stream.end();
    assert.equal(await end, expected);
    assert.equal(taken, 16_644);
  }
});

test("a chunk that was joined from many pieces counts as all of them", async () => {
  const request = new PacedRequest(new Socket(), new ReadingTurns());
  Object.assign(request, { headers: { "transfer-encoding": "chunked" } });
  const limits = { maxBytes: 1_000_000, deadlines: createDeadlines(movableClock(), 1_000) };
  let taken = 0;
  const end = streamBody(request, limits, () => {
    taken += 1;
    return true;
  });
  for (let at = 0; at < 16_645; at++) request.push(Buffer.from("a"));
  request.push(null);
  assert.equal(await end, "too_many_pieces");
  assert.equal(taken, turnBytes / minPieceBytes);
});

test("a body in pieces of 64 bytes or more is never refused for their number", async () => {
  for (const length of [64, 100, 1_400]) {
    const pieces = 40_000;
    for (let sent = 1; sent <= pieces; sent++) assert.ok(sent <= maxPieces(sent * length));
    let taken = 0;
    const { stream, end } = taking((chunk) => {
      taken += chunk.length;
      return true;
    }, pieces * length);
    const piece = Buffer.alloc(length, "a");
    for (let at = 0; at < pieces; at++) stream.write(piece);
    stream.end();
    assert.equal(await end, "ended");
    assert.equal(taken, pieces * length);
  }
});

test("a body of single bytes is answered 413 long before it reaches its limit", async () => {
  await withWire({}, async ({ open, accepted }) => {
    const line = await open();
    line.write(sendHead(key, [json, "Transfer-Encoding: chunked"]));
    line.write("1\r\na\r\n".repeat(16_645));
    const { status, json: body } = lastAnswer(await line.until(/body_too_large"\}/));
    assert.equal(status, 413);
    assert.deepEqual(body, {
      success: false,
      message: "The body came in too many pieces; send at least 64 bytes in each.",
      code: "body_too_large",
    });
    assert.equal(accepted.length, 0);
  });
});

test("of a body that was refused a few thousand pieces are dropped, and then the connection closes", async () => {
  await withWire(small, async ({ open, accepted }) => {
    const line = await open();
    line.write(sendHead(key, [json, "Transfer-Encoding: chunked"]));
    line.write("1\r\na\r\n".repeat(9_000));
    assert.equal(lastAnswer(await line.until(/body_too_large"\}/)).status, 413);
    // The clock has not moved: it was the pieces that ended the wait.
    await line.closed();
    assert.equal(accepted.length, 0);
  });
});

test("a body that breaks ends with that, also before it is read", async () => {
  const early = taking(() => true);
  early.stream.write("a");
  await turn();
  breakRequest(early.stream as never, "malformed");
  breakRequest(early.stream as never, "too_slow");
  assert.equal(await early.end, "malformed");
  const stream = Object.assign(new PassThrough(), { headers: { "transfer-encoding": "chunked" } });
  breakRequest(stream as never, "too_slow");
  const limits = { maxBytes: 10, deadlines: createDeadlines(movableClock(), 1_000) };
  assert.equal(await streamBody(stream as never, limits, () => assert.fail()), "too_slow");
  const gone = Object.assign(new PassThrough(), { headers: { "transfer-encoding": "chunked" } });
  gone.destroy();
  assert.equal(await streamBody(gone as never, limits, () => assert.fail()), "gone");
});
