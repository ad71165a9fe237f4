// What a phone never reported: found an hour past its time, ended once, and nothing else with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import { endUnreported, findUnreported } from "#store/phones/phone-items.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, messageRow, now, sendOf } from "../rows.ts";

const hour = 3_600_000;

onBothEngines((open) => {
  test("items end an hour past their time, and what had settled before stays as it is", async () => {
    const { database, query } = open();
    const accountId = await makeAccount(database);
    const phoneId = await makeGateway(database, accountId, { kind: "android" });
    const input = sendOf(accountId, phoneId, { count: 3, at: now });
    await database.run(storeSends, input);
    const [over = "", settled = "", inTime = ""] = input.messages.map(({ id }) => id);
    for (const [id, status, validUntil] of [
      [over, "sending", now],
      [settled, "delivered", now],
      [inTime, "sending", now + 1],
    ] as const) {
      await query("update messages set status = ?, due_at = null where id = ?", status, id);
      await query(
        "insert into phone_items (message_id, gateway_id, phone_id, transmission, handed_at, valid_until, state, failures, open) values (?, ?, ?, 1, ?, ?, '', 0, 1)",
        id,
        phoneId,
        phoneId,
        now,
        validUntil,
      );
    }
    const isFound = async (at: number) => (await database.run(findUnreported, at)).includes(phoneId);
    assert.equal(await isFound(now + hour - 1), false);
    assert.equal(await database.run(endUnreported, { phoneId, at: now + hour - 1 }), 0);
    assert.equal(await isFound(now + hour), true);
    assert.equal(await database.run(endUnreported, { phoneId, at: now + hour }), 2);
    assert.equal(await database.run(endUnreported, { phoneId, at: now + hour }), 0);
    assert.equal(await isFound(now + hour), false);
    const states = await Promise.all([over, settled, inTime].map((id) => messageRow(open(), id)));
    assert.deepEqual(
      states.map(({ status }) => status),
      ["unknown", "delivered", "sending"],
    );
  });
});
