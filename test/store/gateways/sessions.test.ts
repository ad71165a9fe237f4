// Sessions of gateways: what they keep and how they are, written by the owner of the lane alone.

import assert from "node:assert/strict";
import test from "node:test";
import type { Database } from "#store/database.ts";
import { deleteGateway } from "#store/gateways/delete.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import {
  pairingContext,
  readSession,
  readSessionValues,
  recordSession,
  requestLink,
  saveSessionValues,
  sessionValueContext,
  takeLinkRequest,
} from "#store/gateways/sessions.ts";
import { claimLanes, readLanes } from "#store/lanes/lanes.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import { onBothEngines } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { makeAccount, makeGateway, now } from "../rows.ts";

/** A gateway whose lane is held under the fence 1. */
async function makeHeld(database: Database, accountId: string): Promise<string> {
  const id = await makeGateway(database, accountId, { identifier: `link-${accountId}` });
  await database.run(claimLanes, { processId: "one", lanes: [{ id, owner: null, fence: 0 }] });
  return id;
}

const sessionOf = (
  gatewayId: string,
  status: GatewaySessionsTable["status"],
  changes: Partial<Omit<GatewaySessionsTable, "linked_at" | "request">> = {},
) => ({
  gateway_id: gatewayId,
  status,
  reason: null,
  pairing: null,
  pairing_expires_at: null,
  changed_at: now,
  details: null,
  ...changes,
});

