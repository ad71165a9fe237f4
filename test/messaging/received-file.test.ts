// Opening the files of received messages: whose they are, how long, and as what they are shown. The way through HTTP is in
// the scenario of WhatsApp's files.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFile } from "#messaging/received-file.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import {
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../gateways/whatsapp/graph-simulator.ts";
import { type Harness, harness } from "../harness.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
const day = 86_400_000;
let graph: GraphSimulator;
let it: Harness;
let account: string;
before(async () => {
  graph = await graphSimulator();
  it = await harness({ allow, respond: (request) => outbound.request(request) });
  account = (await it.account()).id;
  const settings = { phone_number_id: phoneNumberId, access_token: token, base_url: graph.url };
  await it.gateway({ identifier: "cloud", channel: "whatsapp", kind: "whatsapp-cloud", settings });
});
after(async () => {
  await it?.close();
  await outbound.close();
  await graph?.close();
});

let count = 0;
async function received(contentType: string | null, filename: string | null = null): Promise<string> {
  const gateway = await it.system.database.run(findGatewayByIdentifier, "cloud");
  assert.ok(gateway);
  count += 1;
  const id = `in_${count}`;
  graph.received.set(String(count), { type: "text/html", bytes: Buffer.from("bytes") });
  await it.system.database.run(storeInbound, {
    message: {
      id,
      account_id: account,
      gateway_id: gateway.id,
      channel: "whatsapp",
      reference: `wamid.${count}`,
      sender: "+1555",
      recipient: "+1",
      body: "",
      media: "[]",
      received_at: it.clock.now(),
      consent_keyword: null,
      details: null,
      file: JSON.stringify({ id: String(count), contentType, filename }),
    },
    gatewayIdentifier: "cloud",
    replyTo: null,
    sentSince: 0,
  });
  return id;
}
const open = (id: string, accountId = account) =>
  openFile(it.system.core, { id: accountId }, id, new LightAbortController());
async function shown(id: string) {
  const opened = await open(id);
  assert.ok(opened.kind === "opened", opened.kind);
  opened.cancel();
  return [opened.contentType, opened.filename];
}

test("a caller who reads some gateways alone gets the files of these", async () => {
  const gateway = await it.system.database.run(findGatewayByIdentifier, "cloud");
  const id = await received("image/jpeg");
  const as = async (readableGatewayIds: string[]) => {
    const reader = { id: account, readableGatewayIds };
    const opened = await openFile(it.system.core, reader, id, new LightAbortController());
    if (opened.kind === "opened") opened.cancel();
    return opened.kind;
  };
  assert.equal(await as([gateway?.id ?? "", "gw_other"]), "opened");
  assert.equal(await as(["gw_other"]), "not_found");
});

test("a file is shown as one of the types that are safe, under its name", async () => {
  const [image, voice, page] = [
    await received("image/jpeg"),
    await received("audio/ogg; codecs=opus"),
    await received("text/html", "bill.html"),
  ];
  assert.deepEqual(await shown(image), ["image/jpeg", `${image}.jpg`]);
  assert.deepEqual(await shown(voice), ["audio/ogg", `${voice}.ogg`]);
  assert.deepEqual(await shown(page), ["application/octet-stream", "bill.html"]);
});

test("another account finds nothing, and after seven days the file is gone without Meta being asked", async () => {
  const id = await received("image/png");
  assert.deepEqual(await open(id, "acc_other"), { kind: "not_found" });
  assert.deepEqual(await open("in_none"), { kind: "not_found" });
  await it.advance(7 * day);
  const before = graph.calls.length;
  assert.deepEqual([await open(id), graph.calls.length], [{ kind: "gone" }, before]);
});
