// The email send request, rule by rule: what each body gives as drafts and as issues.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type EmailDraft, emailContact, readEmail } from "#contract/messages/email.ts";
import { noMailParts } from "#contract/messages/mail/parts.ts";

const limits = { maxContacts: 100 };
const good = { email: "ada@example.com", subject: "Hello", message: "<p>Hello</p>" };
const others = {
  gateway_identifier: null,
  sender_name: null,
  reply_to_email: null,
  schedule_at: null,
  reference: null,
  metadata: null,
  ...noMailParts,
};

const required = (field: string) => `The contact.0.${field} field is required.`;
const string = (field: string) => `The contact.0.${field} field must be a string.`;
const address = (field: string) => `The contact.0.${field} field must be a valid email address.`;
const line = (field: string) => `The contact.0.${field} field must be one line without control characters.`;
const unsendable = (field: string) => `The contact.0.${field} field contains characters that cannot be sent.`;
const maxLength = (field: string, max: number) =>
  `The contact.0.${field} field must not be greater than ${max} characters.`;

const mebibytes = 5 * 1024 * 1024;

/** A value in one field, and either what the draft holds or the sentence. */
const fields: [field: keyof EmailDraft, input: unknown, draft: string | null | { fault: string }][] = [
  ["email", " ada@example.com\r\n", "ada@example.com"],
  ["email", "Ada@EXÄMPLE.com", "Ada@EXÄMPLE.com"],
  ["email", "a@localhost", { fault: address("email") }],
  ["email", "a@x.com,b@y.com", { fault: address("email") }],
  ["email", "Ada <ada@example.com>", { fault: address("email") }],
  ["email", '"a@evil.com x"@example.com', { fault: address("email") }],
  ["email", "group:a@example.com;", { fault: address("email") }],
  ["email", "a@example.com\r\nBcc: b@example.com", { fault: address("email") }],
  ["email", "ä@example.com", { fault: address("email") }],
  ["email", { path: "/etc/passwd" }, { fault: string("email") }],
  ["email", 5, { fault: string("email") }],
  ["email", "", { fault: required("email") }],
  ["email", [], { fault: required("email") }],
  ["subject", " Grüße 🎉\n", "Grüße 🎉"],
  ["subject", "a\r\nBcc: b@example.com", { fault: line("subject") }],
  ["subject", "a\rb", { fault: line("subject") }],
  ["subject", "a\nb", { fault: line("subject") }],
  ["subject", "a\0b", { fault: line("subject") }],
  ["subject", "a\tb", { fault: line("subject") }],
  ["subject", "a\u0085b", { fault: line("subject") }],
  ["subject", "a\u2028b", { fault: line("subject") }],
  ["subject", "a\ud800b", { fault: unsendable("subject") }],
  ["subject", "😀".repeat(998), "😀".repeat(998)],
  ["subject", "x".repeat(999), { fault: maxLength("subject", 998) }],
  ["subject", null, { fault: required("subject") }],
  ["subject", true, { fault: string("subject") }],
  ["message", " a\r\n b ", "a\r\n b"],
  ["message", "a\0b", { fault: unsendable("message") }],
  ["message", { path: "/etc/passwd" }, { fault: string("message") }],
  ["message", { href: "http://127.0.0.1/" }, { fault: string("message") }],
  ["message", "x".repeat(mebibytes), "x".repeat(mebibytes)],
  [
    "message",
    `${"x".repeat(mebibytes - 1)}ü`,
    { fault: "The contact.0.message field must not be greater than 5120 kilobytes." },
  ],
  ["message", null, { fault: required("message") }],
  ["sender_name", undefined, null],
  ["sender_name", " ", null],
  ["sender_name", " Support @ Acme ", "Support @ Acme"],
  ["sender_name", "ceo@bank.example", "ceo@bank.example"],
  ["sender_name", "A\r\nBcc: x@example.com", { fault: line("sender_name") }],
  ["sender_name", "x".repeat(257), { fault: maxLength("sender_name", 256) }],
  ["sender_name", {}, { fault: string("sender_name") }],
  ["reply_to_email", null, null],
  ["reply_to_email", " help@example.org ", "help@example.org"],
  ["reply_to_email", "Help <help@example.org>", "Help <help@example.org>"],
  ["reply_to_email", '"Help, A" <h@example.org>, b@example.org', '"Help, A" <h@example.org>, b@example.org'],
  ["reply_to_email", "Help, A <h@example.org>", "Help, A <h@example.org>"],
  ["reply_to_email", "b@example.org, Help", { fault: address("reply_to_email") }],
  ["reply_to_email", ",", { fault: address("reply_to_email") }],
  ["reply_to_email", Array(11).fill("b@example.org").join(), { fault: address("reply_to_email") }],
  ["reply_to_email", "Help\r\nBcc: x <help@example.org>", { fault: address("reply_to_email") }],
  ["reply_to_email", '"Help\n" <help@example.org>, b@example.org', { fault: address("reply_to_email") }],
  ["reply_to_email", "a\n@example.org", { fault: address("reply_to_email") }],
  ["gateway_identifier", " main ", "main"],
  ["schedule_at", "2026-03-01 09:00:00", "2026-03-01 09:00:00"],
  ["schedule_at", "soon", { fault: "The contact.0.schedule_at field must match the format Y-m-d H:i:s." }],
];
for (const [field, input, draft] of fields) {
  const shown = JSON.stringify(input) ?? "undefined";
  test(`${field} ${shown.length > 40 ? `${shown.slice(0, 40)}… (${shown.length})` : shown}`, () => {
    const { contacts, issues } = readEmail({ contact: [{ ...good, [field]: input }] }, limits);
    const fault = typeof draft === "object" && draft !== null ? draft.fault : null;
    assert.deepEqual(issues, fault === null ? [] : [{ path: ["contact", 0, field], message: fault }]);
    assert.deepEqual(contacts, [{ ...good, ...others, [field]: fault === null ? draft : undefined }]);
  });
}

