// Mailboxes as callers write them, and texts in which two readers could see two recipients.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readMailbox, readMailboxes, writeMailbox } from "#contract/mailbox.ts";

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

const ada = { name: "Ada", address: "ada@example.com" };
const lists: [text: string, mailboxes: ReturnType<typeof readMailboxes>][] = [
  ["ada@example.com", [{ name: null, address: "ada@example.com" }]],
  ["Ada <ada@example.com>, b@c.example", [ada, { name: null, address: "b@c.example" }]],
  ["Ada <ada@example.com>,Ada <ada@example.com>,", [ada, ada]],
  ["Byron, Ada <ada@example.com>", [{ name: "Byron, Ada", address: "ada@example.com" }]],
  ['"Byron, Ada" <ada@example.com>, Ada <ada@example.com>', [{ ...ada, name: "Byron, Ada" }, ada]],
  ["", []],
  ["Ada <ada@example.com>, a <b> <c@d.example>", null],
];
for (const [text, expected] of lists)
  test(`a list of mailboxes: ${text}`, () => {
    assert.deepEqual(readMailboxes(text), expected);
  });

test("every mailbox and every list of them is read as it was written", () => {
  const special = fc.constantFrom('"', "\\", "<", ">", ",", ";", "@", "(", " ", "=?", "é");
  const name = fc.array(fc.oneof(special, fc.string({ maxLength: 4 })), { minLength: 1, maxLength: 6 });
  const mailbox = fc.record(
    {
      name: fc.option(name.map((pieces) => pieces.join("")).filter((text) => text !== "")),
      address: fc.constantFrom("ada@example.com", "b@c.example"),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(mailbox, { minLength: 1, maxLength: 5 }), (mailboxes) => {
      for (const each of mailboxes) assert.deepEqual(readMailbox(writeMailbox(each)), each);
      assert.deepEqual(readMailboxes(mailboxes.map(writeMailbox).join(", ")), mailboxes);
    }),
  );
});
