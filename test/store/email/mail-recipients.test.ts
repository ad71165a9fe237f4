// What a report on one recipient means for a mail to several. The statements are in test/scenarios/whole-mail.test.ts, on both engines.

import assert from "node:assert/strict";
import test from "node:test";
import { applyToRecipient, stepOfAll } from "#store/email/mail-recipients.ts";
import type { MailRecipientsTable } from "#store/schema/email.ts";

type Status = MailRecipientsTable["status"];

const rowsOf = (...statuses: Status[]): MailRecipientsTable[] =>
  statuses.map((status, position) => ({
    ...{ message_id: "msg_1", position, field: "to", address: `R${position}@example.com` },
    ...{ recipient: `r${position}@example.com`, status, error_code: null, error_message: null },
  }));

test("a mail is sent until all of its recipients have ended, and then the best of them", () => {
  const cases: [Status[], string][] = [
    [[null, "bounced"], "sent"],
    [["delivered", "bounced"], "delivered"],
    [["bounced", "failed", "suppressed"], "bounced"],
    [["undelivered", "failed"], "undelivered"],
    [["failed", "suppressed"], "failed"],
  ];
  for (const [statuses, step] of cases) assert.equal(stepOfAll(rowsOf(...statuses)), step);
});

test("a report changes the recipient that it names, and only forward", () => {
  const rows = rowsOf(null, null);
  const report = (step: "delivered" | "bounced" | "sent" | "failed", recipient: string | null) => {
    const { kind, row } = applyToRecipient(rows, { step, recipient, code: "5.1.1", message: "No" });
    return [kind, row?.position ?? null, ...rows.map(({ status }) => status)];
  };
  assert.deepEqual(report("delivered", null), ["entry", null, null, null]);
  assert.deepEqual(report("bounced", "x@example.com"), ["entry", null, null, null]);
  assert.deepEqual(report("sent", "r0@example.com"), ["step", null, null, null]);
  assert.deepEqual(report("failed", null), ["step", null, null, null]);
  assert.deepEqual(report("delivered", "r0@example.com"), ["step", 0, "delivered", null]);
  assert.deepEqual(report("failed", "r0@example.com"), ["entry", 0, "delivered", null]);
  assert.deepEqual(report("bounced", "r1@example.com"), ["step", 1, "delivered", "bounced"]);
  assert.deepEqual([rows[1]?.error_code, rows[0]?.error_code], ["5.1.1", null]);
});
