// Signatures are made by `standardwebhooks`, which is not ours, and by the examples that Svix publishes; anything else
// about a call, its time included, makes its signature invalid.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { svixSecret, svixVerified } from "#gateways/email/resend/svix-signature.ts";

const secret = `whsec_${Buffer.from("0123456789abcdef01234567").toString("base64")}`;
const now = 1_780_000_000_000;

function call(body: string, change: Record<string, string | undefined> = {}, at = now, by = secret) {
  const headers: Record<string, string> = {
    "svix-id": "msg_2W2D3qXLS5fOaPja1GDg7rF2CwB",
    "svix-timestamp": String(Math.floor(at / 1000)),
    "svix-signature": new Webhook(by).sign("msg_2W2D3qXLS5fOaPja1GDg7rF2CwB", new Date(at), body),
  };
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  return { method: "POST", url: "", query: new URLSearchParams(), headers, body: Buffer.from(body) };
}

const id = "msg_2W2D3qXLS5fOaPja1GDg7rF2CwB";
const body = '{"type":"email.sent","text":"Grüße 🎉"}';

test("published examples", () => {
  const examples: [secret: string, id: string, timestamp: string, body: string, signature: string][] = [
    [
      "whsec_plJ3nmyCDGBKInavdOK15jsl",
      "msg_loFOjxBNrRLzqYUf",
      "1731705121",
      '{"event_type":"ping","data":{"success":true}}',
      "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    ],
    [
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "1614265330",
      '{"test": 2432232314}',
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ],
  ];
  for (const [key, svixId, timestamp, text, signature] of examples) {
    const signedCall = call(text, {
      "svix-id": svixId,
      "svix-timestamp": timestamp,
      "svix-signature": signature,
    });
    assert.equal(svixVerified(signedCall, key, Number(timestamp) * 1000), svixId);
    assert.equal(svixVerified(signedCall, secret, Number(timestamp) * 1000), null);
  }
});

test("a call signed by an independent signer passes, also among other signatures", () => {
  const good = call(body);
  assert.equal(svixVerified(good, secret, now), id);
  const signature = good.headers["svix-signature"]!;
  for (const list of [`v1,AAAA ${signature}`, `${signature} v2,xyz`, `v1a,AAAA  ${signature}`]) {
    assert.equal(svixVerified(call(body, { "svix-signature": list }), secret, now), id, list);
  }
});

test("a call that is changed, missing or by another secret does not", () => {
  const other = `whsec_${Buffer.from("another secret, as long.").toString("base64")}`;
  const signature = call(body).headers["svix-signature"]!;
  assert.equal(svixVerified(call(body), other, now), null);
  assert.equal(svixVerified(call(body, {}, now, other), secret, now), null);
  assert.equal(svixVerified({ ...call(body), body: Buffer.from(`${body} `) }, secret, now), null);
  const changes: Record<string, string | undefined>[] = [
    { "svix-id": "msg_other" },
    { "svix-id": undefined },
    { "svix-id": "" },
    { "svix-timestamp": String(now / 1000 + 1) },
    { "svix-timestamp": undefined },
    { "svix-timestamp": "soon" },
    { "svix-timestamp": `${now / 1000}.0` },
    { "svix-signature": undefined },
    { "svix-signature": "" },
    { "svix-signature": signature.slice(3) },
    { "svix-signature": signature.replace("v1,", "v2,") },
    { "svix-signature": signature.slice(0, -1) },
    { "svix-signature": signature.toLowerCase() },
  ];
  for (const change of changes) {
    assert.equal(svixVerified(call(body, change), secret, now), null, JSON.stringify(change));
  }
});

test("a call of more than five minutes ago or ahead is not taken", () => {
  const old = call(body, {}, now - 299_000);
  assert.equal(svixVerified(old, secret, now), id);
  assert.equal(svixVerified(old, secret, now + 2000), null);
  const early = call(body, {}, now + 299_000);
  assert.equal(svixVerified(early, secret, now), id);
  assert.equal(svixVerified(early, secret, now - 2000), null);
});

test("a secret is one of Svix, and never empty", () => {
  assert.match(secret, svixSecret);
  for (const wrong of ["", "whsec_", "whsec_a", "whsec_====", secret.slice(6), `${secret} `, "whsec_ab-_"]) {
    assert.doesNotMatch(wrong, svixSecret, wrong);
    assert.equal(svixVerified(call(body), wrong, now), null, wrong);
  }
});
