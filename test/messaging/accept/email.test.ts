// The rules of an email that need its account, and the rows that it becomes.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import { type EmailSend, readEmail } from "#contract/messages/email.ts";
import { prepareEmail } from "#messaging/accept/email.ts";
import { columnsOf } from "../../store/rows.ts";

const now = Date.UTC(2026, 2, 1, 12);
const gateways = ["main", "sandbox"].map((identifier) => ({
  id: `gw_${identifier}`,
  identifier,
  channel: "email" as const,
  kind: identifier,
  contents: ["email"] as const,
  active: true,
  isDefault: identifier === "main",
  test: identifier === "sandbox",
}));
const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "UTC",
  country: null,
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways,
};

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}_${i}`);
const read = (...contact: object[]): EmailSend => readEmail({ contact }, { maxContacts: 10_000 });
let turns = 0;
const yieldToEventLoop = async () => {
  turns += 1;
};
const prepare = (send: EmailSend, of = account) =>
  prepareEmail(of, send, { now, newIds: ids, yieldToEventLoop });
const mail = { email: "Ada@EXÄMPLE.com", subject: "Hello", message: "<p>Hi</p>" };

test("an email is its address as given, how it is compared, and a price of one", async () => {
  const send = read(
    { ...mail, sender_name: "A @ B", reply_to_email: "b@example.com" },
    { ...mail, gateway_identifier: "sandbox" },
  );
  const prepared = await prepare(send);
  assert.ok(prepared.kind === "ready");
  const {
    recipient_raw,
    recipient,
    body,
    encoding,
    segments,
    cost,
    test: isTest,
  } = columnsOf(prepared.messages);
  assert.deepEqual(recipient_raw, ["Ada@EXÄMPLE.com", "Ada@EXÄMPLE.com"]);
  assert.deepEqual(recipient, ["ada@xn--exmple-cua.com", "ada@xn--exmple-cua.com"]);
  assert.deepEqual(body, [mail.message, mail.message]);
  assert.deepEqual(
    [encoding, segments],
    [
      [null, null],
      [null, null],
    ],
  );
  assert.deepEqual(
    [cost, isTest],
    [
      [1, 0],
      [0, 1],
    ],
  );
  assert.deepEqual(prepared.emails, [
    { message_id: "msg_0", subject: "Hello", sender_name: "A @ B", reply_to: "b@example.com", extras: null },
    { message_id: "msg_1", subject: "Hello", sender_name: null, reply_to: null, extras: null },
  ]);
});

test("faults of the body and of the account come together", async () => {
  const prepared = await prepare(read({ ...mail, email: "x" }, { ...mail, gateway_identifier: "unknown" }));
  assert.ok(prepared.kind === "invalid");
  assert.deepEqual(
    prepared.issues.map(({ path }) => path.join(".")),
    ["contact.0.email", "contact.1.gateway_identifier"],
  );
});

test("others get a turn between slices of a large request", async () => {
  turns = 0;
  await prepare(read(...Array.from({ length: 2_500 }, () => mail)));
  assert.equal(turns, 2);
});
