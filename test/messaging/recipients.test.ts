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
