// How a send crosses to the thread of SQLite, and what it takes.

import assert from "node:assert/strict";
import test from "node:test";
import { GatheredTexts, textsOf } from "#store/engine/sqlite/long-texts.ts";
import { bytesOfSend, sendCodec } from "#store/messages/send.ts";
import { sendOf } from "../rows.ts";

test("a send crosses to the thread of SQLite as values, and comes back as it was", () => {
  const sms = sendOf("acc_1", "gw_1", { count: 3, each: { scheduled_for: null } });
  const mails = sendOf("acc_1", "gw_1", { channel: "email", each: { encoding: null, segments: null } });
  const emails = [
    { message_id: mails.messages[0]!.id, subject: "Hello", sender_name: null, reply_to: null, extras: null },
  ];
  const long = sendOf("acc_1", "gw_1", { count: 2, each: { body: "Ж\u{1f600}\ud800".repeat(1_000) } });
  for (const send of [sms, { ...mails, emails, attachments: [] }, long]) {
    const texts = new GatheredTexts();
    const text: string = JSON.stringify(sendCodec.encode(send, texts));
    assert.doesNotMatch(text, /recipient_raw|sender_name|Ж/);
    const decoded = sendCodec.decode(JSON.parse(text), textsOf(texts.bytes()));
    // Half of a character is no character in a database, either.
    assert.deepEqual(decoded, JSON.parse(JSON.stringify(send).replaceAll("\\ud800", "\ufffd")));
  }
});

test("a send takes two bytes for each character of its bodies", () => {
  assert.equal(bytesOfSend(sendOf("acc_1", "gw_1", { count: 3, each: { body: "Жä x" } })), 3 * 2 * 4);
});
