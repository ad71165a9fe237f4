// Balances as an account sees them: null without an allowance, and full again when a new month has begun.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { creditOf, readCredit } from "#accounts/credit.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { storeSends } from "#store/messages/insert.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { makeAccount, makeGateway, now, remaining, sendOf } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

async function spent(renews: "monthly" | null): Promise<string> {
  const accountId = await makeAccount(store.database, { sms: 10, renews });
  const gatewayId = await makeGateway(store.database, accountId);
  await store.database.run(storeSends, sendOf(accountId, gatewayId, { count: 4 }));
  return accountId;
}

test("a channel without an allowance is null, the others show what is left", async () => {
  assert.deepEqual(await readCredit(store.database, await spent(null), now + 1), {
    sms: { allowance: 10, remaining: 6 },
    whatsapp: null,
    email: null,
  });
});

test("a monthly allowance shows as full once a month began that it was not touched in; looking changes nothing", async () => {
  const accountId = await spent("monthly");
  assert.equal((await readCredit(store.database, accountId, now)).sms?.remaining, 6);
  assert.equal((await readCredit(store.database, accountId, now + 1)).sms?.remaining, 10);
  assert.equal(await remaining(store, accountId), 6);
});

test("an account's own month decides what is renewed", async () => {
  const credits = [{ channel: "sms", allowance: 10, remaining: 1, renews: "monthly", renewed_at: 0 }];
  const database = { run: async () => credits } as unknown as Database;
  const at = Date.UTC(1970, 0, 31, 23, 30);
  const creditIn = (timeZone: string) =>
    creditOf({ clock: { now: () => at } as Clock, database }, { id: "acc_1", timeZone });
  assert.equal((await creditIn("UTC")).sms?.remaining, 1);
  assert.equal((await creditIn("Europe/Berlin")).sms?.remaining, 10);
});
