// A preview of a send: the rows that acceptance would store, contact by contact.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import { readSms } from "#contract/messages/sms.ts";
import { previewSend } from "#messaging/accept/preview.ts";
import { createIds } from "#runtime/ids.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { seededRandom } from "../../harness.ts";

const account = {
  id: "acc_1",
  timeZone: "UTC",
  country: "DE",
  gateways: [
    {
      id: "gw_1",
      identifier: "one",
      channel: "sms",
      kind: "http-api",
      contents: ["text"],
      active: true,
      isDefault: true,
      test: false,
    },
  ],
} as unknown as Account;

const preview = (contact: object[]) => {
  const clock = movableClock();
  const deps = { clock, newIds: createIds(clock, seededRandom()).many };
  return previewSend(deps, {
    account,
    channel: "sms",
    send: readSms({ contact }, { maxContacts: 100 }),
  });
};

const good = { number: "0151 2345678", message: "x".repeat(161) };

test("a contact with issues does not hide what would become of the others, whose places stay", async () => {
  const { messages, issues } = await preview([
    { number: "x", message: "Hi" },
    good,
    { ...good, message: "" },
    { ...good, message: "Hi" },
  ]);
  assert.deepEqual(
    messages.map((row) => row && [row.recipient, row.gateway_id, row.segments, row.cost]),
    [null, ["+491512345678", "gw_1", 2, 2], null, ["+491512345678", "gw_1", 1, 1]],
  );
  assert.deepEqual(
    issues.map(({ path }) => path.join(".")),
    ["contact.2.message", "contact.0.number"],
  );
});

test("without issues it has every row, and an issue of the request is about no contact", async () => {
  const { messages, issues } = await preview([good]);
  assert.deepEqual([messages.length, messages[0]?.status, issues], [1, "queued", []]);
  const clock = movableClock();
  const deps = { clock, newIds: createIds(clock, seededRandom()).many };
  const { contacts } = readSms({ contact: [good] }, { maxContacts: 100 });
  const whole = { path: ["attachments"], message: "No files." };
  const other = await previewSend(deps, {
    account,
    channel: "sms",
    send: { contacts, issues: [whole] },
  });
  assert.deepEqual([other.messages[0]?.recipient, other.issues], ["+491512345678", [whole]]);
});
