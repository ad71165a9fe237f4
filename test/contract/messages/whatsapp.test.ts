// The WhatsApp send requests, rule by rule: what each contact gives as a draft and as issues.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  readWhatsapp,
  readWhatsappList,
  type WhatsappDraft,
  whatsappContact,
} from "#contract/messages/whatsapp.ts";

const limits = { maxContacts: 100 };
const good = { number: "+4915123456789", message: "Hello" };

type Read = typeof readWhatsapp | typeof readWhatsappList;

function issuesOf(read: Read, contact: object): string[] {
  return read({ contact: [contact] }, limits).issues.map(
    ({ path, message }) => `${path.slice(2).join(".")}: ${message}`,
  );
}

const the = (field: string, rest: string) => `${field}: The contact.0.${field} field ${rest}`;
const file = { media: "image", url: "https://cdn.example.com/a.jpg" };
const call = { name: "order_shipped", language: "en_US" };

const sends: [name: string, fields: object, issues: string[]][] = [
  ["a text", {}, []],
  ["a text with everything else null", { media: null, url: "", filename: " ", template: null }, []],
  ["an image", file, []],
  ["a document with a name", { ...file, media: "document", filename: "a.pdf" }, []],
  [
    "a file without its kind",
    { url: file.url },
    [the("media", "is required when contact.0.url is present.")],
  ],
  ["a kind without a file", { media: "video" }, [the("url", "is required when contact.0.media is present.")]],
  [
    "a name without a file",
    { filename: "a" },
    [the("media", "is required when contact.0.filename is present.")],
  ],
  ["an unknown kind", { ...file, media: "Image" }, ["media: The selected contact.0.media is invalid."]],
  ...[
    "ftp://cdn.example.com/a",
    "//cdn.example.com/a",
    "a.jpg",
    "https://",
    "https:///a.jpg",
    "https:cdn.example.com/a",
    "https:/cdn.example.com/a",
    "https://?a",
    "https://user@cdn.example.com/a",
    "https://:pw@cdn.example.com/a",
    "javascript:alert(1)",
    "data:text/plain,a",
    "https://cdn.example.com/a\nb",
    "https://cdn.example.com/a b",
  ].map((url): [string, object, string[]] => [
    `the address ${JSON.stringify(url)}`,
    { media: "image", url },
    [the("url", "must be a valid URL.")],
  ]),
  [
    "too long an address",
    { media: "image", url: `https://cdn.example.com/${"a".repeat(2048)}` },
    [the("url", "must not be greater than 2048 characters.")],
  ],
  ["a port and an address of numbers", { media: "image", url: "http://192.0.2.1:8080/a?b=c#d" }, []],
  [
    "too long a name",
    { ...file, filename: "a".repeat(241) },
    [the("filename", "must not be greater than 240 characters.")],
  ],
  ["a template", { template: call }, []],
  ["a template with values by position", { template: { ...call, parameters: ["Ada", ""] } }, []],
  ["a template with values by name", { template: { ...call, parameters: { name: "Ada" } } }, []],
  ["a template in Meta's form", { template: { ...call, components: [{ type: "body" }] } }, []],
  [
    "a template and a file",
    { ...file, template: call },
    [the("template", "prohibits contact.0.media from being present.")],
  ],
  [
    "values in both forms",
    { template: { ...call, parameters: ["a"], components: [{ type: "body" }] } },
    [the("template.parameters", "prohibits contact.0.template.components from being present.")],
  ],
  ["a template that is a text", { template: "x" }, [the("template", "must be an object.")]],
  [
    "a template without a name",
    { template: { language: "Deutsch!" } },
    [the("template.name", "is required."), the("template.language", "format is invalid.")],
  ],
  [
    "a template's name in capitals",
    { template: { ...call, name: "Order" } },
    [the("template.name", "format is invalid.")],
  ],
  ...[[1], { a: 1 }, { a: ["b"] }, "a", 5, ["\0"]].map((parameters): [string, object, string[]] => [
    `the values ${JSON.stringify(parameters)}`,
    { template: { ...call, parameters } },
    [the("template.parameters", "format is invalid.")],
  ]),
  [
    "components that are no objects",
    { template: { ...call, components: ["x", {}] } },
    [the("template.components.0", "must be an object."), the("template.components.1.type", "is required.")],
  ],
  [
    "too large a template",
    { template: { ...call, components: [{ type: "body", text: "x".repeat(33_000) }] } },
    [the("template.components", "must not be greater than 32 kilobytes.")],
  ],
  [
    "components that are just not too large",
    { template: { ...call, components: [{ type: "body", text: "x".repeat(32 * 1024 - 27) }] } },
    [],
  ],
  [
    "too large parameters",
    { template: { ...call, parameters: ["x".repeat(33_000)] } },
    [the("template.parameters", "must not be greater than 32 kilobytes.")],
  ],
  ...[5, true, {}, ["image"]].map((media): [string, object, string[]] => [
    `the kind ${JSON.stringify(media)}`,
    { ...file, media },
    [the("media", "must be a string.")],
  ]),
  [
    "everything wrong at once",
    { number: null, message: " ", media: "gif", filename: 5, gateway_identifier: [], schedule_at: "soon" },
    [
      the("number", "is required."),
      the("message", "is required."),
      the("gateway_identifier", "must be a string."),
      the("schedule_at", "must match the format Y-m-d H:i:s."),
      "media: The selected contact.0.media is invalid.",
      the("filename", "must be a string."),
      the("url", "is required when contact.0.media is present."),
    ],
  ],
];
for (const [name, fields, issues] of sends) {
  test(`a send: ${name}`, () =>
    assert.deepEqual(issuesOf(readWhatsapp, { ...good, ...fields }).sort(), issues.sort()));
}