onBothEngines((open) => {
  test("values are stored, replaced and removed together; another gateway's are its own", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeHeld(database, accountId);
    const other = await makeGateway(database, accountId, { identifier: "other" });
    const save = (changes: Record<string, string | null>) =>
      database.run(saveSessionValues, {
        gatewayId: id,
        fence: 1,
        changes: Object.entries(changes).map(([key, value]) => ({ key, value })),
      });
    assert.equal(await save({ a: "1", b: "2", c: "3" }), true);
    assert.equal(await save({ a: "4", b: null, d: "5", never: null }), true);
    assert.deepEqual(
      (await database.run(readSessionValues, id)).map(({ key, value }) => [key, value]),
      [
        ["a", "4"],
        ["c", "3"],
        ["d", "5"],
      ],
    );
    assert.deepEqual(await database.run(readSessionValues, other), []);
    const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`key ${i}`, "x".repeat(100)]));
    assert.equal(await save(many), true);
    assert.equal((await database.run(readSessionValues, id)).length, 1_203);
  });

  test("who lost the lane stores nothing", async () => {
    const { database } = open();
    const id = await makeHeld(database, await makeAccount(database));
    await database.run(claimLanes, { processId: "two", lanes: [{ id, owner: "one", fence: 1 }] });
    const changes = [{ key: "a", value: "stale" }];
    assert.equal(await database.run(saveSessionValues, { gatewayId: id, fence: 1, changes }), false);
    assert.deepEqual(await database.run(readSessionValues, id), []);
    const stale = { fence: 1, linked: true, eventId: "gs_1", session: sessionOf(id, "connected") };
    assert.equal(await database.run(recordSession, stale), false);
    assert.equal(await database.run(readSession, id), null);
    assert.equal(await database.run(saveSessionValues, { gatewayId: id, fence: 2, changes }), true);
  });

  test("the first connection of a link is an event, and so is the link's end; a reconnection is no event", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    await listen(store, accountId);
    const id = await makeHeld(database, accountId);
    let number = 0;
    const record = async (status: GatewaySessionsTable["status"], reason: string | null = null) => {
      number += 1;
      const session = sessionOf(id, status, { reason, changed_at: now + number });
      assert.equal(
        await database.run(recordSession, { fence: 1, linked: true, eventId: `gs_${number}`, session }),
        true,
      );
    };
    await record("pairing");
    await record("connected");
    await record("disconnected", "The connection was lost.");
    await record("connected");
    assert.equal((await database.run(readSession, id))?.linked_at, now + 2);
    await record("logged_out", "The device was removed.");
    assert.equal((await database.run(readSession, id))?.linked_at, null);
    await record("pairing");
    await record("connected");
    assert.deepEqual(
      (await notesOf(store, accountId)).map(({ type, at, data }) => [type, at - now, data.reason]),
      [
        ["gateway.linked", 2, null],
        ["gateway.unlinked", 5, "The device was removed."],
        ["gateway.linked", 7, null],
      ],
    );
  });

  test("a state began when it was recorded first; without a device it has no link and no event", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    await listen(store, accountId);
    const id = await makeHeld(database, accountId);
    const record = async (status: GatewaySessionsTable["status"], reason: string | null, at: number) => {
      const session = sessionOf(id, status, { reason, changed_at: at });
      await database.run(recordSession, { fence: 1, linked: false, eventId: `gs_${at}`, session });
      const row = await database.run(readSession, id);
      return [row?.changed_at, row?.reason, row?.linked_at];
    };
    assert.deepEqual(await record("disconnected", "No route.", now), [now, "No route.", null]);
    assert.deepEqual(await record("disconnected", "Refused.", now + 5), [now, "Refused.", null]);
    assert.deepEqual(await record("connected", null, now + 9), [now + 9, null, null]);
    assert.deepEqual(await record("logged_out", "Removed.", now + 10), [now + 10, "Removed.", null]);
    assert.deepEqual(await notesOf(store, accountId), []);
  });

  test("what a person needs to link is stored sealed, and gone with the next state", async () => {
    const { database } = open();
    const id = await makeHeld(database, await makeAccount(database));
    const pairing = { pairing: "v1.sealed", pairing_expires_at: now + 60_000 };
    const waiting = sessionOf(id, "pairing", pairing);
    await database.run(recordSession, { fence: 1, linked: true, eventId: "gs_1", session: waiting });
    assert.deepEqual(
      { ...(await database.run(readSession, id)) },
      { ...waiting, linked_at: null, request: null },
    );
    await database.run(recordSession, {
      fence: 1,
      linked: true,
      eventId: "gs_2",
      session: sessionOf(id, "connected"),
    });
    assert.equal((await database.run(readSession, id))?.pairing, null);
  });

  test("a deleted gateway leaves nothing of its session", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeGateway(database, accountId, { identifier: "gone", active: 0, updated_at: 1 });
    await database.run(claimLanes, { processId: "one", lanes: [{ id, owner: null, fence: 0 }] });
    await database.run(saveSessionValues, { gatewayId: id, fence: 1, changes: [{ key: "a", value: "1" }] });
    await database.run(recordSession, {
      fence: 1,
      linked: true,
      eventId: "gs_1",
      session: sessionOf(id, "connected"),
    });
    const input = { accountId, identifier: "gone", at: now, priorities: [0], countTo: 1 };
    assert.deepEqual(await database.run(deleteGateway, input), { kind: "deleted" });
    assert.deepEqual(await database.run(readSessionValues, id), []);
    assert.equal(await database.run(readSession, id), null);
  });

  test("a request of a link is taken once, by the owner of the lane, which is opened anew", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const id = await makeHeld(database, accountId);
    const identifier = `link-${accountId}`;
    const ask = (request: string, account = accountId) =>
      database.run(requestLink, { accountId: account, identifier, at: now, request, limits: null });
    const revision = async () =>
      (await database.run(readLanes, null)).find((lane) => lane.id === id)?.revision;
    const before = (await revision()) ?? 0;
    assert.equal(await ask('"one"', await makeAccount(database)), "switched_off");
    assert.equal(await ask('"one"'), "asked");
    assert.equal(await ask('"two"'), "asked");
    assert.equal(await revision(), before + 2);
    assert.equal(await database.run(takeLinkRequest, { gatewayId: id, fence: 0 }), null);
    const session = sessionOf(id, "connecting");
    await database.run(recordSession, { fence: 1, linked: true, eventId: "gs_a", session });
    assert.equal(await database.run(takeLinkRequest, { gatewayId: id, fence: 1 }), '"two"');
    assert.equal(await database.run(takeLinkRequest, { gatewayId: id, fence: 1 }), null);
  });

  test("devices that are linked, or about to be, are bounded for an account and in all", async () => {
    const { database } = open();
    const accounts = [await makeAccount(database), await makeAccount(database), await makeAccount(database)];
    const kind = `kind-${accounts[0]}`;
    const ask = async (accountId: string, name: string) => {
      const identifier = `${accountId}-${name}`;
      await makeGateway(database, accountId, { identifier, kind });
      const limits = { kinds: [kind], inAll: 3, ofAccount: 2 };
      return await database.run(requestLink, { accountId, identifier, at: now, request: "{}", limits });
    };
    const [one = "", two = "", three = ""] = accounts;
    // Asked for at once, they count each other.
    const asked = await Promise.all(["a", "b", "c"].map((name) => ask(one, name)));
    assert.deepEqual(asked.sort(), ["account_full", "asked", "asked"]);
    assert.equal(await ask(two, "a"), "asked");
    assert.equal(await ask(three, "a"), "all_full");
    // The gateway's own link does not count against it.
    const again = { kinds: [kind], inAll: 3, ofAccount: 1 };
    const identifier = `${two}-a`;
    const request = { accountId: two, identifier, at: now, request: "{}", limits: again };
    assert.equal(await database.run(requestLink, request), "asked");
    // What has no device any more is not counted; what has one is, whether it is connected or not.
    const id = (await database.run(findGatewayByIdentifier, identifier))?.id ?? "";
    await database.run(claimLanes, { processId: "one", lanes: [{ id, owner: null, fence: 0 }] });
    await database.run(takeLinkRequest, { gatewayId: id, fence: 1 });
    const become = async (status: GatewaySessionsTable["status"]) =>
      await database.run(recordSession, {
        fence: 1,
        linked: true,
        eventId: `gs_${status}`,
        session: sessionOf(id, status),
      });
    await become("logged_out");
    assert.equal(await ask(three, "b"), "asked");
    await become("connected");
    await become("disconnected");
    assert.equal(await ask(three, "c"), "all_full");
    // One that was asked for and is switched off is not being linked; a linked one keeps its device.
    const off = async (accountId: string, name: string) => {
      const row = await database.run(findGatewayByIdentifier, `${accountId}-${name}`);
      assert.ok(row);
      await makeGateway(database, accountId, { ...row, active: 0 });
    };
    await off(two, "a");
    assert.equal(await ask(three, "d"), "all_full");
    for (const name of ["a", "b", "c"]) await off(one, name);
    assert.equal(await ask(three, "e"), "asked");
  });

  test("a sealed value opens for its own gateway and key alone", () => {
    const places = [
      sessionValueContext("gw_1", "a"),
      sessionValueContext("gw_1", "b"),
      sessionValueContext("gw_2", "a"),
      pairingContext("gw_1"),
    ];
    assert.equal(new Set(places).size, places.length);
  });
});
