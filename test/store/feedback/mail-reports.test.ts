// Reports on mails to several, applied to a locked message: who is counted as bounced or reached, and that a mail that was never sent
// has no reports.

import assert from "node:assert/strict";
import test from "node:test";
import type { RecipientBatch } from "#store/email/mail-recipients.ts";
import { applyToMail } from "#store/feedback/mail-reports.ts";
import { type LockedMessage, TransitionBatch } from "#store/messages/transitions.ts";
import type { MailRecipientsTable } from "#store/schema/email.ts";

const rows: MailRecipientsTable[] = ["ada", "bob"].map((name, position) => ({
  ...{ message_id: "msg_1", position, field: "to", address: `${name}@example.com` },
  ...{ recipient: `${name}@example.com`, status: null, error_code: null, error_message: null },
}));

function applied(recipient: string | null, attempts = 1) {
  const changed: string[] = [];
  const batch = { changed: (row: MailRecipientsTable) => void changed.push(row.recipient) };
  const message = {
    ...{ id: "msg_1", account_id: "acc_1", recipient: "ada@example.com", channel: "email" },
    ...{ status: "sent", attempts, version: 1, cost: 2 },
  } as unknown as LockedMessage;
  const details = { at: 1, detail: "No such user", code: "5.1.1", message: "No such user" };
  const reports = applyToMail(
    new TransitionBatch(),
    message,
    { step: "bounced", details, bounce: "hard", recipient },
    structuredClone(rows),
    batch as unknown as RecipientBatch,
  );
  return {
    changed,
    status: message.status,
    version: message.version,
    bounced: reports.map((report) => [report.message.recipient, report.verdict]),
  };
}

test("a bounce counts for the address that it names", () => {
  assert.deepEqual(applied("bob@example.com"), {
    changed: ["bob@example.com"],
    status: "sent",
    version: 2,
    bounced: [["bob@example.com", "hard"]],
  });
});

test("a bounce without an address counts for no one, and is in the timeline", () => {
  assert.deepEqual(applied(null), { changed: [], status: "sent", version: 2, bounced: [] });
});

test("a mail without an attempt has no reports", () => {
  assert.deepEqual(applied("bob@example.com", 0), { changed: [], status: "sent", version: 1, bounced: [] });
});