const row = (id: string) => ({ id, title: `Row ${id}` });
const rows = (ids: string) => [...ids].map(row);
const list = { ...good, button: "Choose", sections: [{ rows: rows("ab") }] };

const lists: [name: string, fields: object, issues: string[]][] = [
  ["one section without a title", {}, []],
  ["header and footer", { header: "H", footer: "F" }, []],
  [
    "a number as a row's id",
    { sections: [{ rows: [{ id: 5, title: "Five", description: "" }] }] },
    [the("sections.0.rows.0.id", "must be a string.")],
  ],
  ["without a button", { button: "" }, [the("button", "is required.")]],
  ["without sections", { sections: [] }, [the("sections", "is required.")]],
  ["sections that are a text", { sections: "x" }, [the("sections", "must be an array.")]],
  ...[5, "x", null, [], true].map((section): [string, object, string[]] => [
    `a section that is ${JSON.stringify(section)}`,
    { sections: [section] },
    [the("sections.0.rows", "is required.")],
  ]),
  [
    "one of two sections that is no object",
    { sections: [5, { title: "A", rows: rows("a") }] },
    [the("sections.0.title", "is required."), the("sections.0.rows", "is required.")],
  ],
  ...[5, "x", null, [], true].map((item): [string, object, string[]] => [
    `a row that is ${JSON.stringify(item)}`,
    { sections: [{ rows: [item] }] },
    [the("sections.0.rows.0.id", "is required."), the("sections.0.rows.0.title", "is required.")],
  ]),
  ["a section without rows", { sections: [{ title: "A" }] }, [the("sections.0.rows", "is required.")]],
  [
    "two sections, one without a title",
    { sections: [{ title: "A", rows: rows("a") }, { rows: rows("b") }] },
    [the("sections.1.title", "is required.")],
  ],
  [
    "a row without anything",
    { sections: [{ rows: [{}] }] },
    [the("sections.0.rows.0.id", "is required."), the("sections.0.rows.0.title", "is required.")],
  ],
  [
    "an id twice, in two sections",
    {
      sections: [
        { title: "A", rows: rows("ab") },
        { title: "B", rows: rows("cb") },
      ],
    },
    [the("sections.1.rows.1.id", "has a duplicate value.")],
  ],
  [
    "more than ten rows in all",
    {
      sections: [
        { title: "A", rows: rows("abcdef") },
        { title: "B", rows: rows("ghijk") },
      ],
    },
    [the("sections", "must not have more than 10 rows in all.")],
  ],
  [
    "more than ten rows in one section",
    { sections: [{ rows: rows("abcdefghijk") }] },
    [the("sections.0.rows", "must not have more than 10 items.")],
  ],
  [
    "more than ten sections",
    { sections: [..."abcdefghijk"].map((id) => ({ title: id, rows: [row(id)] })) },
    [the("sections", "must not have more than 10 items.")],
  ],
  ...(
    [
      ["message", 4096, { message: "x".repeat(4097) }],
      ["header", 60, { header: "x".repeat(61) }],
      ["footer", 60, { footer: "x".repeat(61) }],
      ["button", 20, { button: "x".repeat(21) }],
      ["sections.0.title", 24, { sections: [{ title: "x".repeat(25), rows: rows("a") }] }],
      ["sections.0.rows.0.id", 200, { sections: [{ rows: [{ id: "x".repeat(201), title: "A" }] }] }],
      ["sections.0.rows.0.title", 24, { sections: [{ rows: [{ id: "a", title: "x".repeat(25) }] }] }],
      [
        "sections.0.rows.0.description",
        72,
        { sections: [{ rows: [{ ...row("a"), description: "x".repeat(73) }] }] },
      ],
    ] as const
  ).map(([field, max, fields]): [string, object, string[]] => [
    `too long a ${field}`,
    fields,
    [the(field, `must not be greater than ${max} characters.`)],
  ]),
  [
    "a title of several lines",
    { header: "a\nb" },
    [the("header", "must be one line without control characters.")],
  ],
  ["media, which a list does not have", { media: "gif", url: 5, template: 5 }, []],
];
for (const [name, fields, issues] of lists) {
  test(`a list: ${name}`, () =>
    assert.deepEqual(issuesOf(readWhatsappList, { ...list, ...fields }).sort(), issues.sort()));
}

