// The send request, rule by rule: what each body gives as drafts and as issues.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readSms, readSmsSlices, type SmsDraft, smsContact } from "#contract/messages/sms.ts";

const limits = { maxContacts: 100 };
const others = { gateway_identifier: null, schedule_at: null, reference: null, metadata: null };
const good = { number: "+4915123456789", message: "Hello" };

function errorsOf(body: unknown): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const { path, message } of readSms(body, limits).issues) {
    const key = path.join(".");
    errors[key] = [...(errors[key] ?? []), message];
  }
  return errors;
}

const contactRequired = { contact: ["The contact field is required."] };
const contactArray = { contact: ["The contact field must be an array."] };
const bothRequired = (at: number) => ({
  [`contact.${at}.number`]: [`The contact.${at}.number field is required.`],
  [`contact.${at}.message`]: [`The contact.${at}.message field is required.`],
});

const bodies: [name: string, body: unknown, errors: Record<string, string[]>][] = [
  ["nothing", undefined, contactRequired],
  ["null", null, contactRequired],
  ["a text", "contact", contactRequired],
  ["a number", 5, contactRequired],
  ["a list", [good], contactRequired],
  ["an empty object", {}, contactRequired],
  ["contact null", { contact: null }, contactRequired],
  ["contact empty", { contact: "" }, contactRequired],
  ["contact blank", { contact: " \n" }, contactRequired],
  ["contact an empty list", { contact: [] }, contactRequired],
  ["contact a text", { contact: "x" }, contactArray],
  ["contact a number", { contact: 0 }, contactArray],
  ["contact false", { contact: false }, contactArray],
  ["contact an object", { contact: { number: "1" } }, contactArray],
  ["contact an empty object", { contact: {} }, contactArray],
  [
    "too many contacts",
    { contact: Array.from({ length: 101 }, () => good) },
    { contact: ["The contact field must not have more than 100 items."] },
  ],
  ["an item null", { contact: [null] }, bothRequired(0)],
  ["an item a text", { contact: ["x"] }, bothRequired(0)],
  ["an item a list", { contact: [["x"]] }, bothRequired(0)],
  ["an item empty, after a good one", { contact: [good, {}] }, bothRequired(1)],
  [
    "faults in several contacts",
    { contact: [{ message: "a" }, good, { number: "1", message: 5 }] },
    {
      "contact.0.number": ["The contact.0.number field is required."],
      "contact.2.message": ["The contact.2.message field must be a string."],
    },
  ],
];
for (const [name, body, errors] of bodies) {
  test(`a body that is ${name}`, () => assert.deepEqual(errorsOf(body), errors));
}

const required = (field: string) => `The contact.0.${field} field is required.`;
const string = (field: string) => `The contact.0.${field} field must be a string.`;
const unsendable = (field: string) => `The contact.0.${field} field contains characters that cannot be sent.`;
const phone = "The contact.0.number field must be a valid phone number.";
const format = "The contact.0.schedule_at field must match the format Y-m-d H:i:s.";

/** A value in one field, and either what the draft holds or the sentence. */
const fields: [field: keyof SmsDraft, input: unknown, draft: string | null | { fault: string }][] = [
  ["number", "+49 151-23", "+49 151-23"],
  ["number", "  +49151  ", "+49151"],
  ["number", 4915123456789, "4915123456789"],
  ["number", 0, "0"],
  ["number", -5, "-5"],
  ["number", 1.5, { fault: string("number") }],
  ["number", 1e21, { fault: string("number") }],
  ["number", 2 ** 53, { fault: string("number") }],
  ["number", true, { fault: string("number") }],
  ["number", {}, { fault: string("number") }],
  ["number", ["1"], { fault: string("number") }],
  ["number", undefined, { fault: required("number") }],
  ["number", null, { fault: required("number") }],
  ["number", "", { fault: required("number") }],
  ["number", "\u200b \ufeff", { fault: required("number") }],
  ["number", [], { fault: required("number") }],
  ["number", "1\0", "1"],
  ["number", "1\x002", { fault: unsendable("number") }],
  ["number", "1\ud800", { fault: unsendable("number") }],
  ["number", "1".repeat(255), "1".repeat(255)],
  ["number", "1".repeat(256), { fault: phone }],
  ["message", " a\n\n b ", "a\n\n b"],
  ["message", "0", "0"],
  ["message", 0, { fault: string("message") }],
  ["message", false, { fault: string("message") }],
  ["message", { path: "/etc/passwd" }, { fault: string("message") }],
  ["message", ["a"], { fault: string("message") }],
  ["message", null, { fault: required("message") }],
  ["message", "\n", { fault: required("message") }],
  ["message", [], { fault: required("message") }],
  ["message", "a\0b", { fault: unsendable("message") }],
  ["message", "a\udc00b", { fault: unsendable("message") }],
  ["message", "x".repeat(65_536), "x".repeat(65_536)],
  ["message", "😀".repeat(65_536), "😀".repeat(65_536)],
  [
    "message",
    "x".repeat(65_537),
    { fault: "The contact.0.message field must not be greater than 65536 characters." },
  ],
  [
    "message",
    `${"😀".repeat(65_536)}x`,
    { fault: "The contact.0.message field must not be greater than 65536 characters." },
  ],
  ["gateway_identifier", undefined, null],
  ["gateway_identifier", null, null],
  ["gateway_identifier", " ", null],
  ["gateway_identifier", " main ", "main"],
  ["gateway_identifier", 5, { fault: string("gateway_identifier") }],
  ["gateway_identifier", [], { fault: string("gateway_identifier") }],
  ["gateway_identifier", "a\0b", { fault: unsendable("gateway_identifier") }],
  [
    "gateway_identifier",
    "x".repeat(256),
    { fault: "The contact.0.gateway_identifier field must not be greater than 255 characters." },
  ],
  ["schedule_at", undefined, null],
  ["schedule_at", "", null],
  ["schedule_at", " 2026-03-01 09:00:00 ", "2026-03-01 09:00:00"],
  ["schedule_at", "2026-02-30 09:00:00", { fault: format }],
  ["schedule_at", "2026-03-01T09:00:00Z", { fault: format }],
  ["schedule_at", 20260301, { fault: string("schedule_at") }],
  ["schedule_at", false, { fault: string("schedule_at") }],
];
for (const [field, input, draft] of fields) {
  const shown = JSON.stringify(input) ?? "undefined";
  test(`${field} ${shown.length > 40 ? `${shown.slice(0, 40)}… (${shown.length})` : shown}`, () => {
    const { contacts, issues } = readSms({ contact: [{ ...good, [field]: input }] }, limits);
    const fault = typeof draft === "object" && draft !== null ? draft.fault : null;
    assert.deepEqual(issues, fault === null ? [] : [{ path: ["contact", 0, field], message: fault }]);
    const expected = { ...good, ...others, [field]: draft };
    if (fault !== null) Object.assign(expected, { [field]: undefined });
    assert.deepEqual(contacts, [expected]);
  });
}

