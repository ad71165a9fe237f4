// Recipients in the one form that is compared.

import assert from "node:assert/strict";
import test from "node:test";
import { emailAddress, phoneNumber, type RecipientKind, whatsappRecipient } from "#messaging/recipients.ts";

test("numbers are spelled as recipients, addresses in lower case with their domain in ASCII", () => {
  const cases: [RecipientKind, string, string | null][] = [
    [phoneNumber, "0151 2345-6789", "+4915123456789"],
    [phoneNumber, "0049 (0)151 23456789", "+4915123456789"],
    [phoneNumber, "12345", "12345"],
    [phoneNumber, "Bank", null],
    [phoneNumber, "", null],
    [whatsappRecipient, " DE.ENT.1349aB ", "DE.ENT.1349aB"],
    [whatsappRecipient, "0151 2345-6789", "+4915123456789"],
    [whatsappRecipient, "de.1349", null],
    [emailAddress, " Jane.Doe+News@EXAMPLE.com ", "jane.doe+news@example.com"],
    [emailAddress, "jane@Bücher.example", "jane@xn--bcher-kva.example"],
    [emailAddress, "jane@xn--bcher-kva.example", "jane@xn--bcher-kva.example"],
    [emailAddress, "a@b", null],
    [emailAddress, "jane", null],
    [emailAddress, "@example.com", null],
    [emailAddress, "jane@", null],
    [emailAddress, "jane doe@example.com", null],
    [emailAddress, "a@b@example.com", null],
    [emailAddress, "jäne@example.com", null],
    [emailAddress, "jane@exa mple.com", null],
    [emailAddress, "jane@-example.com", null],
    [emailAddress, "jane@example..com", null],
  ];
  for (const [kind, written, expected] of cases)
    assert.equal(kind.normalise(written, "DE"), expected, `${kind.field} ${written}`);
  assert.equal(phoneNumber.normalise("0151 23456789", null), null, "national without a country");
});

test("a sender on WhatsApp is the person of the number's other spelling too", () => {
  const pairs = [
    ["+5511987650001", "+551187650001"],
    ["+5215512345678", "+525512345678"],
    ["+5491123450003", "+541123450003"],
  ] as const;
  for (const [one, other] of pairs) {
    assert.deepEqual(whatsappRecipient.senderOf(one, null), {
      sender: one,
      readings: [],
      spellings: [other],
    });
    assert.deepEqual(whatsappRecipient.senderOf(other, null).spellings, [one]);
    assert.deepEqual(phoneNumber.senderOf(one, null).spellings, []);
  }
  // A landline in São Paulo, and numbers of other countries.
  for (const only of ["+551133334444", "+4915123456789", "+12025550123", "DE.ENT.1349aB", "27123@lid"])
    assert.deepEqual(whatsappRecipient.senderOf(only, "DE").spellings, [], only);
});
