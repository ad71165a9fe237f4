// A connection lost exactly at COMMIT: the caller hears `commit_unknown`, and the proof then tells the truth.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Database, StorageError } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { confirmRequest, storeSends } from "#store/messages/insert.ts";
import type { SendInput } from "#store/messages/send.ts";
import { openStore, type Store } from "../../conformance.ts";
import { makeAccount, makeGateway, now, remaining, sendOf } from "../../rows.ts";
import { type CommitProxy, type Cut, startProxy } from "./proxy.ts";

let store: Store;
let proxy: CommitProxy;
let through: Database;
before(async () => {
  store = await openStore("postgres");
  proxy = await startProxy(store.place);
  through = await openPostgres({ url: proxy.url });
});
after(async () => {
  await through.close();
  await proxy.close();
  await store.close();
});

async function cutAt(how: Cut): Promise<{ send: SendInput; accountId: string; proved: boolean }> {
  const accountId = await makeAccount(store.database, { sms: 10 });
  const send = sendOf(accountId, await makeGateway(store.database, accountId), { count: 2 });
  const before = proxy.commits();
  proxy.cutNext(how);
  await assert.rejects(
    through.run(storeSends, send),
    (error) => error instanceof StorageError && error.fault === "commit_unknown",
  );
  assert.equal(proxy.commits(), before + 1, "a commit in doubt is never repeated");
  const { requestId } = send;
  const proved = await through.run(confirmRequest, { requestId, accountId, channel: "sms", at: now });
  return { send, accountId, proved };
}

const storedCount = async (requestId: string) =>
  (await store.query("select id from messages where request_id = ?", requestId)).length;

test("lost before the server heard of it: nothing is stored, the proof says so, and it can be sent again", async () => {
  const { send, accountId, proved } = await cutAt("before");
  assert.equal(proved, false);
  assert.equal(await storedCount(send.requestId), 0);
  assert.equal(await remaining(store, accountId), 10);
  assert.deepEqual(await through.run(storeSends, send), { kind: "stored" });
});

test("lost after the server committed: everything is stored, and the proof says so", async () => {
  const { send, accountId, proved } = await cutAt("after");
  assert.equal(proved, true);
  assert.equal(await storedCount(send.requestId), 2);
  assert.equal(await remaining(store, accountId), 8);
});

test("lost on the way: the proof agrees with what is stored, each time", async () => {
  for (let round = 0; round < 10; round++) {
    const { send, accountId, proved } = await cutAt("during");
    assert.equal(await storedCount(send.requestId), proved ? 2 : 0);
    assert.equal(await remaining(store, accountId), proved ? 8 : 10);
  }
});

test("a group lost at COMMIT is in doubt for each of its members", async () => {
  const accountId = await makeAccount(store.database, { sms: 100 });
  const gatewayId = await makeGateway(store.database, accountId);
  const sends = Array.from({ length: 30 }, () => sendOf(accountId, gatewayId));
  proxy.cutNext("after");
  const results = await Promise.allSettled(sends.map((send) => through.run(storeSends, send)));
  let doubted = 0;
  for (const [i, result] of results.entries()) {
    if (result.status === "rejected") {
      assert.equal(result.reason.fault, "commit_unknown");
      doubted += 1;
      const { requestId } = sends[i]!;
      assert.equal(
        await through.run(confirmRequest, { requestId, accountId, channel: "sms", at: now }),
        true,
      );
    }
    assert.equal(await storedCount(sends[i]!.requestId), 1);
  }
  assert.ok(doubted >= 1);
  assert.equal(await remaining(store, accountId), 70);
});

test("the lost connection is replaced", async () => {
  proxy.cutNext("before");
  await assert.rejects(through.run(getOrSetFact, { name: "lost", value: "1" }), { fault: "commit_unknown" });
  assert.equal(await through.run(getOrSetFact, { name: "lost", value: "2" }), "2");
});
