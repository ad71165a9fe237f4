// Authentication: right at once, cheap in a burst, and never wrong for longer than a moment.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { createAuthenticator } from "#accounts/authenticate.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { hashSecret } from "#runtime/secret.ts";
import { replaceApiKey } from "#store/accounts/accounts.ts";
import { changeAccount } from "#store/accounts/changes.ts";
import { findKeyHolder, revokeNamedKey, saveNamedKey } from "#store/accounts/named-keys.ts";
import { type Database, type Operation, StorageError } from "#store/database.ts";
import type { NamedKeysTable } from "#store/schema/keys.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

/** The store, counting what is asked of it, and what is noted in it; `fail` makes the next question fail. */
function counting() {
  const counted = { asked: 0, noted: 0, fail: false };
  const database: Database = {
    ...store.database,
    run: async <I, O>(operation: Operation<I, O>, input: I) => {
      if (operation.name === "noteKeyUse") counted.noted += 1;
      else counted.asked += 1;
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
  await store.database.run(replaceApiKey, {
    accountId: id,
    hash: hashSecret(key),
    sealed: null,
    hint: "h",
    previousWorksUntil: null,
    at: now,
  });
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
    hint: "h",
    sealed: null,
    previousWorksUntil: null,
    at: now,
  });
  here!.invalidate();
  assert.equal(await here!.authenticate(key), null);
  assert.equal((await there!.authenticate(renewed))?.id, id);
  await clocks[1]!.advance(4999);
  assert.equal(await there!.authenticate(key), null);
});

/** A named key of a new account with two gateways. */
async function named(columns: Partial<NamedKeysTable> = {}, rules: object = {}) {
  const accountId = await makeAccount(store.database);
  for (const identifier of ["one", "two"])
    await makeGateway(store.database, accountId, { identifier: `${identifier}-${accountId}` });
  const text = fresh("tl");
  const row: NamedKeysTable = {
    id: fresh("apk"),
    account_id: accountId,
    name: "app",
    hash: hashSecret(text),
    hint: "h",
    previous_hash: null,
    previous_works_until: null,
    rules: JSON.stringify({ scopes: ["send:sms"], ...rules }),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    revision: 0,
    created_at: now,
    updated_at: now,
    ...columns,
  };
  assert.equal(await store.database.run(saveNamedKey, row), "saved");
  return { accountId, text, id: row.id };
}

test("a named key leads to its account with what it allows; gateways that it does not name are not there", async () => {
  const { authenticate } = createAuthenticator({ database: store.database, clock: movableClock() });
  const open = await named();
  const account = await authenticate(open.text);
  assert.deepEqual([account?.id, account?.gateways.length], [open.accountId, 2]);
  const key = { id: open.id, scopes: ["send:sms"], boundToGateways: false, requestsPerMinute: null };
  assert.deepEqual(account?.key, key);
  const list = { gateways: ["nowhere"], requests_per_minute: 7 };
  const bound = await named({}, list);
  const bare = await authenticate(bound.text);
  assert.deepEqual(bare?.gateways, []);
  assert.deepEqual(bare?.key, { ...key, id: bound.id, boundToGateways: true, requestsPerMinute: 7 });
  const accountId = await makeAccount(store.database);
  await makeGateway(store.database, accountId, { identifier: "only-this" });
  await makeGateway(store.database, accountId, { identifier: "not-that" });
  const one = await named({ account_id: accountId }, { gateways: ["only-this"] });
  assert.deepEqual(
    (await authenticate(one.text))?.gateways.map(({ identifier }) => identifier),
    ["only-this"],
  );
});

test("a key ends at its instant, though its look-up is remembered, and so does the text before a rotation", async () => {
  const clock = movableClock();
  const { authenticate } = createAuthenticator({ database: store.database, clock });
  const key = await named({ expires_at: clock.now() + 1_000 });
  const before = fresh("tl");
  const rotated = await named({
    previous_hash: hashSecret(before),
    previous_works_until: clock.now() + 1_000,
  });
  for (const text of [key.text, before, rotated.text]) assert.ok(await authenticate(text));
  await clock.advance(999);
  for (const text of [key.text, before]) assert.ok(await authenticate(text));
  await clock.advance(1);
  for (const text of [key.text, before]) assert.equal(await authenticate(text), null);
  assert.ok(await authenticate(rotated.text));
});

test("a revoked key is dead within five seconds in another process", async () => {
  const clock = movableClock();
  const { authenticate } = createAuthenticator({ database: store.database, clock });
  const key = await named();
  assert.ok(await authenticate(key.text));
  await store.database.run(revokeNamedKey, { accountId: key.accountId, id: key.id, at: now });
  await clock.advance(4_999);
  assert.equal(await authenticate(key.text), null);
});

test("the use of a key is noted once a minute, whichever key it is, and no request waits for it", async () => {
  for (const text of [(await holder()).key, (await named()).text]) {
    const { database, counted } = counting();
    const clock = movableClock();
    const { authenticate } = createAuthenticator({ database, clock });
    const usedAt = async () => (await store.database.run(findKeyHolder, hashSecret(text)))?.lastUsedAt;
    await authenticate(text);
    // The one writer has it behind what is asked next.
    while ((await usedAt()) !== clock.now()) await clock.settle();
    assert.equal(counted.noted, 1);
    for (let seconds = 4; seconds < 60; seconds += 4) {
      await clock.advance(4_000);
      await authenticate(text);
    }
    assert.equal(counted.noted, 1);
    await clock.advance(4_000);
    await authenticate(text);
    assert.equal(counted.noted, 2);
  }
});

test("the use of a key that has ended is not noted, and a note that fails fails nothing", async () => {
  const clock = movableClock();
  const { database, counted } = counting();
  const { authenticate } = createAuthenticator({ database, clock });
  const ended = await named({ expires_at: clock.now() });
  assert.equal(await authenticate(ended.text), null);
  assert.equal(counted.noted, 0);
  const failing: Database = {
    ...store.database,
    run: async <I, O>(operation: Operation<I, O>, input: I) => {
      if (operation.name === "noteKeyUse") throw new StorageError("unavailable", "down");
      return await store.database.run(operation, input);
    },
  };
  const key = await named();
  const other = createAuthenticator({ database: failing, clock });
  assert.equal((await other.authenticate(key.text))?.id, key.accountId);
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
