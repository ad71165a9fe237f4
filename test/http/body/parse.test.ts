// From bytes and headers to a value, for every media type and every way to get it wrong.

import assert from "node:assert/strict";
import test from "node:test";
import { BodyBudget, BodyShare, valueCost } from "#http/body/budget.ts";
import { mediaOf, parseBody } from "#http/body/parse.ts";

function parse(body: string | Buffer, type: string | undefined, maxFields = 100): unknown {
  const share = new BodyShare(new BodyBudget(2 ** 30));
  const headers = type === undefined ? {} : { "content-type": type };
  const parsed = parseBody(Buffer.from(body), headers, { maxFields, maxValues: 500_000 }, share);
  if ("problem" in parsed) return (parsed.body as { code: string }).code;
  return JSON.parse(JSON.stringify(parsed));
}

test("a text beyond Latin-1 takes room for two bytes a character, as text and as value", () => {
  const headers = { "content-type": "application/json" };
  const limits = { maxFields: 100, maxValues: 500_000 };
  for (const [text, held] of [
    ["x".repeat(1_000), 0],
    ["ä".repeat(1_000), 0],
    ["Ж".repeat(1_000), 2 * 2 * 1_002],
    [`${"x".repeat(998)}\u{1f600}`, 2 * 2 * 1_002],
  ] as const) {
    const budget = new BodyBudget(2 ** 30);
    parseBody(Buffer.from(JSON.stringify(text)), headers, limits, new BodyShare(budget));
    assert.equal(budget.held, valueCost + held);
  }
  const full = new BodyBudget(1);
  const other = new BodyShare(full);
  other.markAuthenticated();
  other.grow(1);
  const parsed = parseBody(
    Buffer.from(JSON.stringify("Ж".repeat(100_000))),
    headers,
    limits,
    new BodyShare(full),
  );
  assert.equal("problem" in parsed && (parsed.body as { code: string }).code, "unavailable");
});

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=XX";
const field = (name: string, value: string, more = "") =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const media: [type: string | undefined, encoding: string | undefined, expected: string | null][] = [
  [json, undefined, "json"],
  ["Application/JSON ; charset=utf-8", undefined, "json"],
  [form, undefined, "urlencoded"],
  [multipart, undefined, "multipart"],
  [json, "identity", "json"],
  [json, "", "json"],
  [json, "gzip", null],
  [json, "identity, gzip", null],
  [undefined, undefined, null],
  ["", undefined, null],
  ["text/plain", undefined, null],
  ["application/json-patch+json", undefined, null],
  ["application/jsonx", undefined, null],
  ["text/json, application/json", undefined, null],
];
for (const [type, encoding, expected] of media) {
  test(`content type ${type}, encoding ${encoding}: ${expected}`, () => {
    assert.equal(mediaOf({ "content-type": type, "content-encoding": encoding }), expected);
  });
}

const value = (of: unknown, files: string[] = []) => ({ value: of, files });
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const cases: [name: string, body: string | Buffer, type: string | undefined, expected: unknown][] = [
  ["no bytes", "", undefined, value(null)],
  ["no bytes of another type", "", "text/plain", value(null)],
  ["bytes without a type", "{}", undefined, "unsupported_media_type"],
  ["bytes of another type", "{}", "text/plain", "unsupported_media_type"],
  ["JSON", '{"a":[1]}', json, value({ a: [1] })],
  ["JSON null", "null", json, value(null)],
  ["JSON with a byte order mark", "\ufeff{}", json, value({})],
  ["two byte order marks", "\ufeff\ufeff{}", json, "malformed_body"],
  ["blank", " \r\n\t", json, value(null)],
  ["repeated keys: the last counts", '{"a":1,"a":2}', json, value({ a: 2 })],
  ["half of JSON", '{"a":', json, "malformed_body"],
  ["JSON and more", "{} x", json, "malformed_body"],
  ["single quotes", "{'a':1}", json, "malformed_body"],
  ["NaN", "NaN", json, "malformed_body"],
  ["a NUL byte", "{}\0", json, "malformed_body"],
  ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), json, "malformed_body"],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), json, "malformed_body"],
  ["overlong UTF-8", Buffer.from([0x22, 0xc0, 0x80, 0x22]), json, "malformed_body"],
  ["UTF-16", Buffer.from("{}", "utf16le"), json, "malformed_body"],
  ["32 levels", deep(32), json, value(JSON.parse(deep(32)))],
  ["33 levels", deep(33), json, "malformed_body"],
  ["five million levels", "[".repeat(5_000_000), json, "malformed_body"],
  ["a form", "contact[0][number]=1", form, value({ contact: [{ number: "1" }] })],
  [
    "a form with JSON text",
    "contact=%5B%7B%22number%22%3A1%7D%5D",
    form,
    value({ contact: [{ number: 1 }] }),
  ],
  ["a form with text that is no JSON", "contact=hello", form, value({ contact: "hello" })],
  ["a form with an empty contact", "contact=", form, value({ contact: "" })],
  ["a form with JSON text that is too deep", `contact=${deep(33)}`, form, "malformed_body"],
  ["only contact is looked into", "other=%5B%5D", form, value({ other: "[]" })],
  ["a form that is too deep", `a${"[0]".repeat(32)}=1`, form, "malformed_body"],
  ["a form that is not UTF-8", "a=%FF", form, "malformed_body"],
  ["a form of too many fields", "a&".repeat(101), form, "body_too_large"],
  [
    "multipart",
    `${field("contact[0][number]", "1")}--XX--`,
    multipart,
    value({ contact: [{ number: "1" }] }),
  ],
  ["multipart with JSON text", `${field("contact", "[{}]")}--XX--`, multipart, value({ contact: [{}] })],
  ["multipart with a file", `${field("f", "x", '; filename="x"')}--XX--`, multipart, value({}, ["f"])],
  ["multipart without boundary", `${field("a", "1")}--XX--`, "multipart/form-data", "malformed_body"],
  ["multipart cut off", field("a", "1"), multipart, "malformed_body"],
  ["multipart of too many fields", `${field("a", "1").repeat(101)}--XX--`, multipart, "body_too_large"],
];
for (const [name, body, type, expected] of cases) {
  test(name, () => assert.deepEqual(parse(body, type), expected));
}

test("a __proto__ key changes no prototype", () => {
  parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', json);
  parse("__proto__[polluted]=1&constructor[prototype][polluted]=1", form);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});
