// The choices of a spread: kept for 30 days after the last message, made by what is left of the day, and forgotten after that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import { choiceTtlMs, deleteSpreadChoices, readSpreadAccounts, type Spread } from "#store/phones/spread.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, messageRow, now, sendOf } from "../rows.ts";

onBothEngines((open) => {
  /** An account with a spread of two phones that were heard of at any time. */
  async function spreadOf(limits: readonly number[]) {
    const { database, query } = open();
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { kind: "spread" });
    const members: Spread["members"][number][] = [];
    for (const limit of limits) {
      const gatewayId = await makeGateway(database, accountId, { kind: "android" });
      await query(
        "insert into phones (gateway_id, account_id, token_hash, sims, uses_push, seen_at) values (?, ?, ?, '[]', 0, ?)",
        gatewayId,
        accountId,
        fresh("token"),
        now * 2,
      );
      const day = { name: "2027-01-15", limit };
      members.push({ gatewayId, identifier: gatewayId, phoneId: gatewayId, isOpen: true, day });
    }
    const spread: Spread = {
      id,
      kind: "spread",
      identifier: id,
      members,
      others: [],
      lateBefore: 0,
      offlineBefore: 0,
    };
    const send = async (recipients: readonly string[], at: number, point = 0) => {
      const input = sendOf(accountId, id, { count: recipients.length, at });
      const messages = input.messages.map((message, i) => ({ ...message, recipient: recipients[i] ?? "" }));
      await database.run(storeSends, { ...input, messages, routes: { list: [spread], point } });
      const rows = await Promise.all(messages.map((message) => messageRow(open(), message.id)));
      assert.ok(rows.every(({ spread_id }) => spread_id === id));
      return rows.map(({ gateway_id }) => gateway_id);
    };
    return { accountId, spread, send, ids: members.map(({ gatewayId }) => gatewayId) };
  }

  test("a recipient keeps a phone for 30 days after the last message, whichever is next in turn", async () => {
    const { send, ids } = await spreadOf([100, 100]);
    const [first, second] = ids;
    assert.deepEqual(await send(["+1555"], now), [first]);
    assert.deepEqual(await send(["+1555"], now + choiceTtlMs, 0.9), [first]);
    assert.deepEqual(await send(["+1555"], now + 2 * choiceTtlMs, 0.9), [first], "from the last one");
    assert.deepEqual(await send(["+1555"], now + 3 * choiceTtlMs + 1, 0.9), [second]);
    assert.deepEqual(await send(["+1555", "+1555"], now + 3 * choiceTtlMs + 2), [second, second]);
  });

  test("a phone whose day is used up gets the next only when the day of all is", async () => {
    const { send, ids } = await spreadOf([2, 4]);
    const [first, second] = ids;
    const counts = async (recipients: readonly string[]) => {
      const got = await send(recipients, now);
      return [first, second].map((id) => got.filter((one) => one === id).length);
    };
    assert.deepEqual(await counts(["+1", "+2", "+3", "+4", "+5", "+6"]), [2, 4]);
    const [fewer = 0, more = 0] = await counts(Array.from({ length: 30 }, (_, i) => `+1${i}`));
    assert.ok(fewer > 0 && more > fewer, "they wait for tomorrow, by the days of both");
    assert.equal(fewer + more, 30);
  });

  test("habits that are over are forgotten, in batches", async () => {
    const { accountId, send } = await spreadOf([100]);
    const { database } = open();
    assert.ok((await database.run(readSpreadAccounts, "spread")).includes(accountId));
    await send(["+21", "+22", "+23"], now - 1_000);
    await send(["+23"], now);
    const forget = (limit: number) => database.run(deleteSpreadChoices, { before: now - 999, limit });
    assert.deepEqual([await forget(1), await forget(5), await forget(5)], [1, 1, 0]);
  });
});
