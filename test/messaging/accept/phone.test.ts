// Numbers as people write them, against tables by country, the runtime's own numbering systems, and the
// example numbers of libphonenumber for every country.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import fc from "fast-check";
import { type CountryCode, type Examples, getCountries, getExampleNumber } from "libphonenumber-js/min";
import { phoneDigits, toRecipient } from "#messaging/accept/phone.ts";

const recipient = (raw: string, country: string | null = null) =>
  toRecipient(raw, country)?.recipient ?? null;

const international: [raw: string, expected: string | null][] = [
  ["+491701234567", "+491701234567"],
  ["00491701234567", "+491701234567"],
  ["+49 170 / 1234567", null],
  ["+49 170 123-45.67", "+491701234567"],
  ["(+49) 170 1234567", "+491701234567"],
  ["+ 49 (170) 1234567", "+491701234567"],
  ["+49 (0)170 1234567", "+491701234567"],
  ["+49(0) 170 1234567", "+491701234567"],
  ["0049 ( 0 ) 170 1234567", "+491701234567"],
  ["(00)49(0)170 1234567", "+491701234567"],
  ["＋４９（０）１７０ １２３４５６７", "+491701234567"],
  ["+44 (0)7700 900123", "+447700900123"],
  ["+353 (0)85 123 4567", "+353851234567"],
  ["+39 (0)6 1234 5678", "+390612345678"],
  ["+225 (0)7 01 23 45 67", "+2250701234567"],
  ["+39 06 1234 5678", "+390612345678"],
  ["+49 170 (0) 1234567", "+4917001234567"],
  ["+49 (00)170 1234567", "+49001701234567"],
  ["+4(0)9 170 1234567", "+4091701234567"],
  ["+15551230002", "+15551230002"],
  ["+683 4000", "+6834000"],
  ["+123456", null],
  ["+1234567", "+1234567"],
  ["+123456789012345", "+123456789012345"],
  ["+1234567890123456", null],
  ["+49 (0)1234567890123", "+491234567890123"],
  ["00 49 (0)1234567890123", "+491234567890123"],
  ["00 49 (0)12345678901234", null],
  ["+0491701234567", null],
  ["+00491701234567", null],
  ["000491701234567", null],
  ["++491701234567", null],
  ["+49+1701234567", null],
  ["491701234567+", null],
  ["+", null],
  ["00", null],
  ["", null],
];

test("international numbers, for every country of the account", () => {
  for (const [raw, expected] of international)
    for (const country of [null, "DE", "US"]) assert.equal(recipient(raw, country), expected, raw);
});

const national: [raw: string, country: string, expected: string | null][] = [
  ["0170 1234567", "DE", "+491701234567"],
  ["(030) 123456", "DE", "+4930123456"],
  ["1701234567", "DE", "+491701234567"],
  ["0170-123456789012345", "DE", null],
  ["(415) 555-0123", "US", "+14155550123"],
  ["1 415 555 0123", "US", "+14155550123"],
  ["011 49 170 1234567", "US", "+491701234567"],
  // Invalid for the country, but readable.
  ["555-0123", "US", "+15550123"],
  ["07700 900123", "GB", "+447700900123"],
  ["06 12 34 56 78", "FR", "+33612345678"],
  ["(11) 96123-4567", "BR", "+5511961234567"],
  ["011 96123-4567", "BR", "+5511961234567"],
  ["0 15 11 96123-4567", "BR", "+5511961234567"],
  ["098765 43210", "IN", "+919876543210"],
  ["9876543210", "IN", "+919876543210"],
  ["919876543210", "IN", "+919876543210"],
  ["06 1234 5678", "IT", "+390612345678"],
  ["340 123 4567", "IT", "+393401234567"],
  ["8 912 345-67-89", "RU", "+79123456789"],
  ["07 01 23 45 67", "CI", "+2250701234567"],
];

test("national numbers need a country", () => {
  for (const [raw, country, expected] of national) {
    assert.equal(recipient(raw, country), expected, `${raw} ${country}`);
    assert.equal(recipient(raw), null, raw);
    for (const unknown of ["XX", "", "de", "DEU", "__proto__"]) assert.equal(recipient(raw, unknown), null);
  }
});

test("every country's example number, in its national and its international style", () => {
  const examples = createRequire(import.meta.url)("libphonenumber-js/examples.mobile.json") as Examples;
  let seen = 0;
  for (const country of getCountries()) {
    const example = getExampleNumber(country as CountryCode, examples);
    if (example === undefined) continue;
    const written = example.formatNational();
    const [code, rest] = [example.countryCallingCode, String(example.nationalNumber)];
    assert.equal(recipient(example.formatInternational()), example.number, country);
    assert.equal(recipient(`00 ${code} ${rest}`), example.number, country);
    // Not Italian and Sammarinese mobiles, which have no zero to bracket (landlines have their own), nor Gabon,
    // whose example is of the plan of before 2019 (in the new one the zero is dialled nationally only).
    const withZero = rest.startsWith("0") ? `+${code} (0)${rest.slice(1)}` : `+${code} (0)${rest}`;
    if (!["39", "378", "241"].includes(code)) assert.equal(recipient(withZero), example.number, withZero);
    const digits = phoneDigits(written)?.digits ?? "";
    assert.equal(
      recipient(written, country),
      digits.length > 6 ? example.number : digits,
      `${country} ${written}`,
    );
    seen++;
  }
  assert.ok(seen > 200);
});

