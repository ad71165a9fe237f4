// Mailboxes as callers write them, and texts in which two readers could see two recipients.

import assert from "node:assert/strict";
import test from "node:test";
import { readMailbox } from "#contract/mailbox.ts";

const mailboxes: [text: string, name: string | null, address: string][] = [
  ["ada@example.com", null, "ada@example.com"],
  [" Ada Byron <ada@example.com> ", "Ada Byron", "ada@example.com"],
  ["<ada@example.com>", null, "ada@example.com"],
  ['"" <ada@example.com>', null, "ada@example.com"],
  ['"Byron, \\"Ada\\"" < ada@example.com >', 'Byron, "Ada"', "ada@example.com"],
  ["Byron, Ada <ada@example.com>", "Byron, Ada", "ada@example.com"],
  ['Ada "Countess" Byron <ada@example.com>', 'Ada "Countess" Byron', "ada@example.com"],
  ["ada@example.com <ada@example.com>", "ada@example.com", "ada@example.com"],
  ['"a@b.example, <c@d.example>" <ada@example.com>', "a@b.example, <c@d.example>", "ada@example.com"],
  ["Ada <ada@example.com", null, "Ada <ada@example.com"],
  ["Jörg <j@example.com>", "Jörg", "j@example.com"],
];
for (const [text, name, address] of mailboxes)
  test(`a mailbox: ${text}`, () => {
    assert.deepEqual(readMailbox(text), { name, address });
  });

for (const text of [
  "a@b.example, Ada <ada@example.com>",
  "a@b.example; Ada <ada@example.com>",
  "Bob <a@b.example>, Ada <ada@example.com>",
  '"Bob" <a@b.example>, "Ada" <ada@example.com>',
  'a@b.example, "Ada" <ada@example.com>',
  "a <b> <ada@example.com>",
  "a> <ada@example.com>",
])
  test(`more than one mailbox: ${text}`, () => {
    assert.equal(readMailbox(text), null);
  });
