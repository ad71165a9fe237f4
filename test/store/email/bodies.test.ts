// What a lane reads of a mail when it goes out: the body as it was given, and its files piece by piece.

import assert from "node:assert/strict";
import test from "node:test";
import { stagePiece } from "#store/email/attachments.ts";
import { type MailFile, readMail, readMailFilePieces, readMailFiles } from "#store/email/bodies.ts";
import { readDue } from "#store/messages/attempts.ts";
import { type NewEmail, storeSends } from "#store/messages/insert.ts";
import { onBothEngines } from "../conformance.ts";
import { columnsOf, fresh, makeAccount, makeGateway, now, sendOf } from "../rows.ts";

onBothEngines((open) => {
  test("a mail comes with what it says and with its files; the lane reads no body ahead", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId, { channel: "email" });
    const files: MailFile[] = [];
    for (const filename of ["b.pdf", "a.pdf"]) {
      const id = fresh("att");
      for (let seq = 0; seq < 5; seq++)
        await database.run(stagePiece, { id, accountId, seq, content: `piece${seq}`, at: now });
      files.push({ id, filename, content_type: "application/pdf", size: 30, sha256: `of ${filename}` });
    }
    const send = sendOf(accountId, gatewayId, {
      channel: "email",
      count: 2,
      each: { encoding: null, segments: null, body: "<p>Grüße</p>" },
    });
    const [first, second] = columnsOf(send.messages).id as [string, string];
    const emails: NewEmail[] = [
      [first, "One", "The Shop", "reply@shop.test"],
      [second, "Two", null, null],
    ];
    await database.run(storeSends, { ...send, emails, attachments: files });

    const mail = await database.run(readMail, first);
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
      },
    );
    assert.equal((await database.run(readMail, second))?.subject, "Two");
    assert.equal(await database.run(readMail, "msg_none"), null);

    const found = await database.run(readMailFiles, send.requestId);
    assert.deepEqual(
      found.map((file) => ({ ...file })),
      files,
    );
    const pieces = (from: number, limit: number) =>
      database.run(readMailFilePieces, { id: files[0]!.id, from, limit });
    assert.deepEqual(await pieces(0, 2), ["piece0", "piece1"]);
    assert.deepEqual(await pieces(3, 4), ["piece3", "piece4"]);
    assert.deepEqual(await pieces(5, 4), []);

    const ahead = { laneId: gatewayId, band: send.band, now: now + 1, after: null, limit: 10 };
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