test("a faulty contact keeps its other fields, so that the account's rules can run on them", () => {
  const { contacts } = readSms({ contact: [{ number: "12", schedule_at: "soon", message: 1 }] }, limits);
  assert.deepEqual(contacts, [{ ...others, number: "12", message: undefined, schedule_at: undefined }]);
});

test("unknown fields are ignored, however they are called", () => {
  const text = `{"__proto__":{"x":1},"constructor":1,"contact":[{"__proto__":{"message":"evil","polluted":true},"constructor":{"prototype":{"polluted":true}},"number":"123","message":"Hello","toString":5}]}`;
  const { contacts, issues } = readSms(JSON.parse(text), limits);
  assert.deepEqual(issues, []);
  assert.deepEqual(contacts, [{ ...others, number: "123", message: "Hello" }]);
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"), undefined);
});

test("a field that only a polluting key carries is missing", () => {
  const body = JSON.parse('{"contact":[{"__proto__":{"message":"evil"},"number":"123"}]}');
  assert.deepEqual(errorsOf(body), { "contact.0.message": [required("message")] });
});

test("the body itself is left alone", () => {
  const body = { contact: [{ number: " 5 ", message: " x ", gateway_identifier: "" }, { number: [] }] };
  const before = structuredClone(body);
  readSms(body, limits);
  assert.deepEqual(body, before);
});

test("slices yield between them and give the same as the whole", () => {
  const body = { contact: Array.from({ length: 25 }, (_, at) => (at % 3 === 0 ? {} : good)) };
  const slices = readSmsSlices(body, limits, 10);
  let pauses = 0;
  for (;;) {
    const slice = slices.next();
    if (slice.done) {
      assert.deepEqual(slice.value, readSms(body, limits));
      break;
    }
    pauses++;
  }
  assert.equal(pauses, 2);
});

test("the quick way and the schema agree on what is a contact without a fault", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", " ", "\0", "\ud800", "2026-03-01 00:00:00", " 2026-03-01 00:00:00\u200b", "main"),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    fc.constantFrom(undefined, null, 5, 1.5, true, [], {}, ["a"]),
  );
  const contact = fc.record({
    number: value,
    message: value,
    gateway_identifier: value,
    schedule_at: value,
    reference: value,
    metadata: fc.oneof(value, fc.dictionary(text, value, { maxKeys: 12 })),
  });
  fc.assert(
    fc.property(contact, (input) => {
      const { contacts, issues } = readSms({ contact: [input] }, limits);
      // In both cases, a draft without issues passes the schema unchanged, and one with issues lacks
      // exactly the fields that they name.
      const missing = Object.keys(contacts[0]!).filter(
        (key) => contacts[0]![key as keyof SmsDraft] === undefined,
      );
      assert.deepEqual(missing.sort(), [...new Set(issues.map((issue) => String(issue.path[2])))].sort());
      if (issues.length === 0) assert.deepEqual(smsContact.parse(contacts[0]), contacts[0]);
    }),
    { numRuns: 2_000 },
  );
});
