// Retention of emails: what a mail has beside its message goes with it, and the files with their request, on both
// engines.

import assert from "node:assert/strict";
import test from "node:test";
import { deleteFileContent, findUnboundFiles, storeChunk } from "#store/email/attachments.ts";
import { deleteMessages } from "#store/maintenance/retention.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { NewEmail } from "#store/messages/send.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { columnsOf, fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

const later = now + 86_400_000;

/** Two delivered emails of one request, with a file that is still full and one that was emptied. */
async function delivered(store: Store) {
  const { database } = store;
  const accountId = await makeAccount(database);
  const gatewayId = await makeGateway(database, accountId, { channel: "email" });
  const files = [];
  for (const filename of ["full.pdf", "empty.pdf"]) {
    const id = fresh("att");
    await database.run(storeChunk, { id, accountId, seq: 0, content: "QUJD", at: now });
    files.push({ id, filename, content_type: "application/pdf", size: 3, sha256: "00" });
  }
  const each = { encoding: null, segments: null };
  const send = sendOf(accountId, gatewayId, { channel: "email", count: 2, each });
  const ids = columnsOf(send.messages).id;
  const emails = ids.map(
    (id): NewEmail => ({ message_id: id, subject: "Hello", sender_name: null, reply_to: null, extras: null }),
  );
  await database.run(storeSends, { ...send, emails, attachments: files });
  await database.run(deleteFileContent, { id: files[1]!.id, at: now });
  for (const id of ids) {
    await store.query(
      "update messages set status = 'delivered', due_at = null where id = ? returning id",
      id,
    );
    await store.query("insert into engagements values (?, 'opened', 1)", id);
  }
  return { accountId, ids, requestId: send.requestId, full: files[0]!.id, empty: files[1]!.id };
}

const count = async (store: Store, from: string, ...values: string[]) =>
  Number((await store.query<{ n: number }>(`select count(*) as n from ${from}`, ...values))[0]!.n);

onBothEngines((open) => {
  test("the last message of a request takes its files along; one that is still full becomes loose", async () => {
    const store = open();
    const { ids, requestId, full, empty } = await delivered(store);
    const remove = (before: string) =>
      store.database.run(deleteMessages, {
        after: ids[0]!.replace(/\d$/, ""),
        before,
        unchangedSince: later,
        limit: 100,
      });
    assert.equal((await remove(ids[1]!)).deleted, 1);
    for (const table of ["emails", "email_bodies", "engagements"]) {
      assert.equal(await count(store, `${table} where message_id = ?`, ids[0]!), 0, table);
      assert.equal(await count(store, `${table} where message_id = ?`, ids[1]!), 1, table);
    }
    assert.equal(await count(store, "attachments where request_id = ?", requestId), 2);

    assert.equal((await remove(`${ids[1]}0`)).deleted, 1);
    assert.equal(await count(store, "requests where id = ?", requestId), 0);
    for (const table of ["emails", "email_bodies"])
      assert.equal(await count(store, `${table} where message_id = ?`, ids[1]!), 0, table);
    assert.equal(await count(store, "attachments where id = ?", empty), 0);
    assert.deepEqual(await store.database.run(findUnboundFiles, { before: later, limit: 5 }), [full]);
  });

  test("large mails go a few at a time, and messages with a long history too", async () => {
    const store = open();
    const batches = async (ids: string[]) => {
      const removed: number[] = [];
      for (let after = ids[0]!.slice(0, -1); removed.length < 20; ) {
        const input = { after, before: `${ids.at(-1)}0`, unchangedSince: later, limit: 100 };
        const batch = await store.database.run(deleteMessages, input);
        removed.push(batch.deleted);
        if (batch.next === null) return removed;
        after = batch.next;
      }
      throw new Error("no end");
    };
    const first = await delivered(store);
    const second = await delivered(store);
    const third = await delivered(store);
    const mails = [...first.ids, ...second.ids, ...third.ids];
    // 4 MiB fit into a batch: two of these mails, and one that is larger goes alone.
    const sizes = [2_000_000, 2_000_000, 2_000_000, 5_000_000, 10, 10];
    for (const [i, size] of sizes.entries())
      await store.query("update email_bodies set body = ? where message_id = ?", "x".repeat(size), mails[i]!);
    assert.deepEqual(await batches(mails), [2, 1, 1, 2]);

    const long = await delivered(store);
    const other = await delivered(store);
    await store.query("update messages set version = 3000 where id >= ?", long.ids[0]!);
    assert.deepEqual(await batches([...long.ids, ...other.ids]), [1, 1, 1, 1]);
  });
});
