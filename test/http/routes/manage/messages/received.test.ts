// What people wrote, over the management API: of one channel or of all, of one account alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Channel } from "#contract/messages/channel.ts";
import { receivedReply } from "#contract/messages/received/record.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let id: string;
const ids: string[] = [];

let stored = 0;

async function store(sender: string, gatewayId: string, channel: Channel = "sms"): Promise<string> {
  const own = m.it.system.core.newId("in");
  await m.it.system.database.run(storeInbound, {
    message: {
      id: own,
      account_id: id,
      gateway_id: gatewayId,
      channel,
      reference: `r${stored++}`,
      sender,
      recipient: "+15005550006",
      body: "Hello",
      media: "[]",
      received_at: m.it.clock.now(),
      consent_keyword: null,
      details: null,
    },
    gatewayIdentifier: "main",
    replyTo: null,
    sentSince: 0,
  });
  return own;
}

before(async () => {
  m = await managed({ started: false });
  ({ id } = await m.it.account({ name: "acme" }));
  const gatewayId = await m.it.gateway({ identifier: "main" });
  for (const channel of ["sms", "whatsapp", "sms"] as const)
    ids.unshift(await store("+4915123456789", gatewayId, channel));
});
after(() => m.close());

const get = (query = "", account = id) => m.operator("GET", `/accounts/${account}/received${query}`);
const idsOf = async (query = "") => dataOf<{ id: string }[]>(await get(query)).map((record) => record.id);

test("newest first, of all channels or of one, page by page", async () => {
  const reply = await get();
  assert.deepEqual(receivedReply.parse(reply.json()), reply.json());
  assert.deepEqual(await idsOf(), ids);
  assert.deepEqual(await idsOf("?channel=sms"), [ids[0], ids[2]]);
  const first = await get("?limit=2");
  assert.equal(first.json().next_cursor, ids[1]);
  assert.deepEqual(await idsOf(`?limit=2&cursor=${ids[1]}`), [ids[2]]);
});

test("what one person wrote is found in any spelling, and what one gateway took", async () => {
  const hers = await store("+4930111222", await m.it.gateway({ identifier: "side" }));
  for (const from of ["+4930111222", "+49 30 111 222", "+49 (30) 111222"])
    assert.deepEqual(await idsOf(`?from=${encodeURIComponent(from)}`), [hers], from);
  assert.deepEqual(await idsOf("?from=%2B4915123456789&channel=sms&limit=1"), [ids[0]]);
  assert.deepEqual(await idsOf(`?from=%2B4915123456789&cursor=${ids[0]}`), ids.slice(1));
  assert.deepEqual(await idsOf("?from=STRANGER"), []);
  assert.deepEqual(await idsOf("?gateway=side"), [hers]);
  assert.deepEqual(await idsOf("?gateway=main&from=%2B4930111222"), []);
  const bad = await get("?gateway=another");
  assert.deepEqual(bad.json().errors, { gateway: ["is not a gateway of this account"] });
});

test("a bad query is 422, another account's messages are not there", async () => {
  for (const query of ["?channel=fax", "?limit=x", "?cursor=nonsense", "?status=sent"])
    assert.equal((await get(query)).statusCode, 422, query);
  const other = await m.it.account({ name: "other" });
  const member = await m.member(other.id);
  assert.equal((await member("GET", `/accounts/${id}/received`)).statusCode, 404);
  const own = await member("GET", `/accounts/${other.id}/received?cursor=${ids[0]}`);
  assert.deepEqual(own.json().data, []);
});
