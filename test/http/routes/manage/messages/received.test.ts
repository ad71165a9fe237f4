// What people wrote, over the management API: of one channel or of all, of one account alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { receivedReply } from "#contract/messages/received.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let id: string;
const ids: string[] = [];

before(async () => {
  m = await managed({ started: false });
  ({ id } = await m.it.account({ name: "acme" }));
  const gatewayId = await m.it.gateway({ identifier: "main" });
  for (const [i, channel] of (["sms", "whatsapp", "sms"] as const).entries()) {
    const own = m.it.system.core.newId("in");
    ids.unshift(own);
    await m.it.system.database.run(storeInbound, {
      message: {
        id: own,
        account_id: id,
        gateway_id: gatewayId,
        channel,
        reference: `r${i}`,
        sender: "+4915123456789",
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
  }
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

test("a bad query is 422, another account's messages are not there", async () => {
  for (const query of ["?channel=fax", "?limit=x", "?cursor=nonsense", "?status=sent"])
    assert.equal((await get(query)).statusCode, 422, query);
  const other = await m.it.account({ name: "other" });
  const member = await m.member(other.id);
  assert.equal((await member("GET", `/accounts/${id}/received`)).statusCode, 404);
  const own = await member("GET", `/accounts/${other.id}/received?cursor=${ids[0]}`);
  assert.deepEqual(own.json().data, []);
});
