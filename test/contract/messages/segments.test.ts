// Segments against the published tables of 3GPP TS 23.038, boundary by boundary, and against a slow oracle
// that encodes to real septets.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { measure, partEnd } from "#contract/messages/segments.ts";

/** Default alphabet, code point by septet 0x00–0x7F (ETSI GSM0338 to Unicode); 0x1B is the escape. */
const published = `
40 A3 24 A5 E8 E9 F9 EC F2 C7 0A D8 F8 0D C5 E5
394 5F 3A6 393 39B 3A9 3A0 3A8 3A3 398 39E - C6 E6 DF C9
20 21 22 23 A4 25 26 27 28 29 2A 2B 2C 2D 2E 2F
30 31 32 33 34 35 36 37 38 39 3A 3B 3C 3D 3E 3F
A1 41 42 43 44 45 46 47 48 49 4A 4B 4C 4D 4E 4F
50 51 52 53 54 55 56 57 58 59 5A C4 D6 D1 DC A7
BF 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F
70 71 72 73 74 75 76 77 78 79 7A E4 F6 F1 FC E0`
  .trim()
  .split(/\s+/);
/** Extension table: septet after the escape, code point. */
const extension: [number, number][] = [
  [0x0a, 0x0c],
  [0x14, 0x5e],
  [0x28, 0x7b],
  [0x29, 0x7d],
  [0x2f, 0x5c],
  [0x3c, 0x5b],
  [0x3d, 0x7e],
  [0x3e, 0x5d],
  [0x40, 0x7c],
  [0x65, 0x20ac],
];
const septetsOf = new Map<string, number[]>();
for (const [septet, hex] of published.entries())
  if (hex !== "-") septetsOf.set(String.fromCharCode(Number.parseInt(hex, 16)), [septet]);
for (const [septet, code] of extension) septetsOf.set(String.fromCharCode(code), [0x1b, septet]);

test("the published tables are complete, and every other code unit is UCS-2", () => {
  assert.equal(published.length, 128);
  assert.equal(septetsOf.size, 127 + 10);
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    const septets = septetsOf.get(character);
    const expected = septets
      ? { encoding: "gsm7", segments: 1, units: septets.length }
      : { encoding: "ucs2", segments: 1, units: 1 };
    assert.deepEqual(measure(character), expected, `U+${code.toString(16)}`);
  }
});

test("characters that are often got wrong", () => {
  for (const text of ["Çé", "ÄÖÜäöüß", "ÉÆæØøÅå", "ΔΦΓΛΩΠΨΣΘΞ", "¿¡ñÑ§¤", "\r\n", "[€]"])
    assert.equal(measure(text).encoding, "gsm7", text);
  // Grave, cedilla below c, acute a, tab, NUL, escape, no-break space, curly quote, ellipsis, ohm sign, Greek
  // letters that look Latin, a decomposed é.
  for (const text of ["`", "ç", "á", "\t", "\0", "\x1b", "\u00a0", "’", "…", "\u2126", "Α", "α", "e\u0301"])
    assert.equal(measure(`plain ${text}`).encoding, "ucs2", JSON.stringify(text));
});

const a = (count: number) => "a".repeat(count);
const ж = (count: number) => "ж".repeat(count);
/** The parts of a text, as many as `measure` says; joined they are the text again. */
function split(text: string): string[] {
  const { encoding, segments } = measure(text);
  if (segments === 1) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 0)
    parts.push(text.slice(at, partEnd(text, at, encoding)));
  return parts;
}

