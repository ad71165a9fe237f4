// WhatsApp through Meta's Cloud API, played by the simulator over real HTTP: from the request to the last webhook.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { whatsappRecord } from "#contract/messages/record.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import {
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../gateways/whatsapp/graph-simulator.ts";
import { type Harness, harness } from "../harness.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
let graph: GraphSimulator;
let it: Harness;
before(async () => {
  graph = await graphSimulator();
  it = await harness({ allow, respond: (request) => outbound.request(request) });
  await it.account({ plan: { name: "basic", credit: { whatsapp: 100 } } });
  await it.gateway({
    identifier: "cloud",
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    default: true,
    settings: { phone_number_id: phoneNumberId, access_token: token, base_url: graph.url },
  });
});
after(async () => {
  await it?.close();
  await outbound.close();
  await graph?.close();
});

const number = "+15550000001";

async function accepted(contact: object[], path = "/api/whatsapp/send"): Promise<string[]> {
  const reply = await it.post(path, { contact });
  assert.equal(reply.statusCode, 200, reply.body);
  return (reply.json().data.contact as { id: string }[]).map(({ id }) => id);
}

const record = async (id: string) =>
  whatsappRecord.parse((await it.get(`/api/get/whatsapp/${id}`)).json().data);

/** The records once none of them is on its way any more. */
async function settled(ids: readonly string[]) {
  for (;;) {
    await it.settle();
    const records = await Promise.all(ids.map(record));
    if (records.every(({ status }) => status !== "sending")) return records;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a text, a template and a list reach Meta", async () => {
  const template = { name: "order", language: "de", parameters: ["Ada"] };
  const sections = [{ rows: [{ id: "morning", title: "Morning" }] }];
  const ids = [
    ...(await accepted([
      { number, message: "Hi" },
      { number, message: "Hello Ada", template },
    ])),
    ...(await accepted([{ number, message: "When?", button: "Choose", sections }], "/api/whatsapp/send-list")),
  ];
  const records = await settled(ids);
  assert.deepEqual(
    records.map(({ status }) => status),
    ["sent", "sent", "sent"],
  );
  const types = new Map(graph.taken.map(({ body }) => [body.biz_opaque_callback_data, body.type]));
  assert.deepEqual(
    ids.map((id) => types.get(id)),
    ["text", "template", "interactive"],
  );
  const { remaining } = (await it.get("/api/account")).json().data.credit.whatsapp;
  assert.equal(remaining, 97);
});

test("a refused message fails with Meta's code and gives its credit back; a busy recipient stops nobody else", async () => {
  graph.failNext({ status: 400, code: 131026 });
  const [refused] = await settled(await accepted([{ number, message: "No" }]));
  assert.deepEqual([refused?.status, refused?.error?.code], ["failed", "131026"]);
  graph.failNext({ status: 400, code: 131056 });
  const [busy] = await settled(await accepted([{ number, message: "Again" }]));
  assert.deepEqual([busy?.status, busy?.error?.code], ["queued", "131056"]);
  const [other] = await settled(await accepted([{ number: "+15550000002", message: "Hi" }]));
  assert.equal(other?.status, "sent");
  await it.advance(60_000);
  const [later] = await settled([busy?.id ?? ""]);
  assert.equal(later?.status, "sent");
});
