// The recorder against servers that answer badly: what it writes down, and what it asks again under which key.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { markerIn } from "./marker.ts";
import { createRecorder, type Recorder } from "./recorder.ts";

interface Hooks {
  after(clean: () => void | Promise<void>): void;
}

interface Asked {
  key: string | null;
  text: string;
  gateway: string;
  markers: (string | null)[];
}

/** A server that hands each send to `respond`, and a recorder to ask it. */
async function setUp(
  t: Hooks,
  respond: (asked: Asked, answer: ServerResponse, incoming: IncomingMessage) => void,
): Promise<{ base: string; recorder: Recorder }> {
  const server = createServer(async (incoming, answer) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const { contact } = JSON.parse(text) as { contact: { message: string; gateway_identifier: string }[] };
    const key = incoming.headers["idempotency-key"];
    const asked = {
      key: typeof key === "string" ? key : null,
      text,
      gateway: contact[0]?.gateway_identifier ?? "",
      markers: contact.map(({ message }) => markerIn(message)),
    };
    respond(asked, answer, incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "trunkline-recorder-"));
  const recorder = createRecorder(folder, "run1");
  t.after(async () => {
    await recorder.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = server.address();
  return {
    base: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    recorder,
  };
}

function accept({ markers }: Asked, answer: ServerResponse, replayed = false): void {
  const contact = markers.map((marker) => ({ id: `msg-${marker}` }));
  answer
    .writeHead(200, replayed ? { "Idempotent-Replayed": "true" } : {})
    .end(JSON.stringify({ success: true, data: { request_id: `req-${markers[0]}`, contact } }));
}

const sender = { account: "acme", apiKey: "k", gateways: ["main"] };

test("a request without a key is asked once, with any answer", async (t) => {
  let count = 0;
  const { base, recorder } = await setUp(t, (asked, answer, incoming) => {
    count += 1;
    assert.equal(asked.key, null);
    if (asked.gateway === "dead") return void incoming.socket.destroy();
    if (asked.gateway === "busy") return void answer.writeHead(503).end('{"code":"unavailable"}');
    accept(asked, answer);
  });
  const results = [];
  for (const gateway of ["main", "dead", "busy"])
    results.push((await recorder.send(base, sender, gateway, 2)).result);
  assert.deepEqual(results[0], { kind: "acknowledged", ids: ["msg-run1.1", "msg-run1.2"] });
  assert.equal(results[1]?.kind, "none");
  assert.deepEqual(results[2], { kind: "refused", status: 503, code: "unavailable" });
  assert.equal(await recorder.answerAll(base, 1000), true);
  assert.equal(count, 3);
  assert.ok(recorder.sent.every(({ repeat }) => repeat === null));
});

test("a request with a key is asked again, the same, until it has an answer, and once after", async (t) => {
  const texts: string[] = [];
  const keys = new Set<string | null>();
  const { base, recorder } = await setUp(t, (asked, answer, incoming) => {
    texts.push(asked.text);
    keys.add(asked.key);
    if (texts.length === 1) return void incoming.socket.destroy();
    if (texts.length === 2) return void answer.writeHead(503).end('{"code":"unavailable"}');
    if (texts.length === 3) return void answer.writeHead(409).end('{"code":"idempotency_in_progress"}');
    accept(asked, answer, true);
  });
  const record = await recorder.send(base, sender, "main", 2, { keyed: true });
  assert.equal(record.result.kind, "none");
  assert.equal(await recorder.answerAll(base, 10_000), true);
  assert.deepEqual(record.result, { kind: "acknowledged", ids: ["msg-run1.1", "msg-run1.2"] });
  assert.equal(new Set(texts).size, 1);
  assert.deepEqual(keys, new Set([record.repeat?.key]));
  assert.deepEqual(
    record.repeat?.answers.map(({ status, code, replayed, request }) => [status, code, replayed, request]),
    [
      [503, "unavailable", false, null],
      [409, "idempotency_in_progress", false, null],
      [200, null, true, "req-run1.1"],
    ],
  );
});

test("what several answers of a key say together: a no ends it, an open try does not", async (t) => {
  const script: Record<string, (string | number)[]> = {
    no: ["cut", 402],
    open: ["cut", 503],
    busy: [503, 503],
    unsure: ["commit_unknown", 503],
    yes: [200, 503],
  };
  const { base, recorder } = await setUp(t, (asked, answer, incoming) => {
    const next = script[asked.gateway]?.shift() ?? 503;
    if (next === "cut") return void incoming.socket.destroy();
    if (next === 200) return accept(asked, answer);
    const code = typeof next === "string" ? next : "some_code";
    answer.writeHead(typeof next === "string" ? 503 : next).end(JSON.stringify({ code }));
  });
  for (const gateway of Object.keys(script)) await recorder.send(base, sender, gateway, 1, { keyed: true });
  const all = await recorder.answerAll(base, 300);
  assert.equal(all, false, "those without a final answer are still open");
  const results = recorder.sent.map(({ gateway, result }) => [
    gateway,
    result.kind === "refused" ? result.status : result.kind,
  ]);
  assert.deepEqual(results, [
    ["no", 402],
    ["open", "none"],
    ["busy", 503],
    ["unsure", "none"],
    ["yes", "acknowledged"],
  ]);
});

test("under load a share carries keys, each of its own; all are answered, some more than once", async (t) => {
  const first = new Set<string>();
  const { base, recorder } = await setUp(t, (asked, answer, incoming) => {
    const again = asked.key !== null && first.has(asked.key);
    if (asked.key !== null) first.add(asked.key);
    // Every first try under a key is lost.
    if (asked.key !== null && !again) return void incoming.socket.destroy();
    accept(asked, answer, again);
  });
  await recorder.load({
    bases: () => [base],
    senders: [sender],
    connections: 4,
    signal: new AbortController().signal,
    // Each twelfth with a key is asked twice at once and once more: the draws are in the order of the answers, so there are many.
    atMost: 600,
    restMs: 0,
    keyed: 0.5,
    seed: 5,
  });
  assert.equal(await recorder.answerAll(base, 10_000), true);
  const markers = recorder.sent.flatMap(({ markers }) => markers);
  assert.deepEqual([markers.length, new Set(markers).size], [600, 600]);
  assert.ok(recorder.sent.every(({ result: { kind } }) => kind === "acknowledged"));
  const repeats = recorder.sent.flatMap(({ repeat }) => (repeat === null ? [] : [repeat]));
  assert.equal(new Set(repeats.map(({ key }) => key)).size, repeats.length);
  assert.ok(repeats.length > 0 && repeats.length < recorder.sent.length);
  assert.ok(repeats.some(({ answers }) => answers.length > 1));
});
