// Emails on both engines: their own columns and bodies in lookups, and what a lane reads of one when it goes out.

import assert from "node:assert/strict";
import test from "node:test";
import type { Tx } from "#store/database.ts";
import { storeChunk } from "#store/email/attachments.ts";
import {
  type EmailFile,
  maxPageBodyBytes,
  readEmail,
  readEmailFiles,
  readFileChunks,
  withEmailBodies,
  withEmailColumns,
} from "#store/email/emails.ts";
import { readDue } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { findMessage, type RecentMessages, recentMessages } from "#store/messages/lookup.ts";
import type { NewEmail } from "#store/messages/send.ts";
import { onBothEngines } from "../conformance.ts";
import {
  columnsOf,
  fresh,
  makeAccount,
  makeGateway,
  makeMessages,
  messageRow,
  now,
  sendOf,
} from "../rows.ts";

test("a page without an email costs no statement", async () => {
  const rows = [{ id: "msg_1", channel: "sms" as const, request_id: "req_1" }];
  const noStatement = {} as Tx;
  assert.deepEqual(await withEmailColumns(noStatement, rows), rows);
  const shown = rows.map((row) => ({ ...row, body: "Hi" }));
  assert.deepEqual(await withEmailBodies(noStatement, shown, 1), { rows: shown, bytesLeft: 1 });
});

onBothEngines((store) => {
  test("lookups show an email whole, with the files of its request in their order", async () => {
    const { database } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const files = [];
    for (const filename of ["b.pdf", "a.pdf"]) {
      const id = fresh("att");
      await database.run(storeChunk, { id, accountId, seq: 0, content: "QUJD", at: now });
      files.push({ id, filename, content_type: "application/pdf", size: 3, sha256: "00" });
    }
    const send = sendOf(accountId, gatewayId, {
      channel: "email",
      each: { encoding: null, segments: null, recipient_raw: "A@example.com", recipient: "a@example.com" },
    });
    const id = send.messages[0]!.id;
    const emails: NewEmail[] = [
      { message_id: id, subject: "Hello", sender_name: "Ada", reply_to: "b@example.com", extras: null },
    ];
    await database.run(storeSends, { ...send, emails, attachments: files });

    const one = await database.run(findMessage, { accountId, channel: "email", id });
    const own = await database.run(findMessage, { accountId, channel: null, id });
    const page = { accountId, channel: "email", status: null, before: null, limit: 5 } as const;
    const [recent] = (await database.run(recentMessages, page)).rows;
    for (const message of [one?.message, own?.message, recent]) {
      assert.ok(message);
      const { subject, sender_name, reply_to, opened_at, open_count, attachments } = message;
      assert.deepEqual(
        { subject, sender_name, reply_to, opened_at, open_count, attachments },
        {
          subject: "Hello",
          sender_name: "Ada",
          reply_to: "b@example.com",
          opened_at: null,
          open_count: 0,
          attachments: ["b.pdf", "a.pdf"].map((filename) => ({
            filename,
            size: 3,
            content_type: "application/pdf",
          })),
        },
      );
    }
  });

  test("a body is stored apart from the row of its message, and lookups show it", async () => {
    const { database, query } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const send = sendOf(accountId, gatewayId, { channel: "email", count: 2 });
    send.messages[1]!.body = "Grüße";
    await database.run(storeSends, send);
    const [first, second] = send.messages.map(({ id }) => id) as [string, string];
    for (const id of [first, second]) assert.equal((await messageRow(store(), id)).body, "");
    const kept = await query<{ body: string }>("select body from email_bodies where message_id = ?", second);
    assert.deepEqual(
      kept.map(({ body }) => body),
      ["Grüße"],
    );
    const one = await database.run(findMessage, { accountId, channel: "email", id: second });
    const own = await database.run(findMessage, { accountId, channel: null, id: first });
    assert.deepEqual([one?.message.body, own?.message.body], ["Grüße", "Hello 0"]);
  });

  test("a page of emails has room for 8 MiB of bodies, and for one message of any size", async () => {
    const { database } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const ids: string[] = [];
    // In bytes, and the last ones are the newest. A half and two bytes more than a half have no room together.
    for (const size of [1, maxPageBodyBytes + 2, 3, maxPageBodyBytes / 2 + 2, maxPageBodyBytes / 2]) {
      const send = sendOf(accountId, gatewayId, { channel: "email", each: { body: "x".repeat(size) } });
      await database.run(storeSends, send);
      ids.push(send.messages[0]!.id);
    }
    ids.reverse();
    const pages: [number[], boolean][] = [];
    for (let before: string | null = null; pages.length < 9; ) {
      const { rows, more }: RecentMessages = await database.run(recentMessages, {
        accountId,
        channel: "email" as const,
        status: null,
        before,
        limit: 4,
      });
      pages.push([rows.map(({ id }) => ids.indexOf(id)), more]);
      before = rows.at(-1)!.id;
      if (!more) break;
    }
    assert.deepEqual(pages, [
      [[0], true],
      [[1, 2], true],
      [[3], true],
      [[4], false],
    ]);
  });

  test("an SMS has nothing of it", async () => {
    const { accountId, ids } = await makeMessages(store().database);
    const found = await store().database.run(findMessage, { accountId, channel: null, id: ids[0]! });
    assert.ok(found && !("subject" in found.message) && !("attachments" in found.message));
  });
});

