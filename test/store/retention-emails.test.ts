// Retention of emails: what a mail has beside its message goes with it, and the files with their request, on both
// engines.

import assert from "node:assert/strict";
import test from "node:test";
import { type NewEmail, storeSends } from "#store/accept.ts";
import { emptyFile, findLooseFiles, stagePiece } from "#store/attachments.ts";
import { removeMessages } from "#store/retention.ts";
import { onBothEngines, type Store } from "./conformance.ts";
import { columnsOf, fresh, makeAccount, makeGateway, now, sendOf } from "./rows.ts";

const later = now + 86_400_000;

/** Two delivered emails of one request, with a file that is still full and one that was emptied. */
async function delivered(store: Store) {
  const { database } = store;
  const accountId = await makeAccount(database);
  const gatewayId = await makeGateway(database, accountId, { channel: "email" });
  const files = [];
  for (const filename of ["full.pdf", "empty.pdf"]) {
    const id = fresh("att");
    await database.run(stagePiece, { id, accountId, seq: 0, content: "QUJD", at: now });
    files.push({ id, filename, content_type: "application/pdf", size: 3, sha256: "00" });
  }
  const each = { encoding: null, segments: null };
  const send = sendOf(accountId, gatewayId, { channel: "email", count: 2, each });
  const ids = columnsOf(send.messages).id;
  const emails = ids.map((id): NewEmail => [id, "Hello", null, null]);
  await database.run(storeSends, { ...send, emails, attachments: files });
  await database.run(emptyFile, { id: files[1]!.id, at: now });
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
      store.database.run(removeMessages, {
        after: ids[0]!.replace(/\d$/, ""),
        before,
        unchangedSince: later,
        limit: 100,
      });
    assert.equal((await remove(ids[1]!)).removed, 1);
    for (const table of ["emails", "email_bodies", "engagements"]) {
      assert.equal(await count(store, `${table} where message_id = ?`, ids[0]!), 0, table);
      assert.equal(await count(store, `${table} where message_id = ?`, ids[1]!), 1, table);
    }
    assert.equal(await count(store, "attachments where request_id = ?", requestId), 2);

    assert.equal((await remove(`${ids[1]}0`)).removed, 1);
    assert.equal(await count(store, "requests where id = ?", requestId), 0);
    for (const table of ["emails", "email_bodies"])
      assert.equal(await count(store, `${table} where message_id = ?`, ids[1]!), 0, table);
    assert.equal(await count(store, "attachments where id = ?", empty), 0);
    assert.deepEqual(await store.database.run(findLooseFiles, { before: later, limit: 5 }), [full]);
  });
});
