// What authenticates requests, against published vectors where there are any.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { basic, bearer, header, mac, sigV4 } from "#gateways/sms/engine/auth.ts";

const draft = { method: "POST" as const, url: "https://sms.example/send", headers: { accept: "*/*" } };
const moment = { now: 0, transmission: "msg_1-1" };

test("a header is added to those of the request", () => {
  const { headers } = header("x-api-key", "key-1");
  assert.deepEqual(headers(draft, moment), { accept: "*/*", "x-api-key": "key-1" });
});

test("a Bearer token", () => {
  assert.equal(bearer("token-1").headers(draft, moment).authorization, "Bearer token-1");
});

test("a MAC over time, nonce, method, path, host and port", () => {
  const { headers } = mac("id-1", "key-1");
  const expected = createHmac("sha256", "key-1").update(
    "1795176000\nmsg_1-1\nPOST\n/send?a=1\nsms.example\n443\n\n",
  );
  const at = { now: 1_795_176_000_999, transmission: "msg_1-1" };
  assert.equal(
    headers({ ...draft, url: `${draft.url}?a=1` }, at).authorization,
    `MAC id="id-1", ts="1795176000", nonce="msg_1-1", mac="${expected.digest("base64")}"`,
  );
  const plain = createHmac("sha256", "key-1").update("1795176000\nmsg_1-1\nPOST\n/\n10.0.0.5\n8080\n\n");
  assert.ok(
    headers({ ...draft, url: "http://10.0.0.5:8080" }, at).authorization?.includes(plain.digest("base64")),
  );
});

test("AWS Signature Version 4 covers every header, for the service and the region", () => {
  const key = {
    accessKeyId: "AKID",
    secretAccessKey: "secret",
    region: "eu-central-1",
    service: "sms-voice",
  };
  const signed = sigV4(key).headers({ ...draft, body: "{}" }, { ...moment, now: Date.UTC(2026, 10, 20) });
  assert.match(
    signed.authorization ?? "",
    /Credential=AKID\/20261120\/eu-central-1\/sms-voice\/aws4_request, SignedHeaders=accept;host;x-amz-date, /,
  );
  const other = sigV4(key).headers({ ...draft, body: "{ }" }, { ...moment, now: Date.UTC(2026, 10, 20) });
  assert.notEqual(signed.authorization, other.authorization);
});

test("Basic, as in RFC 7617, and its encoded pair is a secret", () => {
  const { headers, secrets } = basic("Aladdin", "open sesame");
  assert.equal(headers(draft, moment).authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  assert.deepEqual(secrets, ["QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]);
});
