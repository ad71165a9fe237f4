// Rows of emails with what they have beside their message, on both engines; rows of other channels ask nothing.

import assert from "node:assert/strict";
import test from "node:test";
import type { Tx } from "#store/database.ts";
import { stagePiece } from "#store/email/attachments.ts";
import { bodyBytes, wholeEmails, withEmails } from "#store/email/emails.ts";
import { type NewEmail, storeSends } from "#store/messages/insert.ts";
import { findMessage, type RecentMessages, recentMessages } from "#store/messages/lookup.ts";
import { findOwnMessage } from "#store/messages/search.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, makeMessages, messageRow, now, sendOf } from "../rows.ts";

test("a page without an email costs no statement", async () => {
  const rows = [{ id: "msg_1", channel: "sms" as const, request_id: "req_1" }];
  const noStatement = {} as Tx;
  assert.deepEqual(await withEmails(noStatement, rows), rows);
  const shown = rows.map((row) => ({ ...row, body: "Hi" }));
  assert.deepEqual(await wholeEmails(noStatement, shown, 1), { rows: shown, bytesLeft: 1 });
});

onBothEngines((store) => {
  test("lookups show an email whole, with the files of its request in their order", async () => {
    const { database } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const files = [];
    for (const filename of ["b.pdf", "a.pdf"]) {
      const id = fresh("att");
      await database.run(stagePiece, { id, accountId, seq: 0, content: "QUJD", at: now });
      files.push({ id, filename, content_type: "application/pdf", size: 3, sha256: "00" });
    }
    const send = sendOf(accountId, gatewayId, {
      channel: "email",
      each: { encoding: null, segments: null, number: "A@example.com", recipient: "a@example.com" },
    });
    const id = send.messages[0]![0];
    const emails: NewEmail[] = [[id, "Hello", "Ada", "b@example.com"]];
    await database.run(storeSends, { ...send, emails, attachments: files });

    const one = await database.run(findMessage, { accountId, channel: "email", id });
    const own = await database.run(findOwnMessage, { accountId, id });
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

  test("a body stands apart from the row of its message, and lookups show it", async () => {
    const { database, query } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const send = sendOf(accountId, gatewayId, { channel: "email", count: 2 });
    send.messages[1]![5] = "Grüße";
    await database.run(storeSends, send);
    const [first, second] = send.messages.map(([id]) => id) as [string, string];
    for (const id of [first, second]) assert.equal((await messageRow(store(), id)).body, "");
    const kept = await query<{ body: string }>("select body from email_bodies where message_id = ?", second);
    assert.deepEqual(
      kept.map(({ body }) => body),
      ["Grüße"],
    );
    const one = await database.run(findMessage, { accountId, channel: "email", id: second });
    const own = await database.run(findOwnMessage, { accountId, id: first });
    assert.deepEqual([one?.message.body, own?.message.body], ["Grüße", "Hello 0"]);
  });

  test("a page of emails has room for 8 MiB of bodies, and for one message whatever its size", async () => {
    const { database } = store();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const ids: string[] = [];
    // In bytes, and the last ones are the newest. A half and two bytes more than a half have no room together.
    for (const size of [1, bodyBytes + 2, 3, bodyBytes / 2 + 2, bodyBytes / 2]) {
      const send = sendOf(accountId, gatewayId, { channel: "email", each: { body: "x".repeat(size) } });
      await database.run(storeSends, send);
      ids.push(send.messages[0]![0]);
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
    const found = await store().database.run(findOwnMessage, { accountId, id: ids[0]! });
    assert.ok(found && !("subject" in found.message) && !("attachments" in found.message));
  });
});
