// SendGrid's signature on the example of its own library
// (https://github.com/sendgrid/sendgrid-nodejs, packages/eventwebhook/src/eventwebhook.spec.js).

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { signedAt, verificationKey } from "#gateways/email/sendgrid/signature.ts";
import { callbackUrl, seed } from "../../conformance-samples.ts";

const published =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==";
const other =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==";
const signature =
  "MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=";
const body = '{"category":"example_payload","event":"test_event","message_id":"message_id"}';

const check = (change: {
  key?: string;
  body?: string;
  signature?: string | null;
  timestamp?: string | null;
}) => {
  const { "x-signature": sign, "x-timestamp": time } = {
    "x-signature": change.signature === undefined ? signature : change.signature,
    "x-timestamp": change.timestamp === undefined ? "1588788367" : change.timestamp,
  };
  return signedAt(
    {
      method: "POST",
      url: callbackUrl,
      query: new URLSearchParams(),
      headers: {
        ...(sign === null ? {} : { "x-twilio-email-event-webhook-signature": sign }),
        ...(time === null ? {} : { "x-twilio-email-event-webhook-timestamp": time }),
      },
      body: Buffer.from(change.body ?? body),
    },
    verificationKey(change.key ?? published)!,
  );
};

test("published example", () => {
  assert.equal(check({}), 1_588_788_367_000);
});

test("another key, body, signature or timestamp does not fit", () => {
  for (const wrong of [
    { key: other },
    { body: "payload" },
    { body: `${body}\n` },
    { signature: signature.replace("H2j", "H3j") },
    { signature: "" },
    { signature: null },
    { timestamp: "1588788368" },
    { timestamp: "timestamp" },
    { timestamp: "" },
    { timestamp: null },
    // The border between timestamp and body is not marked: a digit must not move over it.
    { timestamp: "15887883671", body: body.slice(1) },
  ]) {
    assert.equal(check(wrong), null, JSON.stringify(wrong));
  }
});

test("a digit that moves from the body into the timestamp is no JSON list any more", () => {
  assert.equal(check({ timestamp: "158878836", body: `7${body}` }), 158_878_836_000);
});

test("a key is taken with and without its PEM lines, and only on the right curve", () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${published.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`;
  assert.ok(verificationKey(pem)?.equals(verificationKey(published)!));
  const der = (type: "rsa" | "ed25519") =>
    (type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ed25519")
    ).publicKey
      .export({ type: "spki", format: "der" })
      .toString("base64");
  const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey.export({
    type: "spki",
    format: "der",
  });
  for (const none of [
    "",
    "key",
    der("rsa"),
    der("ed25519"),
    p384.toString("base64"),
    published.slice(0, 60),
  ]) {
    assert.equal(verificationKey(none), null);
  }
});

test("no signature of any bytes throws or fits", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), (bytes, timestamp) => {
      assert.equal(check({ signature: Buffer.from(bytes).toString("base64") }), null);
      assert.equal(check({ timestamp }), null);
    }),
    { numRuns: 300, seed },
  );
});
