// Routes of a send: each message gets the gateway that its own route chose, under the route's lock, or keeps the route.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import type { Route } from "#store/messages/router.ts";
import type { Spread } from "#store/phones/spread.ts";
import { onBothEngines } from "./conformance.ts";
import { fresh, makeAccount, makeGateway, messageRow, now, sendOf } from "./rows.ts";

onBothEngines((open) => {
  /** A route of one phone, with the id of the phone's gateway. */
  async function routeOf(accountId: string): Promise<Spread & { phone: string }> {
    const { database, query } = open();
    const id = await makeGateway(database, accountId, { kind: "spread" });
    const phone = await makeGateway(database, accountId, { kind: "android" });
    await query(
      "insert into phones (gateway_id, account_id, token_hash, sims, uses_push, seen_at) values (?, ?, ?, '[]', 0, ?)",
      phone,
      accountId,
      fresh("token"),
      now * 2,
    );
    const member = { gatewayId: phone, identifier: phone, phoneId: phone, isOpen: true, day: null };
    const times = { lateBefore: 0, offlineBefore: 0 };
    return { id, kind: "spread", identifier: id, members: [member], others: [], ...times, phone };
  }

  /** The gateway and the route of each message of one send, one message for each gateway that is named. */
  async function sent(accountId: string, named: readonly string[], list: readonly Route[]) {
    const input = sendOf(accountId, named[0] ?? "", { count: named.length });
    const messages = input.messages.map((message, i) => ({ ...message, gateway_id: named[i] ?? "" }));
    await open().database.run(storeSends, { ...input, messages, routes: { list, point: 0 } });
    const rows = await Promise.all(messages.map(({ id }) => messageRow(open(), id)));
    return rows.map(({ gateway_id, spread_id }) => [gateway_id, spread_id]);
  }

  test("messages of several routes and of none in one send", async () => {
    const accountId = await makeAccount(open().database);
    const [one, two] = [await routeOf(accountId), await routeOf(accountId)];
    const plain = await makeGateway(open().database, accountId);
    assert.deepEqual(await sent(accountId, [two.id, plain, one.id, two.id], [one, two]), [
      [two.phone, two.id],
      [plain, null],
      [one.phone, one.id],
      [two.phone, two.id],
    ]);
  });

  const kept: Record<string, (route: Spread) => Promise<Route> | Route> = {
    "stopped by hand": async (route) => {
      await open().query("update lanes set operator_paused_at = ? where id = ?", now, route.id);
      return route;
    },
    "without a gateway that can send": (route) => ({ ...route, members: [] }) as Route,
    "of a kind without a router": (route) => ({ ...route, kind: "another" }),
  };
  for (const [name, change] of Object.entries(kept))
    test(`a route ${name} keeps its messages, and other routes of the send do not`, async () => {
      const accountId = await makeAccount(open().database);
      const [one, two] = [await routeOf(accountId), await routeOf(accountId)];
      assert.deepEqual(await sent(accountId, [one.id, two.id], [await change(one), two]), [
        [one.id, null],
        [two.phone, two.id],
      ]);
    });
});
