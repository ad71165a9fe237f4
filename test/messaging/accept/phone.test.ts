// Numbers as people write them, against tables by country, the runtime's own numbering systems, and the
// example numbers of libphonenumber for every country.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import fc from "fast-check";
import {
  type CountryCode,
  type Examples,
  getCountries,
  getExampleNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { adviceOn, phoneDigits, toRecipient } from "#messaging/accept/phone.ts";
import { share } from "../../runner/share.ts";

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
  // Unassigned, but of a length that the country has.
  ["0170 12345678", "DE", "+4917012345678"],
  ["06 12 34 56", "FR", null],
  ["555-0123", "US", null],
  ["1 555 000 0001", "US", "+15550000001"],
  // The prefix for calls abroad: 00 and the country's own.
  ["0011 49 151 23456789", "AU", "+4915123456789"],
  ["0011 1 201 555 0123", "AU", "+12015550123"],
  ["001 86 138 1234 5678", "HK", "+8613812345678"],
  ["0061 412 345 678", "AU", "+61412345678"],
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

/** With their country code, though without a plus. */
const alsoInternational = new Set(["1 415 555 0123", "919876543210"]);

test("national numbers need a country", () => {
  for (const [raw, country, expected] of national) {
    assert.equal(recipient(raw, country), expected, `${raw} ${country}`);
    for (const unknown of [null, "XX", "", "de", "DEU", "__proto__"])
      if (!raw.startsWith("00") && !alsoInternational.has(raw))
        assert.equal(recipient(raw, unknown), null, raw);
  }
});

const withoutPlus: [raw: string, country: string | null, expected: string | null][] = [
  // A mobile number with its country code, whose national reading is a landline, or nothing.
  ["4915123456789", "DE", "+4915123456789"],
  ["49 151 23456789", "DE", "+4915123456789"],
  ["4.915.123.456.789", "DE", "+4915123456789"],
  ["33612345678", "DE", "+33612345678"],
  ["447911123456", "US", "+447911123456"],
  ["447911123456", null, "+447911123456"],
  ["12015550123", "DE", "+12015550123"],
  ["5511961234567", "DE", "+5511961234567"],
  // A spreadsheet has taken the zero.
  ["15123456789", "DE", "+4915123456789"],
  ["15123456789", null, "+15123456789"],
  ["7911123456", "GB", "+447911123456"],
  ["2079460123", "GB", "+442079460123"],
  ["612345678", "FR", "+33612345678"],
  // China has no trunk prefix for mobile numbers.
  ["13123456789", "CN", "+8613123456789"],
  ["2025550123", "US", "+12025550123"],
  ["(415) 855-0123", "US", "+14158550123"],
  // Both: a mobile number in Vanuatu, or in Atlanta.
  ["6785912345", "US", null],
  // Behind Russia's trunk prefix a landline, or a mobile number in Viet Nam.
  ["84912345678", "RU", null],
  ["84912345678", "DE", "+84912345678"],
  ["8 912 345-67-89", "RU", "+79123456789"],
  // A landline with its country code, or without.
  ["442079460123", "US", null],
  ["442079460123", "DE", null],
  ["4930123456", "DE", "+4930123456"],
  // Neither.
  ["555012345", "US", null],
  ["1234567", "DE", null],
  ["4915123456789", "XX", "+4915123456789"],
  ["2079460123", null, null],
];

test("digits without a plus have a country code, or none, or are refused", () => {
  for (const [raw, country, expected] of withoutPlus)
    assert.equal(recipient(raw, country), expected, `${raw} ${country}`);
});

test("a number that a spreadsheet made decimal is refused", () => {
  const decimal = ["+4915123456789.0", "4915123456789.0", "015123456789.0", "2025550123.0", "9876543210.00"];
  decimal.push(
    "4915123456789.00",
    "12345.0",
    "+4915123456789\uff0e０",
    "+4915123456789.0 ",
    "+٤٩١٥١٢٣٤٥٦٧٨٩.٠",
  );
  decimal.push("4915123456789.5", "+49.15123456789.0");
  for (const raw of decimal)
    for (const country of [null, "DE", "US", "IN"]) {
      assert.equal(recipient(raw, country), null, raw);
      assert.equal(adviceOn(raw, country), "Write it without decimals.", raw);
    }
  assert.equal(recipient("06.12.34.56.00", "FR"), "+33612345600");
  assert.equal(recipient("+49.15123456789"), "+4915123456789");
  assert.equal(recipient("+4915123456789."), "+4915123456789");
  assert.equal(recipient("0151.23456000", "DE"), "+4915123456000");
});

test("a refusal says what to change", () => {
  const plus = "Write it with a plus and its country code.";
  for (const [raw, country, advice] of [
    ["6785912345", "US", "It can be +6785912345 or +16785912345: write it with a plus and its country code."],
    ["1234567", "DE", plus],
    [
      "0170 1234567",
      null,
      "The account has no country, so a number needs its international form, such as +4915123456789.",
    ],
    ["4915123456789.0", null, "Write it without decimals."],
    ["06 12 34 56", "FR", plus],
    ["call me", "DE", ""],
    ["12", "DE", ""],
    ["+123", "DE", ""],
    ["12345", "DE", ""],
  ] as const)
    assert.equal(adviceOn(raw, country), advice, raw);
});

const mobileExamples = () => {
  const examples = createRequire(import.meta.url)("libphonenumber-js/examples.mobile.json") as Examples;
  return getCountries().flatMap((country) => {
    const example = getExampleNumber(country, examples);
    return example === undefined ? [] : [{ country, example }];
  });
};

test("an example mobile of any country is read right or refused, for an account of any country", () => {
  const examples = mobileExamples();
  const homes = share("countries of accounts", [], getCountries());
  const wrong: string[] = [];
  const read = { right: 0, refused: 0 };
  const check = (raw: string, home: CountryCode | null, number: string) => {
    const found = recipient(raw, home);
    if (found === number) read.right++;
    // Short codes stay as they are.
    else if (found === null || found.length <= 6) read.refused++;
    else wrong.push(`${raw} on an account of ${home} is ${found}, not ${number}`);
  };
  for (const { country, example } of examples) {
    const { number } = example;
    const significant = String(example.nationalNumber);
    for (const home of [null, ...homes]) {
      check(number, home, number);
      check(`00${number.slice(1)}`, home, number);
      // A valid mobile number of the account's country comes before one of a plan that does not tell them apart.
      if (!isMobileOf(number.slice(1), home) || example.getType() === "MOBILE")
        check(number.slice(1), home, number);
    }
    for (const decimal of [`${number}.0`, `${number.slice(1)}.0`, `${significant}.0`])
      assert.equal(recipient(decimal, country), null, decimal);
    check(example.formatNational(), country, number);
    check(significant, country, number);
  }
  assert.deepEqual(wrong, []);
  assert.ok(examples.length > 240);
  assert.ok(read.refused / read.right < 0.01, `${read.refused} refused, ${read.right} read`);
});

function isMobileOf(digits: string, country: CountryCode | null): boolean {
  if (country === null) return false;
  const national = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  return national?.isValid() === true && national.getType() === "MOBILE";
}

test("every country's example number, in its national and its international style", () => {
  let seen = 0;
  for (const { country, example } of mobileExamples()) {
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
  const bare = { international: false, doubleZero: false };
  const plus = { international: true, doubleZero: false };
  assert.deepEqual(phoneDigits("0170 1234567"), { ...bare, digits: "01701234567" });
  assert.deepEqual(phoneDigits("(0)170 1234567"), { ...bare, digits: "01701234567" });
  assert.deepEqual(phoneDigits("0049170"), { ...plus, doubleZero: true, digits: "49170" });
  assert.deepEqual(phoneDigits("+123"), { ...plus, digits: "123" });
  assert.deepEqual(phoneDigits("123456789012345"), { ...bare, digits: "123456789012345" });
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
    ".",
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
