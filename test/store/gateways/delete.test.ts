// Gateways that are deleted: at once, or when the last message has ended, whenever the process that was asked ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { readGateways } from "#store/gateways/actions.ts";
import { deleteGateway, readDraining } from "#store/gateways/delete.ts";
import { findGateway, saveGateway } from "#store/gateways/gateways.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import { openKept } from "../../sqlite.ts";
import { engines, onBothEngines, type Store } from "../conformance.ts";
import { makeAccount, makeGateway, makeMessages, makeSending, now, sendOf, settle } from "../rows.ts";
import { emptyPlace } from "../schema/place.ts";

const priorities = [0, 1, 2];
const remove = (database: Database, { accountId, gatewayId }: { accountId: string; gatewayId: string }) =>
  database.run(deleteGateway, {
    accountId,
    identifier: `identifier-${gatewayId}`,
    at: now,
    priorities,
    countTo: 10,
  });
const cancel = (database: Database, accountId: string, id: string) =>
  database.run(cancelMessage, { accountId, channel: null, id, details: { at: now, detail: "" } });

/** The rows that a gateway has, by table. */
async function rowsOf(store: Store, id: string): Promise<string[]> {
  const tables = { gateways: "id", lanes: "id", deleted_gateways: "id" };
  const has: string[] = [];
  for (const [table, column] of Object.entries(tables))
    if ((await store.query(`select 1 from ${table} where ${column} = ?`, id)).length > 0) has.push(table);
  return has;
}

onBothEngines((open) => {
  test("one on which nothing waits goes at once, however many ended messages it has, and only its own account's", async () => {
    const store = open();
    const { database } = store;
    const sent = await makeSending(store, { count: 2 });
    assert.deepEqual(await remove(database, sent), { kind: "draining", waiting: 0, sending: 2 });
    await settle(store, sent, "accepted");
    await settle(store, { ...sent, id: sent.ids[1]! }, "accepted");
    const other = { ...sent, accountId: await makeAccount(database) };
    assert.deepEqual(await remove(database, other), { kind: "not_found" });
    assert.deepEqual(await rowsOf(store, sent.gatewayId), ["gateways", "lanes"]);
    assert.deepEqual(await remove(database, sent), { kind: "deleted" });
    assert.deepEqual(await rowsOf(store, sent.gatewayId), ["deleted_gateways"]);
    assert.deepEqual(await remove(database, sent), { kind: "not_found" });
  });

  test("what waits counts, due or not, and what a restore holds", async () => {
    const store = open();
    const { database } = store;
    const waiting = await makeMessages(database, { count: 12 });
    assert.deepEqual(await remove(database, waiting), { kind: "draining", waiting: 10, sending: 0 });
    const later = await makeMessages(database, { each: { status: "scheduled", due_at: now + 86_400_000 } });
    assert.deepEqual(await remove(database, later), { kind: "draining", waiting: 1, sending: 0 });
    await store.query("update messages set held_due_at = due_at, due_at = null where id = ?", later.ids[0]!);
    assert.deepEqual(await remove(database, later), { kind: "draining", waiting: 1, sending: 0 });
  });

  test("one that drains is shown with what is under way, since when, and its identifier is not free", async () => {
    const store = open();
    const { database } = store;
    const sent = await makeSending(store);
    await remove(database, sent);
    const first = await database.run(findGateway, sent.gatewayId);
    await remove(database, sent);
    const again = await database.run(findGateway, sent.gatewayId);
    assert.deepEqual([first?.draining_at, again?.revision], [now, first?.revision]);
    const input = { accountId: sent.accountId, identifier: `identifier-${sent.gatewayId}` };
    const [shown] = await database.run(readGateways, { ...input, priorities, now, countTo: 10 });
    assert.equal(shown?.sending, 1);
    const { id: _, ...rest } = again!;
    const rival = { ...rest, revision: 0, draining_at: null };
    assert.equal(await database.run(saveGateway, { ...rival, id: "gw_rival_1" }), "draining");
    const account_id = await makeAccount(database);
    assert.equal(await database.run(saveGateway, { ...rival, account_id, id: "gw_rival_2" }), "taken");
    assert.ok((await database.run(readDraining, null)).some(({ id }) => id === sent.gatewayId));
  });

  test("a message that may have been sent does not keep its gateway, and cannot be sent again through it", async () => {
    const store = open();
    const { database } = store;
    const sent = await makeSending(store);
    await settle(store, sent, "outcome_unknown");
    assert.deepEqual(await remove(database, sent), { kind: "deleted" });
    const resolve = (step: "resent_by_account" | "marked_sent") =>
      database.run(resolveUnknown, {
        accountId: sent.accountId,
        channel: null,
        id: sent.id,
        step,
        details: { at: now, detail: "", ...(step === "marked_sent" ? {} : { dueAt: now, resend: true }) },
      });
    assert.deepEqual(await resolve("resent_by_account"), { kind: "gateway_gone" });
    const [row] = await store.query<{ status: string }>("select status from messages where id = ?", sent.id);
    assert.equal(row?.status, "unknown");
    assert.equal((await resolve("marked_sent")).kind, "resolved");
  });
});

for (const engine of engines) {
  test(`a process that ends while a gateway drains leaves all to the next one, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const open = () => (engine === "sqlite" ? openKept(place.at) : openPostgres({ url: place.at }));
    let database = await open();
    try {
      const accountId = await makeAccount(database);
      const gatewayId = await makeGateway(database, accountId);
      const send = sendOf(accountId, gatewayId, { count: 2, cost: 0 });
      await database.run(storeSends, send);
      assert.equal((await remove(database, { accountId, gatewayId })).kind, "draining");
      await database.close();
      database = await open();
      assert.deepEqual(await database.run(readDraining, null), [
        { id: gatewayId, account_id: accountId, identifier: `identifier-${gatewayId}` },
      ]);
      const [one, two] = send.messages.map(({ id }) => id);
      await cancel(database, accountId, one!);
      assert.deepEqual(await remove(database, { accountId, gatewayId }), {
        kind: "draining",
        waiting: 1,
        sending: 0,
      });
      await cancel(database, accountId, two!);
      assert.deepEqual(await remove(database, { accountId, gatewayId }), { kind: "deleted" });
      assert.deepEqual(await database.run(readDraining, null), []);
    } finally {
      await database.close();
      await place.drop();
    }
  });
}
