// Proofs of Meta: over the bytes, by SHA-256, with our secret.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallbackRequest } from "#gateways/callback.ts";
import { handshake, isSigned } from "#gateways/whatsapp/cloud/signature.ts";
import { callbackUrl } from "../../conformance-samples.ts";
import { appSecret, signatureOf, verifyToken } from "../meta-callbacks.ts";

const body = Buffer.from('{"entry":[],"text":"\\u00e9"}');
const request = (change: Partial<CallbackRequest>): CallbackRequest => ({
  method: "POST",
  url: callbackUrl,
  query: new URLSearchParams(),
  headers: {},
  body,
  ...change,
});

test("the signature is over the bytes as they came, with nothing before or after it", () => {
  const signed = signatureOf(body);
  const by = (header: string, bytes = body) =>
    isSigned(request({ headers: { "x-hub-signature-256": header }, body: bytes }), appSecret);
  assert.equal(by(signed), true);
  assert.equal(by(signed, Buffer.from(JSON.stringify(JSON.parse(body.toString())))), false);
  for (const wrong of [
    "",
    "sha256=",
    signed.slice(7),
    `${signed}0`,
    signed.toUpperCase(),
    signatureOf(body, "x"),
  ])
    assert.equal(by(wrong), false, wrong);
  assert.equal(isSigned(request({ headers: { "x-hub-signature": signed } }), appSecret), false);
});

test("a challenge comes back as plain text, and only if it is one", () => {
  const answer = (challenge: string, mode = "subscribe", token = verifyToken) =>
    handshake(
      request({
        query: new URLSearchParams({
          "hub.mode": mode,
          "hub.verify_token": token,
          "hub.challenge": challenge,
        }),
      }),
      verifyToken,
    );
  const right = answer("1158201444");
  assert.ok(right.kind === "received");
  assert.deepEqual(right.reply, { contentType: "text/plain; charset=utf-8", body: "1158201444" });
  for (const challenge of ["", "a b", "<b>", "1\n2", "x".repeat(257)])
    assert.equal(answer(challenge).kind, "malformed", challenge);
  assert.equal(answer("1", "unsubscribe").kind, "forbidden");
  assert.equal(answer("1", "subscribe", "").kind, "forbidden");
});
