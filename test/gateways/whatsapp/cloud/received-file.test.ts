// Files of messages from people: from their id at Meta to their bytes, and what keeps the token at Meta.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openReceivedFile } from "#gateways/whatsapp/cloud/received-file.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { stillClock } from "../../conformance-samples.ts";
import { scriptedOutbound } from "../../scripted-outbound.ts";
import { type GraphSimulator, graphSimulator } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const allow = readAllowList("127.0.0.0/8");
const outbound = createOutbound({ allow });
const upstreams = createStreamingClient({ allow });
let graph: GraphSimulator;
before(async () => {
  graph = await graphSimulator();
  graph.received.set("77", { type: "image/jpeg", bytes: Buffer.alloc(300_000, "x") });
});
after(async () => {
  await graph.close();
  await outbound.close();
  await upstreams.close();
});

const file = (id: string) => ({ id, contentType: null, filename: null });
const open = (id: string, change: object = {}, way = outbound) =>
  openReceivedFile(file(id), parsedSettings({ base_url: graph.url, ...change }), {
    outbound: way,
    upstreams,
    clock: stillClock,
    timeoutMs: 5000,
    signal: new LightAbortController(),
  });

test("the bytes of a file come in pieces, to their end", async () => {
  const opened = await open("77");
  assert.ok(opened.kind === "opened");
  let length = 0;
  for (let piece = await opened.next(); piece !== null; piece = await opened.next()) length += piece.length;
  assert.deepEqual([length, opened.bytes], [300_000, 300_000]);
});

test("a file that Meta does not know is gone; with a wrong token it cannot be had now", async () => {
  assert.equal((await open("78")).kind, "gone");
  const refused = await open("77", { access_token: "EAAwrong" });
  assert.equal(refused.kind, "unavailable");
});

test("an address that is not Meta's is not asked, and gets no token", async () => {
  for (const url of [
    "https://fbsbx.com.evil.test/a",
    "http://lookaside.fbsbx.com/a",
    "http://10.0.0.1/a",
    "x",
  ]) {
    const named = {
      kind: "answer",
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ url })),
    } as const;
    const opened = await open("77", {}, scriptedOutbound(named));
    assert.deepEqual(opened, {
      kind: "unavailable",
      reason: "Meta named no address of its own for the file.",
    });
  }
});
