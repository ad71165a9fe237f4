// Room for all bodies together, as clients meet it: 503 with Retry-After in each family's shape, and room again as soon
// as a body is done with.

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { ask, contact, type Edge, edge, key, noAi } from "../edge.ts";
import { lastAnswer, sendHead, type Wire, withWire } from "../wire.ts";

const maxBodiesBytes = 1_000_000;
const settings = { maxBodiesBytes, maxBodyBytes: 900_000 };
const json = "Content-Type: application/json";

/** Sends all of a large body but its end, and waits until it is held. */
async function holding({ open, app }: Wire, bytes: number, keyed: boolean) {
  const line = await open();
  const started = once(app.server, "request");
  const head = sendHead(keyed ? key : "", [json, `Content-Length: ${bytes + 2}`]);
  line.write(`${head}{${" ".repeat(bytes)}`);
  const [request] = await started;
  while (request.socket.bytesRead < head.length + bytes + 1)
    await new Promise((resolve) => setImmediate(resolve));
  return line;
}
const large = JSON.stringify({ contact: [contact], more: "x".repeat(200_000) });
const sendLarge = (to: Edge) =>
  ask(to, { headers: { "api-key": key, "content-type": "application/json" }, body: large });

test("a body that finds no room is 503 with Retry-After, and nothing of it is accepted", async () => {
  await withWire({ settings }, async (wire) => {
    const line = await holding(wire, 890_000, true);
    const { status, headers, json: reply } = await sendLarge(wire);
    assert.equal(status, 503);
    assert.equal(headers["retry-after"], "1");
    assert.deepEqual(reply, {
      success: false,
      message: "Too many large requests are under way. Nothing was accepted; please try again.",
      code: "unavailable",
    });
    assert.equal(wire.accepted.length, 0);
    // Ordinary sends have room meanwhile.
    const small = { headers: { "api-key": key, "content-type": "application/json" } };
    assert.equal((await ask(wire, { ...small, body: JSON.stringify({ contact: [contact] }) })).status, 200);
    // It is given back when the body is done with.
    line.write("}");
    assert.equal(lastAnswer(await line.until(/required\."\]\}\}/)).status, 422);
    assert.equal((await sendLarge(wire)).status, 200);
  });
});

test("a client that goes away gives its room back", async () => {
  await withWire({ settings }, async (wire) => {
    const line = await holding(wire, 890_000, true);
    assert.equal((await sendLarge(wire)).status, 503);
    const gone = once(wire.app.server, "request").then(([, response]) => once(response, "close"));
    line.socket.destroy();
    // The next request is answered after the connection's end was seen.
    const other = await wire.open();
    other.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
    await gone;
    assert.equal((await sendLarge(wire)).status, 200);
  });
});

test("bodies of strangers keep out one another, and no holder of a key", async () => {
  await withWire({ settings }, async (wire) => {
    await holding(wire, 240_000, false);
    const without = await ask(wire, { headers: { "content-type": "application/json" }, body: large });
    assert.equal(without.status, 503);
    assert.equal((await sendLarge(wire)).status, 200);
  });
});

test("values take room beside the bytes that they came in", async () => {
  // 60,000 empty objects are 180 KB, and 64 bytes each when they are parsed.
  const body = JSON.stringify({ contact: [contact], more: Array(60_000).fill({}) });
  const values = (to: Edge) =>
    ask(to, { headers: { "api-key": key, "content-type": "application/json" }, body });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const to = edge({ settings: { ...settings, maxBodiesBytes: 5_000_000 } });
  const acceptSend = to.core.acceptance.send;
  to.core.acceptance.send = async (request) => {
    calls += 1;
    if (calls === 1) await held;
    return acceptSend(request);
  };
  const first = values(to);
  while (calls === 0) await new Promise((resolve) => setImmediate(resolve));
  // Parsed values live until the request is answered.
  assert.equal((await values(to)).status, 503);
  release();
  assert.equal((await first).status, 200);
  assert.equal((await values(to)).status, 200);
});

test("the AI endpoints say so as OpenAI does, and keep the room of a stream until it ends", async () => {
  const opened = { key: { id: "key_1" }, pool: { accountId: "acc_1", cache: null } } as never;
  let end: (text: null) => void = () => {};
  const served = {
    kind: "completed",
    levels: { requests: null, tokens: null },
    completed: {
      kind: "stream",
      served: null,
      stream: {
        next: () =>
          new Promise<null>((resolve) => {
            end = resolve;
          }),
        cancel: () => end(null),
        stop: () => {},
      },
    },
  } as never;
  const ai = { ...noAi, authenticate: async () => opened, serve: async () => served };
  await withWire({ ai, settings }, async (wire) => {
    const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(400_000) }], stream: true });
    const post = () =>
      fetch(`http://127.0.0.1:${wire.port}/api/ai/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer tlp_x", "content-type": "application/json" },
        body,
      });
    const first = await post();
    assert.equal(first.status, 200);
    const second = await post();
    assert.equal(second.status, 503);
    assert.equal(second.headers.get("retry-after"), "1");
    assert.deepEqual(await second.json(), {
      error: {
        message: "Too many large requests are under way; please try again.",
        type: "server_error",
        param: null,
        code: "unavailable",
      },
    });
    end(null);
    await first.text();
    const third = await post();
    assert.equal(third.status, 200);
    end(null);
    await third.text();
  });
});
