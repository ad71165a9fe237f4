// Clients that go away, at every stage of a call: the provider is left at once, the key's place is free again, and a
// reader who is slow slows the provider.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import {
  begins,
  completionOf,
  delta,
  finishes,
  openaiPeer,
  type Peer,
  replies,
  says,
} from "./openai-peer.ts";
import { memberOf, type Pooled, pooled } from "./pooled.ts";

let peer: Peer;
let it: Pooled;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({
    members: [memberOf(peer)],
    keys: [{ name: "one", limits: { concurrency: 1 } }],
    headers_after_ms: 1_000,
  });
});
after(async () => {
  await it?.close();
  await peer?.close();
});

interface Caller {
  /** The answer's head. */
  head: Promise<IncomingMessage>;
  leave(): void;
}

function call(stream: boolean): Caller {
  const sent = httpRequest(`${it.baseUrl}/chat/completions`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${it.key}`, "content-type": "application/json" },
  });
  const head = new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
  sent.on("error", () => {});
  sent.end(JSON.stringify({ stream, messages: [{ role: "user", content: "Hello" }] }));
  return { head, leave: () => sent.destroy() };
}

/** The key has one place: a call that is served says that it is free. */
async function placeIsFree(): Promise<void> {
  peer.answer(says("Free."));
  for (;;) {
    const { status } = await it.ask("/chat/completions", {
      body: { messages: [{ role: "user", content: "?" }] },
    });
    await peerCaughtUp();
    if (status === 200) return;
    assert.equal(status, 429);
  }
}
const peerCaughtUp = async () => {
  while (taken < peer.asked.length) {
    await peer.next();
    taken += 1;
  }
};
let taken = 0;
async function nextAsked() {
  const asked = await peer.next();
  taken += 1;
  return asked;
}

for (const stream of [false, true]) {
  test(`before the provider's headers (${stream ? "stream" : "whole"})`, async () => {
    peer.answer(() => {});
    const caller = call(stream);
    const asked = await nextAsked();
    caller.leave();
    await asked.left;
    await placeIsFree();
  });
}

test("between the provider's headers and its first token", async () => {
  peer.answer((asked) => begins(asked));
  const caller = call(true);
  const asked = await nextAsked();
  caller.leave();
  await asked.left;
  await placeIsFree();
});

test("in the middle of a stream", async () => {
  peer.answer((asked) => begins(asked)(delta(asked.body.model, { content: "Half" })));
  const caller = call(true);
  const asked = await nextAsked();
  const head = await caller.head;
  await new Promise((resolve) => head.once("data", resolve));
  caller.leave();
  await asked.left;
  await placeIsFree();
});

test("in the middle of an answer that is no stream", async () => {
  peer.answer(({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"id":');
  });
  const caller = call(false);
  const asked = await nextAsked();
  caller.leave();
  await asked.left;
  await placeIsFree();
});

test("after the headers had to go out before anybody answered", async () => {
  peer.answer(() => {});
  const caller = call(true);
  const asked = await nextAsked();
  await it.it.clock.advance(1_000);
  const head = await caller.head;
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers["x-service-pool-provider"], undefined);
  const first = await new Promise<Buffer>((resolve) => head.once("data", resolve));
  assert.equal(first.toString(), ": keep-alive\n\n");
  caller.leave();
  await asked.left;
  await placeIsFree();
});

test("headers that went out early are followed by the answer, or by an error that is one", async () => {
  for (const good of [true, false]) {
    peer.answer(() => {});
    const caller = call(true);
    const asked = await nextAsked();
    await it.it.clock.advance(1_000);
    const head = await caller.head;
    let text = "";
    head.on("data", (piece) => {
      text += piece;
    });
    const ended = new Promise((resolve) => head.once("end", resolve));
    if (good) {
      begins(asked)(delta(asked.body.model, { content: "Late." }));
      finishes(asked);
    } else
      replies(400, { error: { message: "No.", type: "invalid_request_error", param: null, code: "no" } })(
        asked,
      );
    await ended;
    assert.equal(text.includes("Late."), good);
    assert.equal(text.endsWith("data: [DONE]\n\n"), good);
    if (!good) assert.match(text, /\n\ndata: \{"error":\{"message":"No\."[^\n]*"service_pool"[^\n]*\n\n$/);
  }
  await placeIsFree();
});

test("a reader who is slow slows the provider, and loses nothing", async () => {
  const pieces = 400;
  const content = "x".repeat(100_000);
  let written = 0;
  peer.answer(async (asked) => {
    const write = begins(asked);
    for (; written < pieces; written++) {
      if (!write(delta(asked.body.model, { content }))) {
        await new Promise((resolve) => asked.response.once("drain", resolve));
      }
    }
    finishes(asked);
  });
  const caller = call(true);
  const asked = await nextAsked();
  const head = await caller.head;
  head.pause();
  // The provider waits once every buffer on the way is full.
  while (!asked.response.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve));
  let stood = written;
  for (let quiet = 0; quiet < 200; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (written !== stood) quiet = 0;
    stood = written;
  }
  assert.ok(stood < pieces, `${stood} of ${pieces} pieces were taken`);
  let size = 0;
  let tail = "";
  for await (const piece of head) {
    size += (piece as Buffer).length;
    tail = (tail + String(piece)).slice(-20);
  }
  assert.ok(size > pieces * content.length);
  assert.match(tail, /data: \[DONE\]\n\n$/);
});

test("a completion that comes whole is not cut by a client that keeps its connection", async () => {
  peer.answer((asked) => replies(200, completionOf(asked.body.model, { content: "Whole." }))(asked));
  for (let round = 0; round < 3; round++) {
    const { status, json } = await it.ask("/chat/completions", {
      body: { messages: [{ role: "user", content: "?" }] },
    });
    assert.equal(status, 200);
    assert.match(JSON.stringify(json), /Whole\./);
  }
});

/** Until the other side has taken what was written, or has gone. */
function hasRoom(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      response.off("drain", over).off("close", over);
      resolve();
    };
    response.on("drain", over).on("close", over);
  });
}

test("readers who take nothing keep no other client from a stream", async () => {
  const content = "x".repeat(200_000);
  peer.answer(async (asked) => {
    const write = begins(asked);
    const quick = asked.body.user === "quick";
    for (let piece = 0; piece < (quick ? 5 : 400) && !asked.response.destroyed; piece++)
      if (!write(delta(asked.body.model, { content: quick ? "word " : content })))
        await hasRoom(asked.response);
    if (!asked.response.destroyed) finishes(asked);
  });
  await it.pool({ members: [memberOf(peer)] });
  const sleepers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const caller = call(true);
      (await caller.head).pause();
      return caller;
    }),
  );
  for (let turn = 0; turn < 5; turn++) {
    const reply = await it.ask("/chat/completions", {
      body: { messages: [{ role: "user", content: "Hi" }], stream: true, user: "quick" },
    });
    assert.match(reply.text, /"word "[\s\S]*data: \[DONE\]\n\n$/);
  }
  for (const { leave } of sleepers) leave();
});
