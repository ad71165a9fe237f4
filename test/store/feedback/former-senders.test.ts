// People whose number or id changed: an opt-out goes on to hold, and so does the time for answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeInbound } from "#store/feedback/inbound.ts";
import { lastHeard } from "#store/feedback/reply-windows.ts";
import { addSuppressions } from "#store/feedback/suppressions.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

const detailsOf = (type: string, userId: string | null) =>
  JSON.stringify({ type, reply: null, profile_name: null, user_id: userId, forwarded: false });

onBothEngines((open) => {
  test("what a person decided under the former number holds under the new one and the new id", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    const receive = (sender: string, more: object, userId: string | null, keyword: "out" | null = null) =>
      database.run(storeInbound, {
        message: {
          id: fresh("in"),
          account_id: accountId,
          gateway_id: gatewayId,
          channel: "whatsapp",
          reference: fresh("wamid"),
          sender,
          recipient: "+1",
          body: "",
          media: "[]",
          received_at: now,
          consent_keyword: keyword,
          details: detailsOf("system", userId),
        },
        gatewayIdentifier: "cloud",
        replyTo: null,
        sentSince: 0,
        ...more,
      });
    const listed = async () =>
      (
        await store.query<SuppressionsTable>(
          "select * from suppressions where account_id = ? order by recipient",
          accountId,
        )
      ).map(({ recipient, reason }) => `${recipient} ${reason}`);
    await receive("+1555", { sentAt: now - 50 }, "US.1", "out");
    await receive("+1666", { formerSenders: ["+1555", "US.1"] }, "US.2");
    assert.deepEqual(await listed(), ["+1555 opt_out", "+1666 opt_out", "US.1 opt_out", "US.2 opt_out"]);
    const heard = (sender: string) => database.run(lastHeard, { gatewayId, sender });
    assert.deepEqual([await heard("+1666"), await heard("US.2")], [now - 50, now - 50]);

    // Of the new number more is known already, and that stays.
    const suppressed = { channel: "whatsapp", recipients: ["+1888"], note: null, at: now } as const;
    await database.run(addSuppressions, { accountId, ...suppressed });
    await receive("+1888", { sentAt: now - 10 }, null);
    await receive("+1888", { formerSenders: ["+1555"] }, null);
    assert.ok((await listed()).includes("+1888 manual"));
    assert.equal(await heard("+1888"), now - 10);

    // A person without a past, in another account.
    const other = await makeAccount(database);
    const elsewhere = await makeGateway(database, other);
    await database.run(storeInbound, {
      message: {
        id: fresh("in"),
        account_id: other,
        gateway_id: elsewhere,
        channel: "whatsapp",
        reference: fresh("wamid"),
        sender: "+1999",
        recipient: "+1",
        body: "",
        media: "[]",
        received_at: now,
        consent_keyword: null,
        details: null,
      },
      gatewayIdentifier: "cloud",
      replyTo: null,
      sentSince: 0,
      formerSenders: ["+1555"],
    });
    assert.ok(!(await listed()).some((line) => line.startsWith("+1999")));
    const rows = await store.query("select * from suppressions where account_id = ?", other);
    assert.equal(rows.length, 0);
  });
});
