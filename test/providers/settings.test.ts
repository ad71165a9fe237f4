// A vendor's host and the headers to add: what is refused on saving.

import assert from "node:assert/strict";
import { test } from "node:test";
import { extraHeaders, hostRoot } from "#providers/settings.ts";

test("a host is http or https, without a login, a query or a fragment", () => {
  const host = hostRoot("https://api.vendor.test");
  assert.equal(host.parse(undefined), "https://api.vendor.test");
  assert.equal(host.parse("http://127.0.0.1:9100/behind/"), "http://127.0.0.1:9100/behind/");
  for (const wrong of [
    "vendor.test",
    "ftp://x.test",
    "https://a:b@x.test",
    "https://x.test?a=1",
    "https://x.test#a",
    "https://",
  ]) {
    assert.equal(host.safeParse(wrong).success, false, wrong);
  }
});

test("headers that the adapter or the transport sets cannot be set", () => {
  assert.deepEqual(extraHeaders().parse({ "anthropic-beta": "a,b" }), { "anthropic-beta": "a,b" });
  for (const name of ["Host", "content-length", "X-API-Key", "Authorization", "x-goog-api-key", "bad name"]) {
    assert.equal(extraHeaders().safeParse({ [name]: "x" }).success, false, name);
  }
  assert.equal(extraHeaders().safeParse({ x: "a\r\nb: c" }).success, false);
});
