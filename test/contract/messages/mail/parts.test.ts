// The optional parts of a mail: what each input gives as a draft, or as issues by field path. Counts and sizes are bounded, and no header
// reaches a mail that is not on the list.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readInlineFiles } from "#contract/messages/attachments.ts";
import { readEmail } from "#contract/messages/email.ts";
import { noMailParts } from "#contract/messages/mail/parts.ts";

const limits = { maxContacts: 100 };
const good = { email: "ada@example.com", subject: "Hello", message: "Hello" };
const read = (parts: object) => readEmail({ contact: [{ ...good, ...parts }] }, limits);
const issuesOf = (parts: object) =>
  read(parts).issues.map(
    ({ path, message }) => `${path.join(".")}: ${message.replace(/^The \S+ field /, "")}`,
  );

const address = "must be a valid email address.";
const noHeader = "is not a header that a request may set.";
const oneLine = "must be one line without control characters.";

const faulty: [name: string, parts: object, issues: string[]][] = [
  ["a text in place of a list", { cc: "bob@example.com" }, ["contact.0.cc: must be an array."]],
  ["a name without an address", { cc: ["Bob <>"] }, [`contact.0.cc.0: ${address}`]],
  ["a name that holds an address", { to: ["a@b.cd, Bob <bob@example.com>"] }, [`contact.0.to.0: ${address}`]],
  ["two mailboxes", { to: ["A <a@b.cd>, Bob <bob@example.com>"] }, [`contact.0.to.0: ${address}`]],
  ["a line end in a name", { cc: ["Bob\r\nX: y <bob@example.com>"] }, [`contact.0.cc.0: ${address}`]],
  ["a quoted line end", { cc: ['"Bob\nX: y" <bob@example.com>'] }, [`contact.0.cc.0: ${address}`]],
  ["a NUL in a name", { bcc: ["Bob\0 <bob@example.com>"] }, [`contact.0.bcc.0: ${address}`]],
  ["half a character in a name", { cc: ["Bob \ud800 <bob@example.com>"] }, [`contact.0.cc.0: ${address}`]],
  ["a long name", { cc: [`${"B".repeat(257)} <bob@example.com>`] }, [`contact.0.cc.0: ${address}`]],
  ["a megabyte", { cc: [`${"<".repeat(1_000_000)}>`] }, [`contact.0.cc.0: ${address}`]],
  [
    "a line end in an address",
    { bcc: ["a@b.cd", "bob@example.com\r\nX: y"] },
    [`contact.0.bcc.1: ${address}`],
  ],
  ["an address that is no text", { to: [5] }, ["contact.0.to.0: must be a string."]],
  ["an empty address", { to: [""] }, ["contact.0.to.0: is required."]],
  [
    "too many recipients",
    { to: Array(51).fill("bob@example.com") },
    ["contact.0.to: must not have more than 50 items."],
  ],
  ["headers in a list", { headers: ["X-A: b"] }, ["contact.0.headers: must be an object."]],
  [
    "too many headers",
    { headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, "a"])) },
    ["contact.0.headers: must not have more than 10 names."],
  ],
  ["a line end in a name", { headers: { "X-A\r\nBcc": "a" } }, ["contact.0.headers: format is invalid."]],
  ["a name with a colon", { headers: { "X-A:": "a" } }, ["contact.0.headers: format is invalid."]],
  [
    "a line end in a value",
    { headers: { "X-A": "a\r\nBcc: bob@example.com" } },
    [`contact.0.headers.X-A: ${oneLine}`],
  ],
  ["a bare line end in a value", { headers: { "X-A": "a\nb" } }, [`contact.0.headers.X-A: ${oneLine}`]],
  [
    "a value beyond ASCII",
    { headers: { "X-A": "ü" } },
    ["contact.0.headers.X-A: contains characters that cannot be sent."],
  ],
  ["a value that is no text", { headers: { "X-A": 1 } }, ["contact.0.headers.X-A: must be a string."]],
  ["an empty value", { headers: { "X-A": "" } }, ["contact.0.headers.X-A: format is invalid."]],
  [
    "a long value",
    { headers: { "X-A": "a".repeat(871) } },
    ["contact.0.headers.X-A: must not be greater than 870 characters."],
  ],
  [
    "one name twice",
    { headers: { "X-A": "a", "x-a": "b" } },
    ["contact.0.headers.x-a: has a duplicate value."],
  ],
  [
    "a sender without a domain",
    { from_email: "Ada" },
    ["contact.0.from_email: must be a valid email address."],
  ],
  ["an object in place of a text", { text: {} }, ["contact.0.text: must be a string."]],
  ["a tag with a blank", { tags: ["a b"] }, ["contact.0.tags.0: format is invalid."]],
  ["a tag of ours", { tags: ["trunkline_message:x"] }, ["contact.0.tags.0: format is invalid."]],
  ["one tag twice", { tags: ["a:1", "a:2"] }, ["contact.0.tags.1: has a duplicate value."]],
  [
    "too many tags",
    { tags: Array.from({ length: 11 }, (_, i) => `t${i}`) },
    ["contact.0.tags: must not have more than 10 items."],
  ],
];
for (const [name, parts, issues] of faulty)
  test(`refused: ${name}`, () => assert.deepEqual(issuesOf(parts), issues));

