// The adapter against the simulator over real HTTP, through the real HTTP client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OutgoingMessage } from "#gateways/message.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { sampleMessage, sendOnce, toolsWith } from "../../conformance-samples.ts";
import { type GraphSimulator, graphSimulator, phoneNumberId, token } from "../graph-simulator.ts";

const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
let graph: GraphSimulator;
before(async () => {
  graph = await graphSimulator();
});
after(async () => {
  await outbound.close();
  await graph.close();
});

const send = (change: Partial<OutgoingMessage> = {}, settings: object = {}) =>
  sendOnce(
    whatsappCloud,
    { ...sampleMessage(), ...change },
    whatsappCloud.settings.parse({
      phone_number_id: phoneNumberId,
      access_token: token,
      base_url: graph.url,
      ...settings,
    }),
    toolsWith({ outbound }),
  );

test("texts, lists and templates are taken", async () => {
  const row = { id: "a", title: "Noon", description: null };
  const list = { header: null, footer: "Thanks", button: "Choose", sections: [{ title: null, rows: [row] }] };
  const template = { name: "order_shipped", language: "en_US", parameters: ["Ada"], components: null };
  const bare = { name: "hello_world", language: "en_US", parameters: null, components: null };
  const contents: OutgoingMessage["content"][] = [
    { kind: "text", text: "Hi" },
    { kind: "list", text: "When?", ...list },
    { kind: "template", text: "kept", ...template },
    { kind: "template", text: "kept", ...bare },
  ];
  for (const content of contents) {
    const outcome = await send({ content });
    assert.deepEqual(outcome, { kind: "accepted", reference: graph.taken.at(-1)?.wamid });
  }
  assert.deepEqual(
    graph.taken.map(({ body }) => [body.type, body.to, body.biz_opaque_callback_data]),
    ["text", "interactive", "template", "template"].map((type) => [type, "+4915112345678", "msg_01test"]),
  );
});

test("what Meta refuses is rejected, and a wrong token, version or number is the gateway's fault", async () => {
  const list = { header: null, footer: null, button: "Choose", sections: [] };
  const refused = await send({ content: { kind: "list", text: "When?", ...list } });
  assert.deepEqual([refused.kind, "code" in refused && refused.code], ["rejected", "100"]);
  for (const settings of [{ access_token: "EAAwrong" }, { phone_number_id: "1" }]) {
    const outcome = await send({}, settings);
    assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === "refused", JSON.stringify(outcome));
  }
});

test("a connection that is cut after the message left is unknown", async () => {
  graph.failNext(null);
  assert.equal((await send()).kind, "unknown");
});