test("lengths are counted in code points after trimming", () => {
  const { contacts, issues } = readWhatsappList(
    { contact: [{ ...list, button: ` ${"🚀".repeat(20)} ` }] },
    limits,
  );
  assert.deepEqual(issues, []);
  assert.equal(contacts[0]?.button, "🚀".repeat(20));
});

test("a list's draft has its texts trimmed, and null for what is absent", () => {
  const { contacts } = readWhatsappList(
    { contact: [{ ...list, header: " H ", sections: [{ title: "", rows: [{ id: " a ", title: " A " }] }] }] },
    limits,
  );
  assert.deepEqual(contacts, [
    {
      number: good.number,
      message: "Hello",
      gateway_identifier: null,
      schedule_at: null,
      reference: null,
      metadata: null,
      header: "H",
      footer: null,
      button: "Choose",
      sections: [{ title: null, rows: [{ id: "a", title: "A", description: null }] }],
    },
  ]);
});

test("the fast path and the schema agree on what is a contact without an issue", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("", " ", "\0", "\ud800", "2026-03-01 00:00:00", "main", "image", "https://a.example/b"),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    fc.constantFrom(undefined, null, 5, true, [], {}, ["a"]),
  );
  const rare = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, value);
  const contact = fc.record({
    number: value,
    message: value,
    gateway_identifier: rare,
    schedule_at: rare,
    reference: rare,
    metadata: fc.oneof(rare, fc.dictionary(text, value, { maxKeys: 12 })),
    media: rare,
    url: rare,
    filename: rare,
    template: rare,
  });
  fc.assert(
    fc.property(contact, (fields) => {
      const { contacts, issues } = readWhatsapp({ contact: [fields] }, limits);
      const missing = Object.keys(contacts[0]!).filter(
        (key) => contacts[0]![key as keyof WhatsappDraft] === undefined,
      );
      assert.deepEqual(missing.sort(), [...new Set(issues.map(({ path }) => String(path[2])))].sort());
      if (issues.length === 0) assert.deepEqual(whatsappContact.parse(contacts[0]), contacts[0]);
    }),
    { numRuns: 2_000 },
  );
});
