// When people last wrote: the latest counts, in any order of the reports, and old ones are deleted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeInbound } from "#store/feedback/inbound.ts";
import { deleteReplyWindows, lastHeard } from "#store/feedback/reply-windows.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

const details = JSON.stringify({
  type: "text",
  reply: null,
  profile_name: null,
  user_id: "US.1",
  forwarded: false,
});

onBothEngines((open) => {
  test("the latest message of a person counts, under their number and their user id", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    const write = (sentAt: number | undefined, sender = "+1555") =>
      database.run(storeInbound, {
        message: {
          id: fresh("in"),
          account_id: accountId,
          gateway_id: gatewayId,
          channel: "whatsapp",
          reference: fresh("wamid"),
          sender,
          recipient: "+1",
          body: "Hi",
          media: "[]",
          received_at: now,
          consent_keyword: null,
          details,
        },
        gatewayIdentifier: "cloud",
        replyTo: null,
        sentSince: 0,
        ...(sentAt === undefined ? {} : { sentAt }),
      });
    const heard = (sender: string) => database.run(lastHeard, { gatewayId, sender });
    assert.equal(await heard("+1555"), null);
    for (const at of [now - 50, now - 10, now - 40]) await write(at);
    await write(undefined, "+1666");
    await write(now - 90, "+1777");
    assert.deepEqual(
      [await heard("+1555"), await heard("US.1"), await heard("+1666"), await heard("+1777")],
      [now - 10, now - 10, null, now - 90],
    );
    assert.equal(await database.run(deleteReplyWindows, { before: now - 60, limit: 10 }), 1);
    assert.deepEqual([await heard("+1777"), await heard("+1555")], [null, now - 10]);
  });
});