onBothEngines((open) => {
  test("a mail comes with what it says and with its files; the lane reads no body ahead", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const files: EmailFile[] = [];
    for (const filename of ["b.pdf", "a.pdf"]) {
      const id = fresh("att");
      for (let seq = 0; seq < 5; seq++)
        await database.run(storeChunk, { id, accountId, seq, content: `piece${seq}`, at: now });
      files.push({
        id,
        filename,
        content_type: "application/pdf",
        size: 30,
        sha256: `of ${filename}`,
        content_id: null,
      });
    }
    const send = sendOf(accountId, gatewayId, {
      channel: "email",
      count: 2,
      each: { encoding: null, segments: null, body: "<p>Grüße</p>" },
    });
    const [first, second] = columnsOf(send.messages).id as [string, string];
    const emails: NewEmail[] = [
      {
        message_id: first,
        subject: "One",
        sender_name: "The Shop",
        reply_to: "reply@shop.test",
        extras: null,
      },
      { message_id: second, subject: "Two", sender_name: null, reply_to: null, extras: null },
    ];
    await database.run(storeSends, { ...send, emails, attachments: files });

    const mail = await database.run(readEmail, first);
    assert.deepEqual(
      { ...mail },
      {
        id: first,
        account_id: accountId,
        request_id: send.requestId,
        recipient: columnsOf(send.messages).recipient[0],
        body: "<p>Grüße</p>",
        subject: "One",
        sender_name: "The Shop",
        reply_to: "reply@shop.test",
        extras: null,
        text_part: null,
      },
    );
    assert.equal((await database.run(readEmail, second))?.subject, "Two");
    assert.equal(await database.run(readEmail, "msg_none"), null);

    const found = await database.run(readEmailFiles, send.requestId);
    assert.deepEqual(
      found.map((file) => ({ ...file })),
      files,
    );
    const pieces = (from: number, limit: number) =>
      database.run(readFileChunks, { id: files[0]!.id, from, limit });
    assert.deepEqual(await pieces(0, 2), ["piece0", "piece1"]);
    assert.deepEqual(await pieces(3, 4), ["piece3", "piece4"]);
    assert.deepEqual(await pieces(5, 4), []);

    const ahead = { laneId: gatewayId, priority: send.priority, now: now + 1, after: null, limit: 10 };
    const due = await database.run(readDue, ahead);
    assert.deepEqual(
      due.map(({ id, body }) => ({ id, body })),
      [
        { id: first, body: "" },
        { id: second, body: "" },
      ],
    );
  });
});
