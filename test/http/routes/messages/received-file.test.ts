// The file of a received message: passed on from Meta, played by the simulator over real HTTP.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import {
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../../../gateways/whatsapp/graph-simulator.ts";
import { appSecret, callOf, change, signatureOf } from "../../../gateways/whatsapp/meta-callbacks.ts";
import { type Harness, harness } from "../../../harness.ts";
import { inject } from "../../../inject.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
let graph: GraphSimulator;
let it: Harness;
before(async () => {
  graph = await graphSimulator();
  it = await harness({ allow, respond: (request) => outbound.request(request) });
  await it.account();
  const settings = {
    phone_number_id: phoneNumberId,
    access_token: token,
    base_url: graph.url,
    app_secret: appSecret,
  };
  await it.gateway({ identifier: "cloud", channel: "whatsapp", kind: "whatsapp-cloud", settings });
});
after(async () => {
  await it?.close();
  await outbound.close();
  await graph?.close();
});

/** A message from a person with this file, as Meta announces it. */
async function sent(
  file: { id: string; mime_type: string; caption?: string; filename?: string },
  type: string,
) {
  const message = {
    id: `wamid.${file.id}`,
    from: "15551000001",
    timestamp: "1750263773",
    type,
    [type]: file,
  };
  const payload = callOf(change({ messages: [message] }));
  const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(payload) };
  const reply = await inject(it.system.app, { method: "POST", url: "/callbacks/cloud", payload, headers });
  assert.equal(reply.statusCode, 200);
  const [received] = (await it.get("/api/received/whatsapp?limit=1")).json().data;
  return received as { id: string; message: string; media: { url: string; content_type: string }[] };
}

test("the file of a received message is at a URL of ours, for the holder of the key alone", async () => {
  const bytes = Buffer.alloc(500_000, "film");
  graph.received.set("4401", { type: "video/mp4", bytes });
  const file = { id: "4401", mime_type: "video/mp4", caption: "Look", filename: 'a "film" é.mp4' };
  const { id, message, media } = await sent(file, "video");
  assert.deepEqual(
    [message, media],
    ["Look", [{ url: `https://trunkline.test/api/whatsapp/media/${id}`, content_type: "video/mp4" }]],
  );
  const path = new URL(media[0]?.url ?? "").pathname;
  const reply = await it.get(path);
  const {
    "content-type": type,
    "content-disposition": named,
    "x-content-type-options": sniff,
  } = reply.headers;
  assert.deepEqual([reply.statusCode, reply.rawPayload.equals(bytes)], [200, true]);
  assert.deepEqual([type, sniff], ["video/mp4", "nosniff"]);
  assert.equal(
    named,
    "attachment; filename=\"a _film_ _.mp4\"; filename*=UTF-8''a%20%22film%22%20%C3%A9.mp4",
  );
  assert.equal((await inject(it.system.app, { url: path })).statusCode, 403);
});

test("a file that Meta keeps no more is 410, and one that it does not give now 503", async () => {
  graph.received.set("4402", { type: "image/jpeg", bytes: Buffer.from("x") });
  const { media } = await sent({ id: "4402", mime_type: "image/jpeg" }, "image");
  const path = new URL(media[0]?.url ?? "").pathname;
  graph.received.delete("4402");
  const gone = await it.get(path);
  assert.deepEqual([gone.statusCode, gone.json().code], [410, "gone"]);
  it.respond(async () => ({ kind: "no_answer", reason: "cut" }));
  assert.equal((await it.get(path)).statusCode, 503);
  it.respond((request) => outbound.request(request));
  assert.equal((await it.get("/api/whatsapp/media/in_unknown")).statusCode, 404);
});
