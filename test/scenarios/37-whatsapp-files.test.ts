// Files through Meta's Cloud API, played by the simulator over real HTTP: a campaign's file is fetched and uploaded once.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { whatsappRecord } from "#contract/messages/record.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import {
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../gateways/whatsapp/graph-simulator.ts";
import { appSecret } from "../gateways/whatsapp/meta-callbacks.ts";
import { type Harness, harness } from "../harness.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
let fetched: string[] = [];
/** The path decides what the caller's server of files answers. */
const server = createServer(({ url = "" }, response) => {
  fetched.push(url);
  if (url.startsWith("/missing")) response.writeHead(404);
  response.end(url.startsWith("/page") ? "<html>" : png);
});
let files = "";
let graph: GraphSimulator;
let it: Harness;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  files = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  graph = await graphSimulator();
  it = await harness({ allow, respond: (request) => outbound.request(request) });
  await it.account({ plan: { name: "basic", credit: { whatsapp: 10_000 } } });
  await it.gateway({
    identifier: "cloud",
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    default: true,
    settings: {
      phone_number_id: phoneNumberId,
      access_token: token,
      base_url: graph.url,
      app_secret: appSecret,
    },
    pace: { per_second: 1000, concurrency: 16 },
  });
});
beforeEach(() => {
  fetched = [];
  graph.taken.length = 0;
});
after(async () => {
  await it?.close();
  await outbound.close();
  await graph?.close();
  server.closeAllConnections();
  server.close();
});

const contacts = (count: number, path: string) =>
  Array.from({ length: count }, (_, i) => ({
    number: `+1555${String(1_000_000 + i)}`,
    message: `Hello ${i}`,
    media: "image",
    url: `${files}${path}`,
  }));

async function accepted(contact: object[]): Promise<string[]> {
  const reply = await it.post("/api/whatsapp/send", { contact });
  assert.equal(reply.statusCode, 200, reply.body);
  return (reply.json().data.contact as { id: string }[]).map(({ id }) => id);
}

const record = async (id: string) =>
  whatsappRecord.parse((await it.get(`/api/get/whatsapp/${id}`)).json().data);

/** The records once none of them is on its way any more. */
async function ended(ids: readonly string[]) {
  for (;;) {
    await it.advance(1000);
    const records = await Promise.all(ids.map(record));
    if (records.every(({ status }) => status !== "sending" && status !== "queued")) return records;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a request for 1,000 people fetches its file once and uploads it once", async () => {
  const records = await ended(await accepted(contacts(1000, "/campaign.png")));
  assert.ok(records.every(({ status }) => status === "sent"));
  assert.deepEqual([fetched, graph.uploads.length, graph.taken.length], [["/campaign.png"], 1, 1000]);
  const [{ id = "" } = {}] = graph.uploads;
  const captions = new Map(
    graph.taken.map(({ body }) => [body.to, body.image as { id: string; caption: string }]),
  );
  assert.equal(captions.size, 1000);
  assert.ok([...captions.values()].every((image) => image.id === id));
  assert.equal(captions.get("+15551000999")?.caption, "Hello 999");
});

test("another request fetches the same URL anew", async () => {
  await ended(await accepted(contacts(3, "/campaign.png")));
  await ended(await accepted(contacts(3, "/campaign.png")));
  // Its content is the one that Meta has already.
  assert.deepEqual([fetched, graph.uploads.length], [["/campaign.png", "/campaign.png"], 1]);
});

test("a file that cannot be had fails its messages with one fetch, returns their credit, and stops no other", async () => {
  const credit = async () => (await it.get("/api/account")).json().data.credit.whatsapp.remaining;
  const before = await credit();
  const [page, missing] = [contacts(20, "/page.png"), contacts(20, "/missing.png")];
  const records = await ended(
    await accepted([...page, ...missing, { number: "+15559999999", message: "Hi" }]),
  );
  assert.deepEqual(
    records.map(({ status, error }) => `${status} ${error?.code ?? ""}`),
    [...Array(20).fill("failed media_type_mismatch"), ...Array(20).fill("failed media_unreachable"), "sent "],
  );
  assert.deepEqual([fetched.toSorted(), graph.taken.length], [["/missing.png", "/page.png"], 1]);
  assert.equal(await credit(), before - 1);
});
