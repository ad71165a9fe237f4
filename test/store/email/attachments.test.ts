// Files of mails in the store: staged, bound, emptied, removed, on both engines.

import assert from "node:assert/strict";
import test from "node:test";
import {
  deleteFileContent,
  deleteUnboundFile,
  findUnboundFiles,
  findUnneededFiles,
  storeChunk,
  type UploadedFile,
  unboundTtlMs,
} from "#store/email/attachments.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { NewEmail } from "#store/messages/send.ts";
import type { AttachmentsTable } from "#store/schema/email.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { columnsOf, fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

/** A staged file of so many pieces. */
async function stage(store: Store, options: { pieces?: number; at?: number } = {}): Promise<UploadedFile> {
  const { pieces = 2, at = now } = options;
  const id = fresh("att");
  for (let seq = 0; seq < pieces; seq++) {
    await store.database.run(storeChunk, { id, accountId: null, seq, content: "QUJD", at });
  }
  return { id, filename: "a.pdf", content_type: "application/pdf", size: 3 * pieces, sha256: "00" };
}

async function emailSend(store: Store, attachments: readonly UploadedFile[], each: object = {}) {
  const accountId = await makeAccount(store.database);
  const gatewayId = await makeGateway(store.database, accountId, { channel: "email" });
  const email = { recipient: "a@example.com", number: "a@example.com", encoding: null, segments: null };
  const send = sendOf(accountId, gatewayId, { channel: "email", count: 2, each: { ...email, ...each } });
  const emails = columnsOf(send.messages).id.map(
    (id): NewEmail => ({ message_id: id, subject: "Hello", sender_name: null, reply_to: null, extras: null }),
  );
  return { ...send, emails, attachments };
}

const row = async (store: Store, id: string) =>
  (await store.query<AttachmentsTable>("select * from attachments where id = ?", id))[0];
const pieces = async (store: Store, id: string) =>
  (await store.query("select seq from attachment_chunks where attachment_id = ?", id)).length;

async function whole(step: () => Promise<boolean>): Promise<number> {
  for (let steps = 1; ; steps++) if (await step()) return steps;
}

