// Authentication: right at once, cheap in a burst, and never wrong for longer than a moment.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { createAuthenticator } from "#accounts/authenticate.ts";
import { hashSecret } from "#runtime/secret.ts";
import { replaceApiKey } from "#store/accounts/accounts.ts";
import { changeAccount } from "#store/accounts/changes.ts";
import { type Database, type Operation, StorageError } from "#store/database.ts";
import { movableClock } from "../clock.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

/** The store, counting what is asked of it; `fail` makes the next question fail. */
function counting() {
  const counted = { asked: 0, fail: false };
  const database: Database = {
    ...store.database,
    run: async <I, O>(operation: Operation<I, O>, input: I) => {
      counted.asked += 1;
      if (counted.fail) throw new StorageError("unavailable", "down");
      return await store.database.run(operation, input);
    },
  };
  return { database, counted };
}

async function holder(): Promise<{ id: string; key: string }> {
  const id = await makeAccount(store.database, { country: "DE" });
  await makeGateway(store.database, id, { is_default: 1, test: 1 });
  const key = fresh("tl");
  await store.database.run(replaceApiKey, { accountId: id, hash: hashSecret(key), sealed: null, at: now });
  return { id, key };
}

test("a key leads to its account, with its gateways and nothing secret", async () => {
  const { id, key } = await holder();
  const { authenticate } = createAuthenticator({ database: store.database, clock: movableClock() });
  const account = await authenticate(key);
  const gatewayId = account?.gateways[0]?.id;
  assert.deepEqual(account, {
    id,
    name: `name of ${id}`,
    timeZone: "UTC",
    country: "DE",
    plan: { name: "unlimited", expiresAt: null },
    requestsPerMinute: null,
    attachments: { maxFiles: 10, maxBytes: 10_485_760 },
    gateways: [
      {
        id: gatewayId,
        identifier: `identifier-${gatewayId}`,
        channel: "sms",
        kind: "http-api",
        contents: ["text"],
        active: true,
        isDraining: false,
        isDefault: true,
        test: true,
      },
    ],
  });
});

test("keys that no account has are null: empty, unknown, longer than any key, almost right", async () => {
  const { key } = await holder();
  const { database, counted } = counting();
  const { authenticate } = createAuthenticator({ database, clock: movableClock() });
  for (const wrong of ["", "tl_unknown", `${key} `, key.toUpperCase(), hashSecret(key)]) {
    assert.equal(await authenticate(wrong), null);
  }
  const asked = counted.asked;
  assert.equal(await authenticate("x".repeat(1_000_000)), null);
  assert.equal(counted.asked, asked, "not worth a question");
});

test("a burst costs one look-up, and so does each three seconds; a no is remembered like a yes", async () => {
  const { key } = await holder();
  const { database, counted } = counting();
  const clock = movableClock();
  const { authenticate } = createAuthenticator({ database, clock });
  await Promise.all(Array.from({ length: 100 }, () => authenticate(key)));
  assert.equal(counted.asked, 1);
  await clock.advance(2999);
  await authenticate(key);
  assert.equal(counted.asked, 1);
  await clock.advance(1);
  await authenticate(key);
  assert.equal(counted.asked, 2, "being asked for does not keep an answer fresh");
  assert.equal(await authenticate("tl_nobody"), null);
  assert.equal(await authenticate("tl_nobody"), null);
  assert.equal(counted.asked, 3);
});

test("the operator's clock set back does not keep an old answer", async () => {
  const { key } = await holder();
  const { database, counted } = counting();
  const clock = movableClock();
  const { authenticate } = createAuthenticator({ database, clock });
  await authenticate(key);
  clock.setNow(0);
  await clock.advance(3000);
  await authenticate(key);
  assert.equal(counted.asked, 2);
});

test("what changed in this process is seen at once", async () => {
  const { id, key } = await holder();
  const { authenticate, invalidate: forget } = createAuthenticator({
    database: store.database,
    clock: movableClock(),
  });
  assert.equal((await authenticate(key))?.plan.name, "unlimited");
  await store.database.run(changeAccount, {
    id,
    revision: 1,
    columns: { plan_name: "basic", plan_expires_at: 1 },
    allowances: [],
    at: now,
  });
  forget();
  assert.deepEqual((await authenticate(key))?.plan, { name: "basic", expiresAt: 1 });
});

test("a regenerated key is dead within five seconds in another process, and the new one works at once", async () => {
  const { id, key } = await holder();
  const clocks = [movableClock(), movableClock()];
  const [here, there] = clocks.map((clock) => createAuthenticator({ database: store.database, clock }));
  assert.ok((await here!.authenticate(key)) && (await there!.authenticate(key)));
  const renewed = fresh("tl");
  await store.database.run(replaceApiKey, {
    accountId: id,
    hash: hashSecret(renewed),
    sealed: null,
    at: now,
  });
  here!.invalidate();
  assert.equal(await here!.authenticate(key), null);
  assert.equal((await there!.authenticate(renewed))?.id, id);
  await clocks[1]!.advance(4999);
  assert.equal(await there!.authenticate(key), null);
});

test("a failed look-up is an error, and is not remembered", async () => {
  const { id, key } = await holder();
  const { database, counted } = counting();
  const { authenticate } = createAuthenticator({ database, clock: movableClock() });
  counted.fail = true;
  await assert.rejects(authenticate(key), StorageError);
  counted.fail = false;
  assert.equal((await authenticate(key))?.id, id);
});

test("50,000 wrong keys push older answers out instead of piling up", async () => {
  const { key } = await holder();
  let asked = 0;
  const emptyDatabase: Database = {
    ...store.database,
    run: async () => {
      asked += 1;
      return null as never;
    },
  };
  const { authenticate } = createAuthenticator({ database: emptyDatabase, clock: movableClock() });
  await authenticate(key);
  for (let i = 0; i < 50_000; i++) await authenticate(`wrong ${i}`);
  assert.equal(asked, 50_001);
  // The newest ten thousand are remembered, what came before them is not.
  for (let i = 40_000; i < 50_000; i++) await authenticate(`wrong ${i}`);
  assert.equal(asked, 50_001);
  await authenticate("wrong 39999");
  await authenticate(key);
  assert.equal(asked, 50_003);
});
