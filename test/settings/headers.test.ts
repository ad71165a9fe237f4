// Headers in settings: what is refused on saving.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { headersField } from "#settings/headers.ts";
import { secretsIn } from "#settings/secrets.ts";

test("headers that frame the request or name its peer cannot be set, nor those that are reserved", () => {
  const field = headersField(["x-api-key"]);
  assert.deepEqual(field.parse({ "x-beta": "a,b" }), { "x-beta": "a,b" });
  for (const name of ["Host", "content-length", "Transfer-Encoding", "proxy-connection", "TE", "X-API-Key"]) {
    const { error } = field.safeParse({ [name]: "x" });
    assert.match(error?.message ?? "", /This header cannot be set/, name);
  }
  assert.ok(headersField().safeParse({ "x-api-key": "x" }).success, "reserved by one adapter alone");
});

test("names and values cannot break the request apart", () => {
  for (const headers of [{ "bad name": "x" }, { "": "x" }, { x: "a\r\nb: c" }, { x: "ü" }, { x: "" }])
    assert.equal(headersField().safeParse(headers).success, false, JSON.stringify(headers));
});

test("every value is secret", () => {
  const schema = z.object({ headers: headersField().default({}) });
  assert.deepEqual(secretsIn(schema, { headers: { a: "one", b: "two" } }), ["one", "two"]);
});