onBothEngines((store) => {
  test("a file is loose until its request is stored, and then belongs to it", async () => {
    const file = await stage(store());
    assert.equal((await row(store(), file.id))?.request_id, null);
    const send = await emailSend(store(), [await stage(store()), file]);
    assert.deepEqual(await store().database.run(storeSends, send), { kind: "stored" });
    const bound = await row(store(), file.id);
    const { id: _, ...columns } = file;
    assert.deepEqual(
      { ...bound },
      {
        ...bound,
        ...columns,
        request_id: send.requestId,
        account_id: send.accountId,
        position: 1,
        first_id: send.messages[0]!.id,
        last_id: send.messages[1]!.id,
        content_deleted_at: null,
      },
    );
    const mails = await store().query("select subject from emails where account_id = ?", send.accountId);
    assert.equal(mails.length, 2);
    // It is no loose one any more, for every asker.
    assert.equal(await store().database.run(deleteUnboundFile, { id: file.id, at: now }), true);
    assert.equal(await pieces(store(), file.id), 2);
  });

  test("a send whose file is gone, taken or too old is not stored, and its key is free", async () => {
    const taken = await stage(store());
    await store().database.run(storeSends, await emailSend(store(), [taken]));
    const missing = { ...taken, id: fresh("att") };
    const old = await stage(store(), { at: now - unboundTtlMs / 2 });
    for (const file of [missing, taken, old]) {
      const repeat = { path: "/p", key: fresh("key"), fingerprint: "f" };
      const send = { ...(await emailSend(store(), [await stage(store()), file])), repeat };
      assert.deepEqual(await store().database.run(storeSends, send), { kind: "file_gone" });
      for (const table of ["messages", "emails", "idempotency_keys"]) {
        const rows = await store().query(`select 1 from ${table} where account_id = ?`, send.accountId);
        assert.equal(rows.length, 0, table);
      }
    }
  });

  test("loose files are found when they are old, and go in small steps", async () => {
    const file = await stage(store(), { pieces: 20, at: 1_000 });
    const find = (before: number) => store().database.run(findUnboundFiles, { before, limit: 10 });
    assert.deepEqual(await find(1_000), []);
    assert.deepEqual(await find(1_001), [file.id]);
    const steps = await whole(() => store().database.run(deleteUnboundFile, { id: file.id, at: now }));
    assert.equal(steps, 3);
    assert.equal(await row(store(), file.id), undefined);
    assert.equal(await pieces(store(), file.id), 0);
  });

  test("a file whose removal has begun is not bound any more, by any clock, and goes whole", async () => {
    const { database, other } = store();
    const file = await stage(store(), { pieces: 20 });
    const sends = [await emailSend(store(), [file]), await emailSend(store(), [file])];
    assert.equal(await database.run(deleteUnboundFile, { id: file.id, at: now + 1 }), false);
    assert.equal((await row(store(), file.id))?.content_deleted_at, now + 1);
    assert.deepEqual(await database.run(storeSends, sends[0]!), { kind: "file_gone" });
    // The mark is that of the first step.
    assert.equal(await other.run(deleteUnboundFile, { id: file.id, at: now + 2 }), false);
    assert.equal((await row(store(), file.id))?.content_deleted_at, now + 1);
    assert.deepEqual(await other.run(storeSends, sends[1]!), { kind: "file_gone" });
    await whole(() => database.run(deleteUnboundFile, { id: file.id, at: now + 3 }));
    assert.equal(await row(store(), file.id), undefined);
    assert.equal(await pieces(store(), file.id), 0);
  });

  test("a binding and a removal at once: the file is bound and whole, or the send is not stored", async () => {
    const { database, other } = store();
    for (let round = 0; round < 10; round++) {
      const file = await stage(store(), { pieces: 9 });
      const send = await emailSend(store(), [file]);
      const remove = () => other.run(deleteUnboundFile, { id: file.id, at: now });
      const [stored, gone] = await Promise.all([database.run(storeSends, send), remove()]);
      assert.equal(gone, stored.kind === "stored");
      assert.equal(stored.kind, gone ? "stored" : "file_gone");
      assert.equal(await pieces(store(), file.id), gone ? 9 : 1);
    }
  });

  test("a file without content has a row and no piece", async () => {
    const id = fresh("att");
    await store().database.run(storeChunk, { id, accountId: null, seq: 0, content: "", at: now });
    assert.ok(await row(store(), id));
    assert.equal(await pieces(store(), id), 0);
    assert.equal(await store().database.run(deleteUnboundFile, { id, at: now }), true);
    assert.equal(await row(store(), id), undefined);
  });

  for (const [status, needed] of [
    ["queued", true],
    ["scheduled", true],
    ["sending", true],
    ["unknown", true],
    ["delivered", false],
    ["bounced", false],
    ["cancelled", false],
  ] as const) {
    test(`while a message is ${status}, its file is ${needed ? "" : "not "}needed`, async () => {
      const file = await stage(store(), { pieces: 9 });
      const send = await emailSend(store(), [file]);
      await store().database.run(storeSends, send);
      const [first, second] = columnsOf(send.messages).id;
      const set = "update messages set status = ? where id = ? returning id";
      await store().query(set, "failed", first!);
      await store().query(set, status, second!);
      const unneeded = async () => {
        const found: string[] = [];
        for (let after: string | null = ""; after !== null; ) {
          const page: { unneeded: string[]; next: string | null } = await store().database.run(
            findUnneededFiles,
            { after, limit: 2 },
          );
          found.push(...page.unneeded);
          after = page.next;
        }
        return found;
      };
      assert.equal((await unneeded()).includes(file.id), !needed);
      if (needed) return;
      await whole(() => store().database.run(deleteFileContent, { id: file.id, at: now + 5 }));
      assert.equal(await pieces(store(), file.id), 0);
      assert.equal((await row(store(), file.id))?.content_deleted_at, now + 5);
      assert.equal((await unneeded()).includes(file.id), false);
    });
  }
});
