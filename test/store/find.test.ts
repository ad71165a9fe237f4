// Records by their ids: those of an account alone, or of every one.

import assert from "node:assert/strict";
import test from "node:test";
import { findRecords, idPrefixes } from "#store/find.ts";
import { onBothEngines } from "./conformance.ts";
import { makeMessages, messageRow, now } from "./rows.ts";

onBothEngines((open) => {
  test("a message, its request, its account and its gateway are found, by those who may see them", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 1 });
    const { request_id, recipient } = await messageRow(store, ids[0]!);
    const [row] = await store.query("select identifier from gateways where id = ?", gatewayId);
    const { identifier } = row as { identifier: string };
    // Of every other kind: none has these, and each is looked for in its own table.
    const others = [...idPrefixes].map((prefix) => `${prefix}_0`);
    const names = { ids: [ids[0]!, request_id, accountId, "msg_0", ...others], identifier };
    const find = async (of: string | null) =>
      (await store.database.run(findRecords, { ...names, accountId: of })).map((each) => [
        each.kind,
        each.id,
      ]);
    const all = [
      ["account", accountId],
      ["message", ids[0]],
      ["request", request_id],
      ["gateway", identifier],
    ];
    assert.deepEqual(await find(null), all);
    assert.deepEqual(await find(accountId), all);
    assert.deepEqual(await find("acc_0"), []);
    const [, message] = await store.database.run(findRecords, { ...names, accountId });
    assert.deepEqual(
      [message?.account_id, message?.title, message?.pool_id, message?.at],
      [accountId, recipient, null, now],
    );
  });
});