test("short codes stay as they are", () => {
  for (const country of [null, "DE", "IT"]) {
    for (const code of ["110", "8888", "12345", "123456", "012345"])
      assert.equal(recipient(code, country), code);
    assert.equal(recipient(" 12-345 ", country), "12345");
    assert.equal(recipient("12", country), null);
    assert.equal(recipient("+12345", country), null);
    assert.equal(recipient("0012345", country), null);
  }
});

test("phoneDigits keeps 3 to 15 digits and says how they were written", () => {
  assert.deepEqual(phoneDigits("0170 1234567"), { international: false, digits: "01701234567" });
  assert.deepEqual(phoneDigits("(0)170 1234567"), { international: false, digits: "01701234567" });
  assert.deepEqual(phoneDigits("0049170"), { international: true, digits: "49170" });
  assert.deepEqual(phoneDigits("+123"), { international: true, digits: "123" });
  assert.deepEqual(phoneDigits("123456789012345"), { international: false, digits: "123456789012345" });
  for (const raw of ["12", "+12", "0012", "000", "1234567890123456", "+1234567890123456", "-", "()"])
    assert.equal(phoneDigits(raw), null, raw);
});

test("letters, extensions and other signs are not a number", () => {
  const wrong = [
    "CALL-NOW",
    "123abc",
    "+1 800 FLOWERS",
    "030 1234567 x12",
    "030 1234567;ext=12",
    "tel:+491701234567",
  ];
  wrong.push("+49170*1234567", "#21#1234567", "170_1234567", "1,701,234", "170\n1234567", "1701234567\r");
  wrong.push("1701234567\u2028", "1701234567\0", "१２三4567", "12½4567", "Ⅷ1234567", "①②③④⑤⑥⑦", "²³¹²³¹²");
  wrong.push("📞+491701234567", "\ud83d1234567");
  for (const raw of wrong) {
    assert.equal(phoneDigits(raw), null, JSON.stringify(raw));
    assert.equal(recipient(raw, "DE"), null, JSON.stringify(raw));
  }
});

test("spaces, dashes and invisible marks of every kind are dropped", () => {
  const spaces =
    "\t \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000";
  const dashes = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d";
  const marks =
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff";
  for (const character of `${spaces}${dashes}${marks}.\uff0e()（）`) {
    const raw = `${character}+49${character}170${character}1234567${character}`;
    assert.equal(recipient(raw), "+491701234567", `U+${character.charCodeAt(0).toString(16)}`);
  }
  assert.equal(recipient("\u202a+49 170 1234567\u202c"), "+491701234567");
});

test("digits of every script", () => {
  assert.equal(recipient("+٤٩١٧٠١٢٣٤٥٦٧"), "+491701234567");
  assert.equal(recipient("۰۰۴۹ ۱۷۰ ۱۲۳۴۵۶۷"), "+491701234567");
  assert.equal(recipient("०९८७६५४३२१०", "IN"), "+919876543210");
  assert.equal(recipient("０１７０１２３４５６７", "DE"), "+491701234567");
  let systems = 0;
  for (const system of Intl.supportedValuesOf("numberingSystem")) {
    const digits = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(9876543210);
    if (!/^\p{Nd}{10}$/u.test(digits)) continue;
    assert.equal(phoneDigits(digits)?.digits, "9876543210", system);
    systems++;
  }
  assert.ok(systems > 50);
});

test("every decimal digit of Unicode has its value", () => {
  const runs: number[][] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!/\p{Nd}/u.test(String.fromCodePoint(code))) continue;
    const run = runs.at(-1);
    if (run && run.length < 10 && run.at(-1) === code - 1) run.push(code);
    else runs.push([code]);
  }
  for (const run of runs) {
    assert.equal(run.length, 10, `U+${run[0]!.toString(16)}`);
    assert.equal(phoneDigits(run.map((code) => String.fromCodePoint(code)).join(""))?.digits, "0123456789");
  }
});

test("any text gives a recipient of the two shapes or null, and the same one again", () => {
  const piece = fc.constantFrom(
    "0",
    "1",
    "4",
    "9",
    "00",
    "+",
    "(",
    ")",
    "(0)",
    "-",
    " ",
    "٣",
    "７",
    "\u200e",
    "x",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(piece, { maxLength: 24, size: "max" }).map((pieces) => pieces.join("")),
    fc.stringMatching(/^[+0-9]\d{2,16}$/),
  );
  let found = 0;
  fc.assert(
    fc.property(text, fc.constantFrom(null, "DE", "US", "IT", "BR", "XX"), (raw, country) => {
      const read = recipient(raw, country);
      if (read === null) return;
      found++;
      assert.match(read, /^(\+[1-9]\d{6,14}|\d{3,6})$/);
      assert.ok(phoneDigits(raw));
      assert.equal(recipient(read, country), read);
    }),
    { seed: 2, numRuns: 2000 },
  );
  assert.ok(found > 300);
});

test("100 KB of anything is read or refused, never thrown", () => {
  for (const filler of [" ", "(", ")", "-", "\u200e", "0", "+", "٣", "\ud83d", "𝟘", "x", "(0)"]) {
    const long = filler.repeat(100_000 / filler.length);
    for (const raw of [long, `+49170${long}1234567`, `${long}+491701234567${long}`]) {
      const read = recipient(raw, "DE");
      assert.ok(read === null || read === "+491701234567");
    }
  }
  assert.equal(recipient(`+49${" ".repeat(100_000)}1701234567`), "+491701234567");
});
