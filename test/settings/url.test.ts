// URLs in settings: what is refused on saving, which field decides where requests go, and how a path is appended.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { baseUrlField, joinUrl, urlFieldPath, urlMark } from "#settings/url.ts";

test("the root of an API is http or https, without a login, a query or a fragment", () => {
  for (const url of ["https://api.vendor.test", "http://127.0.0.1:9100/behind/", "HTTPS://x.test/v3"])
    assert.equal(baseUrlField().parse(url), url);
  for (const url of [
    "vendor.test",
    "ftp://x.test",
    "https://a:b@x.test",
    "https://x.test?a=1",
    "https://x.test#a",
    "https://",
    "https://x.test/a b",
    "https://[x",
  ])
    assert.equal(baseUrlField().safeParse(url).success, false, url);
});

test("the marked field is found behind a default, as optional, and described", () => {
  const other = z.string();
  const fields = [
    baseUrlField(),
    baseUrlField().default("https://x.test").describe("The API."),
    baseUrlField().optional().describe("The API."),
    z.string().meta(urlMark).describe("A host."),
    z.string().meta({ secret: true, ...urlMark }),
  ];
  for (const field of fields) assert.deepEqual(urlFieldPath(z.object({ other, field })), ["field"]);
  assert.deepEqual(urlFieldPath(z.object({ other })), []);
  const two = z.object({ base_url: baseUrlField(), token_url: baseUrlField() });
  const values = { base_url: "https://a.example/v1", token_url: "http://10.0.0.1/x" };
  assert.deepEqual(urlFieldPath(two, values, "http://10.0.0.1/x/token"), ["token_url"]);
  assert.deepEqual(urlFieldPath(two, values, "http://10.0.0.2/"), ["base_url"]);
});

test("a path is appended with one slash", () => {
  assert.equal(joinUrl("https://x.test", "/v1"), "https://x.test/v1");
  assert.equal(joinUrl("https://x.test/a//", "/v1"), "https://x.test/a/v1");
});