const boundaries: [name: string, text: string, encoding: string, segments: number, units: number][] = [
  ["empty", "", "gsm7", 1, 0],
  ["159", a(159), "gsm7", 1, 159],
  ["160", a(160), "gsm7", 1, 160],
  ["161", a(161), "gsm7", 2, 161],
  ["306", a(306), "gsm7", 2, 306],
  ["307", a(307), "gsm7", 3, 307],
  ["80 extension characters", "€".repeat(80), "gsm7", 1, 160],
  ["81 extension characters", "€".repeat(81), "gsm7", 2, 162],
  ["159 and an extension character", `${a(159)}€`, "gsm7", 2, 161],
  ["extension character at 151–152", `${a(151)}€${a(153)}`, "gsm7", 2, 306],
  ["extension character at 152–153", `${a(152)}€${a(151)}`, "gsm7", 2, 305],
  ["the same, one more than fits", `${a(152)}€${a(152)}`, "gsm7", 3, 306],
  ["extension characters only, odd room", "€".repeat(153), "gsm7", 3, 306],
  ["extension characters only, two full", "€".repeat(152), "gsm7", 2, 304],
  ["69", ж(69), "ucs2", 1, 69],
  ["70", ж(70), "ucs2", 1, 70],
  ["71", ж(71), "ucs2", 2, 71],
  ["134", ж(134), "ucs2", 2, 134],
  ["135", ж(135), "ucs2", 3, 135],
  ["35 emoji", "😀".repeat(35), "ucs2", 1, 70],
  ["36 emoji", "😀".repeat(36), "ucs2", 2, 72],
  ["emoji at 66–67", `${ж(65)}😀${ж(67)}`, "ucs2", 2, 134],
  ["emoji at 67–68", `${ж(66)}😀${ж(65)}`, "ucs2", 2, 133],
  ["the same, one more than fits", `${ж(66)}😀${ж(66)}`, "ucs2", 3, 134],
  ["two lone high surrogates at 67", `${ж(66)}\ud83d\ud83d${ж(66)}`, "ucs2", 2, 134],
  ["low before high at 67", `${ж(66)}\ude00\ud83d${ж(66)}`, "ucs2", 2, 134],
  ["one emoji in a long plain text", `${a(159)}😀`, "ucs2", 3, 161],
];

test("boundaries", () => {
  for (const [name, text, encoding, segments, units] of boundaries) {
    assert.deepEqual(measure(text), { encoding, segments, units }, name);
    const parts = split(text);
    assert.equal(parts.length, segments, name);
    assert.equal(parts.join(""), text, name);
  }
});

test("where the cuts are", () => {
  assert.deepEqual(split(""), [""]);
  assert.deepEqual(split(`${a(152)}€b${a(160)}`), [a(152), `€b${a(150)}`, a(10)]);
  assert.deepEqual(split(`${ж(66)}😀${ж(10)}`), [ж(66), `😀${ж(10)}`]);
});

/** Encodes to indivisible groups of septets or code units, then fills parts group by group. */
function oracle(text: string) {
  const plain = Array.from({ length: text.length }, (_, at) => septetsOf.get(text[at]!));
  const isPlain = plain.every((septets) => septets !== undefined);
  const groups = isPlain
    ? plain.map((septets) => septets!.length)
    : Array.from(text, (character) => character.length);
  const units = groups.reduce((sum, size) => sum + size, 0);
  const [single, part] = isPlain ? [160, 153] : [70, 67];
  const parts: number[] = [0];
  for (const size of units <= single ? [] : groups) {
    if (parts.at(-1)! + size > part) parts.push(0);
    parts[parts.length - 1]! += size;
  }
  return { encoding: isPlain ? "gsm7" : "ucs2", segments: parts.length, units };
}

const plainText = fc
  .array(fc.constantFrom(...septetsOf.keys()), { maxLength: 700, size: "max" })
  .map((characters) => characters.join(""));
const anyText = fc
  .array(fc.constantFrom("a", "€", "ж", "😀", "\ud83d", "\ude00", "é", "\u200d", "\n"), {
    maxLength: 500,
    size: "max",
  })
  .map((characters) => characters.join(""));

test("any text: as the oracle counts it, in parts that fit and are whole", () => {
  fc.assert(
    fc.property(fc.oneof(plainText, anyText, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
      const measured = measure(text);
      assert.deepEqual(measured, oracle(text));
      const parts = split(text);
      assert.equal(parts.join(""), text);
      assert.equal(parts.length, measured.segments);
      const limit = measured.encoding === "gsm7" ? 153 : 67;
      for (const [index, part] of parts.entries()) {
        const size =
          measured.encoding === "ucs2"
            ? part.length
            : Array.from(part, (character) => septetsOf.get(character)!).flat().length;
        if (parts.length > 1) assert.ok(size <= limit && size >= 1);
        const next = parts[index + 1];
        if (next !== undefined) {
          assert.ok(size >= limit - 1, "filled");
          assert.ok(!(/[\ud800-\udbff]$/.test(part) && /^[\udc00-\udfff]/.test(next)), "pair kept whole");
        }
      }
    }),
    { seed: 2, numRuns: 500 },
  );
});