const ours = [
  ...[
    "From",
    "To",
    "Cc",
    "Bcc",
    "Subject",
    "Date",
    "Message-ID",
    "Reply-To",
    "Sender",
    "Return-Path",
    "Received",
  ],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding", "DKIM-Signature", "ARC-Seal", "Resent-To"],
  ...[
    "X-Trunkline-Gateway",
    "X-Mailgun-Tag",
    "X-SMTPAPI",
    "X-PM-Tag",
    "X-SES-Configuration-Set",
    "X-Mailin-custom",
  ],
];
test("headers of ours, and those that vendors obey, in any case", () => {
  for (const name of ours.flatMap((each) => [each, each.toLowerCase(), each.toUpperCase()]))
    assert.deepEqual(issuesOf({ headers: { [name]: "a" } }), [`contact.0.headers.${name}: ${noHeader}`]);
});

test("what is accepted", () => {
  const parts = {
    to: ["bob@example.com"],
    cc: ["carol@example.com"],
    bcc: ["dan@example.com"],
    headers: { "X-Session-Id": "1", "In-Reply-To": "<1@example.com>", "list-unsubscribe": "<mailto:a@b.cd>" },
    text: "Hello",
    from_email: "billing@example.com",
    tags: ["welcome", "campaign:spring"],
  };
  const { contacts, issues } = read(parts);
  assert.deepEqual(issues, []);
  assert.deepEqual({ ...contacts[0], ...parts }, contacts[0]);
  const nothing = { to: [], cc: null, bcc: [], headers: {}, text: " ", from_email: "", tags: [] };
  assert.deepEqual({ ...read(nothing).contacts[0], ...noMailParts }, read(nothing).contacts[0]);
});

test("the issues of a list are bounded, for any content", () => {
  const item = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant({ a: 1 }));
  const list = fc.array(item, { maxLength: 300, size: "max" });
  fc.assert(
    fc.property(list, list, list, list, (to, cc, bcc, tags) => {
      assert.ok(read({ to, cc, bcc, tags }).issues.length <= 3 * 52 + 12);
    }),
  );
});

test("an image within the mail is one, and its id is its own", () => {
  const file = (filename: string, content_id: unknown) => ({ filename, content: "QUJD", content_id });
  const issuesOfFiles = (...attachments: object[]) => {
    const issues: Parameters<typeof readInlineFiles>[2] = [];
    readInlineFiles({ attachments }, 10, issues);
    return issues.map(({ path }) => path.join("."));
  };
  assert.deepEqual(issuesOfFiles(file("a.png", "logo"), file("b.svg", "logo@example.com")), []);
  assert.deepEqual(issuesOfFiles(file("a.pdf", "logo")), ["attachments.0.content_id"]);
  assert.deepEqual(issuesOfFiles(file("a.png", "a"), file("b.png", "a")), ["attachments.1.content_id"]);
  for (const id of ["<logo>", "a b", "a\r\nX: y", "", 5, "a".repeat(79)])
    assert.deepEqual(issuesOfFiles(file("a.png", id)), id === "" ? [] : ["attachments.0.content_id"]);
});
