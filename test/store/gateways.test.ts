// Gateways with their lanes, and the search for messages that wait on one that is switched off.

import assert from "node:assert/strict";
import test from "node:test";
import { storeSends } from "#store/accept.ts";
import { StorageError } from "#store/database.ts";
import { findGateway, findGatewayByIdentifier, findStranded, settingsPlace } from "#store/gateways.ts";
import type { LanesTable } from "#store/schema.ts";
import { onBothEngines, type Store } from "./conformance.ts";
import { fresh, makeAccount, makeGateway, makeSending, now, sendOf } from "./rows.ts";

async function laneOf(store: Store, id: string): Promise<LanesTable> {
  const [lane] = await store.query<LanesTable>("select * from lanes where id = ?", id);
  assert.ok(lane);
  return { ...lane };
}

const defaultsOf = async (store: Store, accountId: string) =>
  (
    await store.query<{ id: string }>(
      "select id from gateways where account_id = ? and is_default = 1 order by id",
      accountId,
    )
  ).map(({ id }) => id);

onBothEngines((open) => {
  test("a gateway is found by id and by identifier, and nobody is null", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { identifier: "sms-main", settings: "v1.sealed" });
    const gateway = await database.run(findGateway, id);
    assert.equal(gateway?.settings, "v1.sealed");
    assert.deepEqual(await database.run(findGatewayByIdentifier, "sms-main"), gateway);
    assert.equal(await database.run(findGatewayByIdentifier, "SMS-MAIN"), null);
    assert.equal(await database.run(findGateway, "gw_0"), null);
    assert.notEqual(settingsPlace(id), settingsPlace("gw_0"));
  });

  test("a new gateway has a lane that nobody holds", async () => {
    const store = open();
    const id = await makeGateway(store.database, await makeAccount(store.database), { active: 0 });
    assert.deepEqual(await laneOf(store, id), {
      id,
      active: 0,
      owner: null,
      fence: 0,
      paused_until: null,
      pause_reason: null,
      pauses: 0,
      paused_since: null,
      paused_ms: 0,
      day: null,
      day_count: 0,
      revision: 0,
    });
  });

  test("a changed gateway keeps its account and creation; its lane keeps its owner and gets a new revision", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeGateway(store.database, accountId);
    await store.query("update lanes set owner = 'prc_1', fence = 3 where id = ?", id);
    await makeGateway(store.database, fresh("acc"), {
      id,
      active: 0,
      created_at: now + 9,
      settings: "other",
    });
    const gateway = await store.database.run(findGateway, id);
    assert.equal(gateway?.account_id, accountId);
    assert.equal(gateway?.created_at, now);
    assert.equal(gateway?.settings, "other");
    const lane = await laneOf(store, id);
    assert.deepEqual([lane.owner, lane.fence, lane.active, lane.revision], ["prc_1", 3, 0, 1]);
  });

  test("a changed gateway is tried at once: its pause ends, and counts as paused time", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeGateway(store.database, accountId);
    const pause = "paused_until = ?, pause_reason = 'bad key', pauses = 4, paused_since = ?, paused_ms = 100";
    await store.query(`update lanes set ${pause} where id = ?`, now + 300_000, now - 50, id);
    await makeGateway(store.database, accountId, { id, updated_at: now });
    const lane = await laneOf(store, id);
    assert.deepEqual([lane.paused_until, lane.pause_reason, lane.paused_since], [null, null, null]);
    assert.deepEqual([lane.pauses, lane.paused_ms], [0, 150]);
  });

  test("an identifier is one gateway's in the whole installation", async () => {
    const { database } = open();
    const identifier = fresh("taken");
    const id = await makeGateway(database, await makeAccount(database), { identifier });
    await assert.rejects(makeGateway(database, await makeAccount(database), { identifier }), StorageError);
    assert.equal((await database.run(findGatewayByIdentifier, identifier))?.id, id);
  });

  test("the default mark moves inside its account and channel, and nowhere else", async () => {
    const store = open();
    const [a, b] = [await makeAccount(store.database), await makeAccount(store.database)];
    const first = await makeGateway(store.database, a, { is_default: 1 });
    const email = await makeGateway(store.database, a, { is_default: 1, channel: "email" });
    const foreign = await makeGateway(store.database, b, { is_default: 1 });
    const second = await makeGateway(store.database, a, { is_default: 1 });
    assert.deepEqual(await defaultsOf(store, a), [email, second]);
    assert.deepEqual(await defaultsOf(store, b), [foreign]);
    await makeGateway(store.database, a);
    assert.deepEqual(await defaultsOf(store, a), [email, second], "a plain one takes nothing");
    await makeGateway(store.database, a, { id: first, identifier: `identifier-${first}`, is_default: 1 });
    assert.deepEqual(await defaultsOf(store, a), [first, email]);
  });

  test("of defaults saved at once one stays", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        [store.database, store.other, store.database, store.other].map((database) =>
          makeGateway(database, accountId, { is_default: 1 }),
        ),
      );
      assert.equal((await defaultsOf(store, accountId)).length, 1);
    }
  });

  test("stranded are switched-off gateways with waiting messages that named none", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const off = { active: 0 } as const;
    const stranded = await makeGateway(database, accountId, off);
    const named = await makeGateway(database, accountId, off);
    const on = await makeGateway(database, accountId);
    await makeGateway(database, accountId, off);
    await database.run(storeSends, sendOf(accountId, stranded));
    await database.run(storeSends, sendOf(accountId, named, { each: { named: 1 } }));
    await database.run(storeSends, sendOf(accountId, on));
    const { gatewayId: sending } = await makeSending(store);
    await store.query("update gateways set active = 0 where id = ?", sending);
    const found = await database.run(findStranded, null);
    assert.deepEqual(
      found.map(({ id }) => id),
      [stranded],
    );
    assert.equal(found[0]?.account_id, accountId);
  });
});
