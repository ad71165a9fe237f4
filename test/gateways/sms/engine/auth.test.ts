// What authenticates requests, against published vectors where there are any.

import assert from "node:assert/strict";
import { test } from "node:test";
import { basic, bearer, header } from "#gateways/sms/engine/auth.ts";

const draft = { method: "POST" as const, url: "https://sms.example/send", headers: { accept: "*/*" } };
const moment = { now: 0, transmission: "msg_1-1" };

test("a header is added to those of the request", () => {
  const { headers } = header("x-api-key", "key-1");
  assert.deepEqual(headers(draft, moment), { accept: "*/*", "x-api-key": "key-1" });
});

test("a Bearer token", () => {
  assert.equal(bearer("token-1").headers(draft, moment).authorization, "Bearer token-1");
});

test("Basic, as in RFC 7617, and its encoded pair is a secret", () => {
  const { headers, secrets } = basic("Aladdin", "open sesame");
  assert.equal(headers(draft, moment).authorization, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  assert.deepEqual(secrets, ["QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]);
});
