// Signatures, held against the scheme's own library.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { systemRandom } from "#runtime/random.ts";
import { isSigningSecret, newSigningSecret, signatureHeader } from "#webhooks/sign.ts";

const random = systemRandom();
/** The library takes only what is at most five minutes old by its own clock. */
const present = () => Math.floor(Date.now() / 1000);

const headers = (id: string, seconds: number, signature: string) => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": signature,
});

test("what is signed verifies, with any body and length of the secret", () => {
  fc.assert(
    fc.property(
      fc.json({ stringUnit: "grapheme" }),
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      fc.stringMatching(/^evt_[a-z0-9_]{1,40}$/),
      (body, key, id) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`;
        const seconds = present();
        const webhook = new Webhook(secret);
        const signed = signatureHeader([secret], id, seconds, body);
        assert.equal(signed, webhook.sign(id, new Date(seconds * 1000), body));
        webhook.verify(body, headers(id, seconds, signed), { jsonParse: false });
      },
    ),
  );
});

test("with two secrets, the holder of either verifies, and of a third one not", () => {
  const [fresh, old, other] = [newSigningSecret(random), newSigningSecret(random), newSigningSecret(random)];
  const seconds = present();
  const signed = headers("evt_1", seconds, signatureHeader([fresh, old], "evt_1", seconds, '{"a":1}'));
  assert.deepEqual(new Webhook(fresh).verify('{"a":1}', signed), { a: 1 });
  assert.deepEqual(new Webhook(old).verify('{"a":1}', signed), { a: 1 });
  assert.throws(() => new Webhook(other).verify('{"a":1}', signed), WebhookVerificationError);
});

test("another id, time or body does not verify", () => {
  const secret = newSigningSecret(random);
  const seconds = present();
  const signature = signatureHeader([secret], "evt_1", seconds, "{}");
  const webhook = new Webhook(secret);
  for (const [id, at, body] of [
    ["evt_2", seconds, "{}"],
    ["evt_1", seconds - 1, "{}"],
    ["evt_1", seconds, "{ }"],
  ] as const) {
    assert.throws(() => webhook.verify(body, headers(id, at, signature)), WebhookVerificationError);
  }
});

test("a made secret is one, and no two are the same", () => {
  const made = Array.from({ length: 20 }, () => newSigningSecret(random));
  assert.ok(made.every(isSigningSecret));
  assert.equal(new Set(made).size, 20);
});

test("what is no secret", () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
  assert.ok(isSigningSecret(of(24)) && isSigningSecret(of(64)) && isSigningSecret(of(32)));
  for (const text of [
    "",
    "whsec_",
    of(23),
    of(65),
    of(32).slice(0, -1),
    `${of(24)}\n`,
    of(24).replace("whsec_", "whsk_"),
    of(24).replace("Bw", "B*"),
    Buffer.alloc(24, 255).toString("base64url").replace(/^/, "whsec_"),
  ]) {
    assert.ok(!isSigningSecret(text), text);
  }
});