test("every fault of every contact is reported, and the other fields are kept", () => {
  const { contacts, issues } = readEmail(
    { contact: [{ subject: "x" }, good, { ...good, email: "x" }] },
    limits,
  );
  assert.deepEqual(
    issues.map(({ path }) => path.join(".")),
    ["contact.0.email", "contact.0.message", "contact.2.email"],
  );
  assert.equal(contacts[0]?.subject, "x");
  assert.deepEqual(contacts[1], { ...good, ...others });
});

test("the quick way and the schema agree on what is a contact without a fault", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "",
      " ",
      "\0",
      "\ud800",
      "2026-03-01 00:00:00",
      "a@example.com",
      "a@b@c.de",
      "x\r\ny",
      " a@ä.de\u200b",
    ),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    fc.constantFrom(undefined, null, 5, true, [], {}, ["a"], { path: "x" }),
  );
  const mostly = (input: unknown) => fc.oneof({ weight: 3, arbitrary: fc.constant(input) }, value);
  const contact = fc.record({
    email: mostly(good.email),
    subject: mostly(good.subject),
    message: mostly(good.message),
    gateway_identifier: mostly(null),
    sender_name: mostly("Ada"),
    reply_to_email: mostly(null),
    schedule_at: mostly(null),
    reference: mostly("order-4711"),
    metadata: fc.oneof(mostly(null), fc.dictionary(text, text, { maxKeys: 12 })),
  });
  fc.assert(
    fc.property(contact, (input) => {
      const { contacts, issues } = readEmail({ contact: [input] }, limits);
      // In both cases, a draft without issues passes the schema unchanged, and one with issues lacks
      // exactly the fields that they name.
      const missing = Object.entries(contacts[0]!).flatMap(([key, held]) =>
        held === undefined ? [key] : [],
      );
      assert.deepEqual(missing.sort(), [...new Set(issues.map((issue) => String(issue.path[2])))].sort());
      if (issues.length === 0) assert.deepEqual(emailContact.parse(contacts[0]), contacts[0]);
    }),
    { numRuns: 2_000 },
  );
});
