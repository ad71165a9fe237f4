// Texts as octets: the alphabets agree with the table that prices are counted by, and packing is 3GPP's.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gsmExtension, gsmSeptets, measure } from "#contract/messages/segments.ts";
import {
  decodeText,
  fromGsm,
  fromUcs2,
  pack,
  toGsm,
  toSingleOctets,
  toUcs2,
  unpack,
} from "#gateways/sms/smpp/text.ts";

const letters = [...gsmSeptets, ...gsmExtension].map(([, character]) => character);
const gsmText = fc.array(fc.constantFrom(...letters)).map((list) => list.join(""));

test("a text of the GSM alphabet comes back as it was, in as many octets as septets are counted", () => {
  fc.assert(
    fc.property(gsmText, (text) => {
      const octets = toGsm(text);
      assert.ok(octets !== null);
      assert.equal(octets.length, measure(text).units);
      assert.equal(fromGsm(octets), text);
    }),
  );
  assert.equal(toGsm("ç"), null);
  assert.deepEqual([...(toGsm("@_€") ?? [])], [0x00, 0x11, 0x1b, 0x65]);
});

test("packed septets are those of the standard's example, and come back", () => {
  assert.equal(pack(Buffer.from("hellohello"), 0).toString("hex"), "e8329bfd4697d9ec37");
  fc.assert(
    fc.property(gsmText, fc.constantFrom(0, 1), (text, fillBits) => {
      const octets = toGsm(text) ?? Buffer.alloc(0);
      const back = fromGsm(unpack(pack(octets, fillBits), fillBits));
      // A last `@` where an octet ends is the same as nothing.
      assert.equal(back.replace(/@$/, ""), text.replace(/@$/, ""));
    }),
  );
});

test("UCS-2 is UTF-16 in network order", () => {
  assert.equal(toUcs2("€😀").toString("hex"), "20acd83dde00");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => assert.equal(fromUcs2(toUcs2(text)), text)),
  );
  assert.equal(toSingleOctets("é", "latin1")?.toString("hex"), "e9");
  assert.equal(toSingleOctets("é", "ascii"), null);
});

test("a data_coding means the alphabet that the standards give it", () => {
  const of = (dataCoding: number, octets: Buffer) =>
    decodeText({ dataCoding, octets, headerBytes: 0 }, { defaultAlphabet: "gsm7", packed: false });
  const at = Buffer.from([0x00]);
  assert.deepEqual([of(0, at), of(0x10, at), of(0xf0, at)], ["@", "@", "@"]);
  assert.deepEqual([of(1, Buffer.from("@")), of(3, Buffer.from([0xe9]))], ["@", "é"]);
  for (const ucs2 of [8, 0x18, 0x19]) assert.equal(of(ucs2, Buffer.from("20ac", "hex")), "€");
  for (const ucs2 of [0x48, 0x4b, 0x58, 0x78, 0xe0, 0xef])
    assert.equal(of(ucs2, Buffer.from("041f", "hex")), "П", `${ucs2}`);
  for (const gsm of [0x40, 0x51, 0xc0, 0xc8, 0xd0, 0xdf]) assert.equal(of(gsm, at), "@", `${gsm}`);
  for (const [dataCoding, hex, text] of [
    [5, "93fa967b", "日本"],
    [6, "bfe0d8d2d5e22c20dcd8e0", "Привет, мир"],
    [6, "53544f50", "STOP"],
    [7, "f9ecede5", "שלםו"],
    [0x0a, "1b2442467c4b5c1b2842", "日本"],
    [0x0d, "c6fccbdc", "日本"],
    [0x0e, "c7d1b1db", "한글"],
  ] as const)
    assert.equal(of(dataCoding, Buffer.from(hex, "hex")), text, `${dataCoding}`);
  for (const binary of [2, 4, 0x14, 0x44, 0xf5])
    assert.equal(of(binary, Buffer.from([1, 0xff])), "01ff", `${binary}`);
  const latin = { defaultAlphabet: "latin1", packed: false } as const;
  assert.equal(decodeText({ dataCoding: 0, octets: Buffer.from([0x40]), headerBytes: 0 }, latin), "@");
});
