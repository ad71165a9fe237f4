// A stream of events on a real socket: the headers and the first text together, comments in silences alone, no faster
// than the client reads, and the writer is stopped when the client has left.

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { type EventSource, eventStreamHeaders, keepAliveComment, writeEvents } from "#http/reply/sse.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";

/** A source whose texts the test hands over one by one. */
class Spoken implements EventSource {
  asked = 0;
  cancelled = 0;
  readonly #texts: (string | null | Error)[] = [];
  #wake: (() => void) | null = null;

  say(...texts: (string | null | Error)[]): void {
    this.#texts.push(...texts);
    this.#wake?.();
  }

  /** The last text says so. */
  knowsItsEnd = false;

  isOver(): boolean {
    return this.knowsItsEnd && this.#texts.length === 0;
  }

  async next(): Promise<string | null> {
    this.asked += 1;
    while (this.#texts.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const text = this.#texts.shift()!;
    if (text instanceof Error) throw text;
    return text;
  }

  cancel(): void {
    this.cancelled += 1;
    this.say(null);
  }
}

interface Stage {
  clock: MovableClock;
  response: ServerResponse;
  client: Socket;
  received(): string;
  until(holds: (text: string) => boolean): Promise<void>;
  /** When the client's socket has closed. */
  closed: Promise<void>;
}

const head = { status: 200, headers: Object.entries(eventStreamHeaders).flat() };
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const clock = movableClock();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let text = "";
  client.on("data", (piece) => {
    text += piece.toString("latin1");
  });
  client.on("error", () => {});
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const response = await new Promise<ServerResponse>((resolve) => {
    server.once("request", (_request, made) => resolve(made));
  });
  const until = async (holds: (text: string) => boolean) => {
    while (!holds(text)) await turn();
  };
  try {
    await run({ clock, response, client, received: () => text, until, closed });
  } finally {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("texts go out as they come, after headers that no proxy holds back, and then the end", async () => {
  await onStage(async ({ clock, response, received, until }) => {
    const source = new Spoken();
    const written = writeEvents(clock, response, source, head);
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.equal(received(), "");
    source.say("data: 1\n\n");
    await until((text) => text.includes("data: 1\n\n"));
    const [headers = ""] = received().split("\r\n\r\n");
    assert.match(headers, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(headers, /\r\nContent-Type: text\/event-stream; charset=utf-8\r\n/);
    assert.match(headers, /\r\nCache-Control: no-cache, no-transform\r\n/);
    assert.match(headers, /\r\nX-Accel-Buffering: no\r\n/);
    assert.match(headers, /\r\nTransfer-Encoding: chunked/);
    assert.doesNotMatch(headers, /content-length/i);
    source.say("", "data: 2\n\n", null);
    await written;
    await until((text) => text.endsWith("\r\n0\r\n\r\n"));
    assert.equal(clock.sleeping(), 0);
  });
});

test("a last text that is known as such goes out with the end, and nothing is asked for after it", async () => {
  await onStage(async ({ clock, response, received, until }) => {
    const source = new Spoken();
    source.knowsItsEnd = true;
    source.say("data: 1\n\n", "data: 2\n\n");
    const written = writeEvents(clock, response, source, head);
    await written;
    assert.equal(source.asked, 2);
    assert.equal(response.writableEnded, true);
    await until((text) => text.endsWith("data: 2\n\n\r\n0\r\n\r\n"));
    assert.match(received(), /\r\nTransfer-Encoding: chunked/);
    assert.equal(clock.sleeping(), 0);
  });
});

test("a comment after every 15 s of silence, and none while something is said", async () => {
  await onStage(async ({ clock, response, received, until }) => {
    const source = new Spoken();
    void writeEvents(clock, response, source, head);
    const comments = () => received().split(keepAliveComment).length - 1;
    source.say("data: 1\n\n");
    await until((text) => text.includes("data: 1"));
    await clock.advance(14_999);
    source.say("data: 2\n\n");
    await until((text) => text.includes("data: 2"));
    await clock.advance(14_999);
    // An empty text is silence.
    source.say("");
    await turn();
    assert.equal(comments(), 0);
    await clock.advance(1);
    await until(() => comments() === 1);
    await clock.advance(30_000);
    await until(() => comments() === 3);
    source.say("data: 3\n\n", null);
    await until((text) => text.endsWith("\r\n0\r\n\r\n"));
    assert.equal(comments(), 3);
  });
});

const large = `data: ${"x".repeat(1_000_000)}\n\n`;

test("a slow reader slows the speaker: no more is asked for than fits, and all of it arrives", async () => {
  await onStage(async ({ clock, response, client, received, until }) => {
    client.pause();
    const source = new Spoken();
    for (let at = 0; at < 40; at++) source.say(large);
    source.say(null);
    const written = writeEvents(clock, response, source, head);
    while (!response.writableNeedDrain) await turn();
    await clock.advance(20_000);
    const asked = source.asked;
    assert.ok(asked < 35, `${asked} of 40 were asked for`);
    assert.ok((response.socket?.writableLength ?? 0) < 2 * large.length);
    client.resume();
    await written;
    await until((text) => text.endsWith("\r\n0\r\n\r\n"));
    assert.equal(received().split("data: x").length - 1, 40);
    assert.equal(received().includes(keepAliveComment), false);
  });
});

test("a reader who takes nothing for 60 s is given up, and the speaker stopped", async () => {
  await onStage(async ({ clock, response, client, closed }) => {
    client.pause();
    const source = new Spoken();
    for (let at = 0; at < 40; at++) source.say(large);
    const written = writeEvents(clock, response, source, head);
    while (!response.writableNeedDrain) await turn();
    await clock.advance(59_000);
    assert.equal(response.destroyed, false);
    await clock.advance(1_000);
    await written;
    assert.ok(source.cancelled > 0);
    assert.equal(response.destroyed, true);
    client.resume();
    await closed;
    assert.equal(clock.sleeping(), 0);
  });
});

test("a client that leaves stops the speaker, in a silence and under a full socket", async () => {
  for (const full of [false, true]) {
    await onStage(async ({ clock, response, client }) => {
      if (full) client.pause();
      const source = new Spoken();
      source.say("data: 1\n\n");
      if (full) for (let at = 0; at < 40; at++) source.say(large);
      const written = writeEvents(clock, response, source, head);
      if (full) while (!response.writableNeedDrain) await turn();
      else await turn();
      client.destroy();
      await written;
      assert.ok(source.cancelled > 0);
      assert.equal(clock.sleeping(), 0);
    });
  }
});

test("a client that had left before is not written to", async () => {
  await onStage(async ({ clock, response, client }) => {
    client.destroy();
    while (!response.destroyed) await turn();
    const source = new Spoken();
    await writeEvents(clock, response, source, head);
    assert.equal(source.cancelled, 1);
    assert.equal(source.asked, 0);
    assert.equal(clock.sleeping(), 0);
  });
});

test("a speaker that breaks leaves a stream that has no end", async () => {
  await onStage(async ({ clock, response, received, closed }) => {
    const source = new Spoken();
    source.say("data: 1\n\n", new Error("broken"));
    await writeEvents(clock, response, source, head);
    await closed;
    assert.doesNotMatch(received(), /\r\n0\r\n\r\n$/);
    assert.ok(source.cancelled > 0);
  });
});
