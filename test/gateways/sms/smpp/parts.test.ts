// Texts cut into short messages: as many as were counted at acceptance, none too long, joined the text again.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measure } from "#contract/messages/segments.ts";
import { splitHeader } from "#gateways/sms/smpp/joining.ts";
import { partsOf, smppCounting } from "#gateways/sms/smpp/parts.ts";
import { smppSettings } from "#gateways/sms/smpp/settings.ts";
import { decodeText } from "#gateways/sms/smpp/text.ts";

const settingsWith = (change: object = {}) =>
  smppSettings.parse({ host: "smsc.example", system_id: "acme", password: "secret", ...change });

const text = fc
  .array(fc.constantFrom("a", "é", "€", "[", "ß", "😀", "ç", " ".repeat(40), "x".repeat(150)), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(""));
const gsm = fc
  .array(fc.constantFrom("a", "é", "€", "[", "ß", "x".repeat(150)), { maxLength: 40 })
  .map((pieces) => pieces.join(""));

const address = { ton: 1, npi: 1, addr: "1" };

/** What a handset makes of the parts. */
function joined(
  parts: NonNullable<ReturnType<typeof partsOf>>,
  settings: ReturnType<typeof settingsWith>,
): string {
  return parts
    .map((part, at) => {
      const tlvs = new Map(part.tlvs);
      const payload = tlvs.get(0x0424);
      const delivery = { source: address, destination: address, ...part, text: payload ?? part.text, tlvs };
      const { place, octets, headerBytes } = splitHeader(delivery);
      if (parts.length > 1)
        assert.deepEqual([place?.total, place?.number, place?.reference], [parts.length, at + 1, 0x07]);
      const { default_alphabet: defaultAlphabet, packed } = settings;
      return decodeText({ dataCoding: part.dataCoding, octets, headerBytes }, { defaultAlphabet, packed });
    })
    .join("");
}

for (const change of [
  {},
  { long: "udh16" },
  { long: "sar" },
  { long: "payload" },
  { packed: true },
  { packed: true, long: "udh16" },
  { default_alphabet: "latin1" },
  { default_alphabet: "ascii" },
  { default_alphabet: "latin1", long: "udh16" },
  { data_coding: { latin1: 3 } },
]) {
  test(`${JSON.stringify(change)}: parts are short enough and joined the text again`, () => {
    const settings = settingsWith(change);
    fc.assert(
      fc.property(fc.oneof(text, gsm), (whole) => {
        const parts = partsOf(whole, settings, 7);
        assert.ok(parts !== null);
        // Where packing ends on a whole octet, a last `@` cannot be distinguished from nothing; none of the letters is one.
        assert.equal(joined(parts, settings), whole);
        for (const part of parts) assert.ok(part.text.length <= 160, `${part.text.length} octets`);
        const counting = smppCounting.of(settings);
        const counted = counting === null ? measure(whole).segments : smppCounting.parts(whole, counting);
        if (settings.long === "payload") assert.equal(parts.length, 1);
        else assert.equal(counted, parts.length, "charged as sent");
      }),
    );
  });
}

test("what is counted is stored as text without secrets, and absent where parts are GSM or UCS-2", () => {
  assert.equal(smppCounting.of(settingsWith()), null);
  for (const long of ["sar", "payload"]) assert.equal(smppCounting.of(settingsWith({ long })), null);
  // As a request has them: without defaults, or not valid at all.
  assert.doesNotMatch(smppCounting.of({ host: "h", password: "secret", long: "udh16" }) ?? "", /secret/);
  assert.equal(smppCounting.of({ long: "udh32" }), null);
});

test("a text of more than 255 parts is refused", () => {
  assert.equal(partsOf("x".repeat(153 * 255), settingsWith(), 1)?.length, 255);
  assert.equal(partsOf("x".repeat(153 * 255 + 1), settingsWith(), 1), null);
});
