// Pages of incoming messages: what a record says, and where a page ends.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { receivedRecord } from "#contract/messages/received/record.ts";
import { received } from "#messaging/inbound.ts";
import { createIds } from "#runtime/ids.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { type Harness, harness, seededRandom } from "../harness.ts";

let it: Harness;
let accountId: string;
const ids: string[] = [];

before(async () => {
  it = await harness({ started: false });
  accountId = (await it.account()).id;
  const gatewayId = await it.gateway({ identifier: "main" });
  const newId = createIds(it.clock, seededRandom(5));
  for (const [i, channel] of (["sms", "sms", "whatsapp", "sms"] as const).entries()) {
    const id = newId("in");
    ids.unshift(id);
    await it.system.database.run(storeInbound, {
      message: {
        id,
        account_id: accountId,
        gateway_id: gatewayId,
        channel,
        reference: `r${i}`,
        sender: "+4915123456789",
        recipient: "+15005550006",
        body: `no. ${i}`,
        media: JSON.stringify([{ url: "https://media.test/1", content_type: null }]),
        received_at: it.clock.now() + i,
        consent_keyword: i === 3 ? "out" : null,
        details: null,
      },
      gatewayIdentifier: "main",
      replyTo: null,
      sentSince: 0,
    });
  }
});
after(() => it?.close());

const page = async (channel: "sms" | null, limit: number, cursor: string | null = null) =>
  await received(it.system.database, { id: accountId, gateways: [] }, channel, { limit, cursor });

test("a record says what came, from whom, to whom and when", async () => {
  const [record] = (await page("sms", 1))?.records ?? [];
  assert.deepEqual(receivedRecord.parse(record), record);
  assert.deepEqual(record, {
    id: ids[0],
    channel: "sms",
    from: "+4915123456789",
    to: "+15005550006",
    gateway_identifier: "main",
    message: "no. 3",
    media: [{ url: "https://media.test/1", content_type: null }],
    in_reply_to: null,
    opt: "out",
    type: null,
    reply: null,
    profile_name: null,
    user_id: null,
    forwarded: null,
    received_at: new Date(it.clock.now() + 3).toISOString(),
  });
});

test("pages meet without gaps, and the last one says that it is", async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const found: Awaited<ReturnType<typeof page>> = await page(null, 3, cursor);
    assert.ok(found);
    seen.push(...found.records.map(({ id }) => id));
    cursor = found.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
  assert.equal((await page("sms", 3))?.nextCursor, null, "exactly full is the last page");
  assert.equal((await page("sms", 2))?.nextCursor, ids[2]);
});

test("what is no cursor of ours is refused, another account's is only a place", async () => {
  assert.equal(await page("sms", 3, "nonsense"), null);
  const elsewhere = { id: "acc_other", gateways: [] };
  const other = await received(it.system.database, elsewhere, null, { limit: 3, cursor: ids[0]! });
  assert.deepEqual(other, { records: [], nextCursor: null });
});
