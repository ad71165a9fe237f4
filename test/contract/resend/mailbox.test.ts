// Addresses as Resend's clients write them.

import assert from "node:assert/strict";
import test from "node:test";
import { readMailbox } from "#contract/resend/mailbox.ts";

const mailboxes: [text: string, name: string | null, address: string][] = [
  ["ada@example.com", null, "ada@example.com"],
  [" Ada Byron <ada@example.com> ", "Ada Byron", "ada@example.com"],
  ["<ada@example.com>", null, "ada@example.com"],
  ['"Byron, \\"Ada\\"" < ada@example.com >', 'Byron, "Ada"', "ada@example.com"],
  ["a <b> <ada@example.com>", "a <b>", "ada@example.com"],
  ["Ada <ada@example.com", null, "Ada <ada@example.com"],
];
for (const [text, name, address] of mailboxes)
  test(`an address: ${text}`, () => {
    assert.deepEqual(readMailbox(text), { name, address });
  });
