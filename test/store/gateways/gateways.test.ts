// Gateways with their lanes, and the search for messages that wait on one that is switched off.

import assert from "node:assert/strict";
import test from "node:test";
import {
  findGateway,
  findGatewayByIdentifier,
  findWaitingOnInactive,
  readFailoverGateways,
  saveGateway,
  settingsContext,
} from "#store/gateways/gateways.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { GatewaysTable, LanesTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { fresh, makeAccount, makeGateway, makeSending, now, sendOf } from "../rows.ts";

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
  test("a gateway is found by id and by identifier, and an unknown one is null", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { identifier: "sms-main", settings: "v1.sealed" });
    const gateway = await database.run(findGateway, id);
    assert.equal(gateway?.settings, "v1.sealed");
    assert.deepEqual(await database.run(findGatewayByIdentifier, "sms-main"), gateway);
    assert.equal(await database.run(findGatewayByIdentifier, "SMS-MAIN"), null);
    assert.equal(await database.run(findGateway, "gw_0"), null);
    assert.notEqual(settingsContext(id), settingsContext("gw_0"));
  });

  test("a new gateway has a lane that no process holds", async () => {
    const store = open();
    const id = await makeGateway(store.database, await makeAccount(store.database), { active: 0 });
    assert.deepEqual(await laneOf(store, id), {
      id,
      kind: "gateway",
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
      operator_paused_at: null,
      operator_paused_by: null,
      failing_since: null,
      wanted_by: null,
      next_at: null,
    });
  });

  test("a changed gateway keeps its creation; its lane keeps its owner and gets a new revision", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeGateway(store.database, accountId);
    await store.query("update lanes set owner = 'prc_1', fence = 3 where id = ?", id);
    await makeGateway(store.database, accountId, {
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

  test("a change that ends a pause is reported, to its own account; a change of what runs is not", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    await listen(store, accountId, ["gateway.resumed"]);
    const id = await makeGateway(database, accountId);
    await makeGateway(database, accountId, { id });
    assert.deepEqual(await notesOf(store, accountId), []);
    for (const [at, active] of [
      [now + 1, 1],
      [now + 2, 0],
    ] as const) {
      await store.query("update lanes set paused_until = 1, paused_since = 1, pauses = 1 where id = ?", id);
      await makeGateway(database, accountId, { id, updated_at: at, active });
    }
    await store.query("update lanes set paused_since = 1, operator_paused_at = 1 where id = ?", id);
    await makeGateway(database, accountId, { id, updated_at: now + 3 });
    const event = (active: boolean) => ({
      identifier: `identifier-${id}`,
      channel: "sms",
      kind: "http-api",
      active,
      default: false,
      reason: null,
    });
    const notes = await notesOf(store, accountId);
    assert.deepEqual(
      notes.map(({ type, at, data }) => [type, at, data]),
      [
        ["gateway.resumed", now + 1, event(true)],
        ["gateway.resumed", now + 2, event(false)],
      ],
    );
    assert.equal(new Set(notes.map((note) => note.id)).size, 2);
  });

  test("failing are the accounts that want it and have a paused gateway; theirs come in the order of preference", async () => {
    const store = open();
    const { database } = store;
    const wanting = await makeAccount(database, { channel_failover: 1 });
    const other = await makeAccount(database);
    const calm = await makeAccount(database, { channel_failover: 1 });
    const oldest = await makeGateway(database, wanting, { created_at: now - 2 });
    const paused = await makeGateway(database, wanting, { created_at: now - 3 });
    const preferred = await makeGateway(database, wanting, { is_default: 1 });
    const over = await makeGateway(database, wanting, { created_at: now - 1 });
    const stopped = await makeGateway(database, wanting, { created_at: now + 1 });
    const off = await makeGateway(database, wanting, { active: 0 });
    const [unwanted, ended] = [await makeGateway(database, other), await makeGateway(database, calm)];
    const pause = (id: string, until: number) =>
      store.query(
        "update lanes set paused_until = ?, paused_since = ?, pause_reason = 'x' where id = ?",
        until,
        now - 9,
        id,
      );
    for (const id of [paused, unwanted, off]) await pause(id, now + 1);
    for (const id of [over, ended]) await pause(id, now);
    await store.query("update lanes set operator_paused_at = 1 where id = ?", stopped);
    const found = await database.run(readFailoverGateways, now);
    assert.deepEqual(
      found.filter(({ account_id }) => account_id === wanting).map(({ id, state }) => [id, state]),
      [
        [preferred, "open"],
        [paused, "paused"],
        [oldest, "open"],
        [over, "probing"],
      ],
    );
    assert.ok(found.every(({ account_id }) => account_id !== other && account_id !== calm));
  });

  test("an identifier is one gateway's in the whole installation", async () => {
    const { database } = open();
    const identifier = fresh("taken");
    const id = await makeGateway(database, await makeAccount(database), { identifier });
    const kept = await database.run(findGatewayByIdentifier, identifier);
    assert.ok(kept?.id === id);
    const accountId = await makeAccount(database);
    const theirs = { ...kept, account_id: accountId, settings: "theirs" };
    assert.equal(await database.run(saveGateway, { ...theirs, id: fresh("gw"), revision: 0 }), "taken");
    assert.equal(await database.run(saveGateway, theirs), "overtaken", "not by its id either");
    assert.deepEqual(await database.run(findGatewayByIdentifier, identifier), kept);
    assert.equal(await database.run(saveGateway, { ...kept, settings: "ours" }), "saved");
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

  test("an identifier is one gateway's, also when several take it at once", async () => {
    const store = open();
    const accounts = [await makeAccount(store.database), await makeAccount(store.database)];
    const gateway = (accountId: string): GatewaysTable => ({
      id: fresh("gw"),
      account_id: accountId,
      identifier: "taken",
      channel: "sms",
      kind: "sandbox",
      active: 1,
      is_default: 1,
      test: 1,
      settings: "sealed",
      rules: "{}",
      counting: null,
      mail_sender: null,
      draining_at: null,
      revision: 0,
      created_at: now,
      updated_at: now,
    });
    const takers = Array.from({ length: 6 }, (_, i) => gateway(accounts[i % 2]!));
    const outcomes = await Promise.all(
      takers.map((one, i) => (i % 3 ? store.other : store.database).run(saveGateway, one)),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "saved").length, 1);
    const holder = takers[outcomes.indexOf("saved")]!;
    const otherAccount = accounts.find((id) => id !== holder.account_id)!;
    const stolen = await store.database.run(saveGateway, {
      ...holder,
      account_id: otherAccount,
      active: 0,
      revision: 1,
    });
    assert.equal(stolen, "overtaken", "nor does it move to another account");
    assert.equal((await store.database.run(findGatewayByIdentifier, "taken"))?.active, 1);
  });

  test("a change that was computed before another one is overtaken, also when that took the default mark", async () => {
    const { database, other } = open();
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { is_default: 1 });
    const before = (await database.run(findGateway, id))!;
    assert.equal(before.revision, 1);
    assert.equal(await other.run(saveGateway, { ...before, settings: "first" }), "saved");
    assert.equal(await database.run(saveGateway, { ...before, settings: "second" }), "overtaken");
    const now1 = (await database.run(findGateway, id))!;
    assert.deepEqual([now1.settings, now1.revision], ["first", 2]);
    await makeGateway(other, accountId, { is_default: 1 });
    assert.equal(await database.run(saveGateway, { ...now1, rules: "[]" }), "overtaken");
    const after = (await database.run(findGateway, id))!;
    assert.deepEqual([after.is_default, after.rules, after.revision], [0, "{}", 3]);
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
    await database.run(storeSends, sendOf(accountId, named, { each: { gateway_pinned: 1 } }));
    await database.run(storeSends, sendOf(accountId, on));
    const { gatewayId: sending } = await makeSending(store);
    await store.query("update gateways set active = 0 where id = ?", sending);
    const found = await database.run(findWaitingOnInactive, null);
    assert.deepEqual(
      found.map(({ id }) => id),
      [stranded],
    );
    assert.equal(found[0]?.account_id, accountId);
  });
});
