// How requests of vendors look on the wire.

import assert from "node:assert/strict";
import { test } from "node:test";
import { draftOf } from "#gateways/sms/engine/request.ts";

const url = "https://sms.example/send";

test("JSON and forms say what they are, and leave out what is undefined", () => {
  const json = draftOf({ url, json: { to: "1", from: undefined } });
  assert.deepEqual(json, {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: '{"to":"1"}',
  });
  const form = draftOf({ url, form: { text: "a&b=ü +", from: undefined, flash: 0 } });
  assert.equal(form.body, "text=a%26b%3D%C3%BC+%2B&flash=0");
  assert.equal(form.headers["content-type"], "application/x-www-form-urlencoded");
});

test("a vendor's own content type stays", () => {
  const { headers } = draftOf({ url, json: {}, headers: { "content-type": "application/x-amz-json-1.0" } });
  assert.equal(headers["content-type"], "application/x-amz-json-1.0");
});

test("the query is encoded and appended", () => {
  assert.equal(draftOf({ url, query: { text: "a&b", from: undefined } }).url, `${url}?text=a%26b`);
  assert.equal(draftOf({ url: `${url}?a=1`, query: { b: 2 } }).url, `${url}?a=1&b=2`);
  assert.equal(draftOf({ method: "GET", url, query: { b: undefined } }).url, url);
});
