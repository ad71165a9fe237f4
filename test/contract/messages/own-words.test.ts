// A caller's own words on a contact, the same on every channel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readEmail } from "#contract/messages/email.ts";
import { readSms } from "#contract/messages/sms.ts";
import { readWhatsapp } from "#contract/messages/whatsapp.ts";

const limits = { maxContacts: 10 };
const number = "+4915123456789";
const channels = {
  sms: [readSms, { number, message: "Hi" }],
  whatsapp: [readWhatsapp, { number, message: "Hi" }],
  // A file takes the complete check.
  media: [readWhatsapp, { number, message: "Hi", media: "image", url: "https://a.example/b.png" }],
  email: [readEmail, { email: "ada@example.com", subject: "Hi", message: "Hello" }],
} as const;

const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, "v"]));
const limit =
  "The contact.0.metadata field must have at most 10 names of 1 to 40 characters, each with a text of at most 200.";

const cases: [fields: object, own: { reference: unknown; metadata: unknown } | string][] = [
  [{}, { reference: null, metadata: null }],
  [
    { reference: null, metadata: null },
    { reference: null, metadata: null },
  ],
  [
    { reference: " order-4711 ", metadata: {} },
    { reference: "order-4711", metadata: null },
  ],
  [
    { reference: "", metadata: [] },
    { reference: null, metadata: null },
  ],
  [
    { reference: "ü".repeat(200), metadata: { customer: "c-17", empty: "" } },
    { reference: "ü".repeat(200), metadata: { customer: "c-17", empty: "" } },
  ],
  [{ metadata: names(10) }, { reference: null, metadata: names(10) }],
  [
    { metadata: JSON.parse('{"__proto__":"x"}') },
    { reference: null, metadata: JSON.parse('{"__proto__":"x"}') },
  ],
  [
    { metadata: { [`${"k".repeat(40)}`]: "v".repeat(200) } },
    { reference: null, metadata: { ["k".repeat(40)]: "v".repeat(200) } },
  ],
  [{ reference: "x".repeat(201) }, "The contact.0.reference field must not be greater than 200 characters."],
  [{ reference: 4711 }, "The contact.0.reference field must be a string."],
  [{ reference: "a\nb" }, "The contact.0.reference field must be one line without control characters."],
  [{ metadata: "customer" }, "The contact.0.metadata field must be an object."],
  [{ metadata: ["a"] }, "The contact.0.metadata field must be an object."],
  [{ metadata: names(11) }, limit],
  [{ metadata: { "": "v" } }, limit],
  [{ metadata: { ["k".repeat(41)]: "v" } }, limit],
  [{ metadata: { k: "v".repeat(201) } }, limit],
  [{ metadata: { k: 1 } }, limit],
  [{ metadata: { k: "a\ud800" } }, limit],
];

for (const [channel, [read, contact]] of Object.entries(channels))
  test(`reference and metadata of a contact of ${channel}`, () => {
    for (const [fields, own] of cases) {
      const { contacts, issues } = read({ contact: [{ ...contact, ...fields }] }, limits);
      const what = JSON.stringify(fields);
      if (typeof own === "string")
        assert.deepEqual(
          issues.map(({ message }) => message),
          [own],
          what,
        );
      else {
        assert.deepEqual(issues, [], what);
        const [{ reference, metadata } = {} as never] = contacts as {
          reference: unknown;
          metadata: unknown;
        }[];
        assert.deepEqual({ reference, metadata }, own, what);
      }
    }
  });
