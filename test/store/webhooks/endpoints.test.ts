// Webhook endpoints: one for a url and account, with a lane that is switched with them, and never another account's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { failWaitingDeliveries } from "#store/webhooks/deliveries.ts";
import {
  changeEndpoint,
  createEndpoint,
  findAccountEndpoint,
  findEndpoint,
  findEndpointByUrl,
  findInactiveWithDeliveries,
  listEndpoints,
  removeEndpoint,
} from "#store/webhooks/endpoints.ts";
import { onBothEngines } from "../conformance.ts";
import {
  endpointOf,
  endpointRow,
  failed,
  laneRow,
  makeDeliveries,
  makeEndpoint,
  settleOne,
} from "../endpoints.ts";
import { fresh, makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  test("an endpoint is found with all of its columns, by its own account alone", async () => {
    const { database } = open();
    const [accountId, other] = [await makeAccount(database), await makeAccount(database)];
    const endpoint = endpointOf(accountId, { events: '["message.sent"]' });
    await database.run(createEndpoint, { endpoint, maxEndpoints: 50 });
    const { id, url_hash: urlHash } = endpoint;
    assert.ok(urlHash);
    assert.deepEqual({ ...(await database.run(findEndpoint, id)) }, endpoint);
    assert.deepEqual({ ...(await database.run(findAccountEndpoint, { accountId, id })) }, endpoint);
    assert.deepEqual({ ...(await database.run(findEndpointByUrl, { accountId, urlHash })) }, endpoint);
    assert.equal(await database.run(findAccountEndpoint, { accountId: other, id }), null);
    assert.equal(await database.run(findEndpointByUrl, { accountId: other, urlHash }), null);
    assert.deepEqual(
      (await database.run(listEndpoints, accountId)).map((row) => row.id),
      [id],
    );
    assert.deepEqual(await database.run(listEndpoints, other), []);
    const lane = await laneRow(open(), id);
    assert.deepEqual([lane?.kind, lane?.active, lane?.owner, lane?.revision], ["webhook", 1, null, 0]);
  });

  test("a url is an account's once, and another account may have it too", async () => {
    const { database } = open();
    const [accountId, other] = [await makeAccount(database), await makeAccount(database)];
    const url_hash = fresh("hash");
    await makeEndpoint(database, accountId, { url_hash });
    const again = { endpoint: endpointOf(accountId, { url_hash }), maxEndpoints: 50 };
    assert.deepEqual(await database.run(createEndpoint, again), { kind: "url_taken" });
    await makeEndpoint(database, other, { url_hash });
  });

  test("created at the same moment, there are never more than allowed, nor two of one url", async () => {
    const { database, other } = open();
    const accountId = await makeAccount(database);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? database : other).run(createEndpoint, {
          endpoint: endpointOf(accountId, { url_hash: `many ${i % 8}` }),
          maxEndpoints: 5,
        }),
      ),
    );
    assert.equal(made.filter(({ kind }) => kind === "created").length, 5);
    assert.equal((await database.run(listEndpoints, accountId)).length, 5);
  });

  test("a change touches what it names, and another account's is not found", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeEndpoint(database, accountId, { failing_since: now - 5 });
    const before = await endpointRow(open(), id);
    const at = now + 1;
    const change = { events: '["message.read"]' };
    const otherAccount = await makeAccount(database);
    assert.deepEqual(
      await database.run(changeEndpoint, { accountId: otherAccount, revision: null, id, at, change }),
      {
        kind: "not_found",
      },
    );
    const result = await database.run(changeEndpoint, { accountId, revision: null, id, at, change });
    assert.ok(result.kind === "changed");
    assert.deepEqual(result.endpoint, {
      ...before,
      ...change,
      revision: before.revision + 1,
      updated_at: at,
    });
    assert.deepEqual(await endpointRow(open(), id), result.endpoint);
    assert.equal((await laneRow(open(), id))?.revision, 0, "its owner reads it with every post");
  });

  test("a url that another endpoint of the account has is refused", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const taken = await makeEndpoint(database, accountId);
    const { url_hash: hash } = await endpointRow(open(), taken);
    const url = { sealed: "sealed anew", hash: hash ?? "" };
    const id = await makeEndpoint(database, accountId);
    const input = { accountId, id, revision: null, at: now, change: { url } };
    assert.deepEqual(await database.run(changeEndpoint, input), { kind: "url_taken" });
    const same = await database.run(changeEndpoint, { ...input, id: taken });
    assert.equal(same.kind, "changed");
  });

  test("switched off and on, its lane goes with it", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeEndpoint(database, accountId);
    const change = (active: boolean) =>
      database.run(changeEndpoint, { accountId, revision: null, id, at: now, change: { active } });
    await change(false);
    let lane = await laneRow(open(), id);
    assert.deepEqual([(await endpointRow(open(), id)).active, lane?.active, lane?.revision], [0, 0, 1]);
    await change(true);
    lane = await laneRow(open(), id);
    assert.deepEqual([(await endpointRow(open(), id)).active, lane?.active, lane?.revision], [1, 1, 2]);
  });

  test("disabled by its failures, another url or `active` enables it, and nothing else does", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const disabled = { active: 0, failing_since: 1, disabled_at: 2, disabled_reason: "Tired." } as const;
    const enabled = { active: 1, failing_since: null, disabled_at: null, disabled_reason: null };
    const to = (name: string) => ({ sealed: fresh(name), hash: fresh(name) });
    for (const [change, expected] of [
      [{ events: '["*"]' }, disabled],
      [{ url: to("one") }, enabled],
      [{ active: true }, enabled],
      [{ active: true, url: to("two") }, enabled],
      [
        { active: false, url: to("three") },
        { ...enabled, active: 0 },
      ],
    ] as const) {
      const id = await makeEndpoint(database, accountId, disabled);
      await database.run(changeEndpoint, { accountId, revision: null, id, at: now, change });
      const { active, failing_since, disabled_at, disabled_reason } = await endpointRow(open(), id);
      assert.deepEqual(
        { active, failing_since, disabled_at, disabled_reason },
        expected,
        JSON.stringify(change),
      );
      assert.equal((await laneRow(open(), id))?.active, expected.active);
    }
    const byHand = await makeEndpoint(database, accountId, { active: 0 });
    await database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: byHand,
      at: now,
      change: { url: to("four") },
    });
    assert.equal((await endpointRow(open(), byHand)).active, 0, "what was switched off by hand stays off");
  });

  test("a new secret makes the present one the old one", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeEndpoint(database, accountId, { secret: "first" });
    for (const [sealed, oldUntil] of [
      ["second", now + 1],
      ["third", now + 2],
    ] as const) {
      await database.run(changeEndpoint, {
        accountId,
        revision: null,
        id,
        at: now,
        change: { secret: { sealed, oldUntil } },
      });
    }
    const { secret, old_secret, old_secret_until } = await endpointRow(open(), id);
    assert.deepEqual([secret, old_secret, old_secret_until], ["third", "second", now + 2]);
  });

  test("removed with its lane and its log, a part at a time, and only when it is switched off", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const [id, other] = [await makeEndpoint(database, accountId), await makeEndpoint(database, accountId)];
    await makeDeliveries(open(), accountId, id, { count: 5 });
    const [kept] = await makeDeliveries(open(), accountId, other);
    const remove = (limit: number, account = accountId) =>
      database.run(removeEndpoint, { accountId: account, id, limit });
    assert.equal(await remove(2, await makeAccount(database)), "not_found");
    assert.equal(await remove(2), "active");
    await database.run(changeEndpoint, { accountId, revision: null, id, at: now, change: { active: false } });
    assert.deepEqual([await remove(2), await remove(2), await remove(2)], ["more", "more", "removed"]);
    assert.equal(await remove(2), "not_found");
    assert.equal(await laneRow(open(), id), null);
    const left = await open().query<{ event_id: string }>(
      "select event_id from webhook_deliveries where account_id = ?",
      accountId,
    );
    assert.deepEqual(
      left.map(({ event_id }) => event_id),
      [kept],
    );
  });

  test("what still waits for a switched-off endpoint is found", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await makeEndpoint(database, accountId));
    const [off, notified, on] = ids as [string, string, string];
    await makeDeliveries(store, accountId, off, { count: 2 });
    const [event] = await makeDeliveries(store, accountId, notified);
    await settleOne(store, notified, event!);
    await makeDeliveries(store, accountId, on);
    for (const id of [off, notified])
      await database.run(changeEndpoint, {
        accountId,
        revision: null,
        id,
        at: now,
        change: { active: false },
      });
    const found = async () =>
      (await database.run(findInactiveWithDeliveries, null))
        .map(({ id }) => id)
        .filter((id) => ids.includes(id));
    assert.deepEqual(await found(), [off]);
    await database.run(failWaitingDeliveries, { endpointId: off, at: now, reason: "Off.", limit: 10 });
    assert.deepEqual(await found(), []);
  });

  test("a try that fails, and a change at the same moment, both count", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeEndpoint(store.database, accountId);
    const [event] = await makeDeliveries(store, accountId, id);
    await Promise.all([
      settleOne(store, id, event!, { outcome: failed(now + 5000) }),
      store.other.run(changeEndpoint, {
        accountId,
        revision: null,
        id,
        at: now + 3,
        change: { events: '["message.sent"]' },
      }),
    ]);
    const row = await endpointRow(store, id);
    assert.deepEqual([row.failing_since, row.events], [now + 10, '["message.sent"]']);
  });
});
