// What a named key may say of itself.

import assert from "node:assert/strict";
import test from "node:test";
import { namedKeyChanges, namedKeyFields, rotateNamedKeyRequest } from "#contract/manage/keys/named-keys.ts";

test("a key needs a name and a scope, and the rest has its defaults", () => {
  assert.deepEqual(namedKeyFields.parse({ name: "app", scopes: ["read"] }), {
    name: "app",
    scopes: ["read"],
    gateways: null,
    requests_per_minute: null,
    expires_at: null,
  });
  const faulty: object[] = [
    {},
    { scopes: [] },
    { scopes: ["read", "read"] },
    { scopes: ["send"] },
    { scopes: ["read"], gateways: [] },
    { scopes: ["read"], gateways: ["with a blank"] },
    { scopes: ["read"], requests_per_minute: 0 },
    { scopes: ["read"], expires_at: "tomorrow" },
    { scopes: ["read"], key: "tl_of_the_caller" },
  ];
  for (const fields of faulty)
    assert.ok(!namedKeyFields.safeParse({ name: "app", ...fields }).success, JSON.stringify(fields));
  assert.ok(!namedKeyFields.safeParse({ scopes: ["read"] }).success);
});

test("a change has no defaults, so that what it leaves out stays", () => {
  assert.deepEqual(namedKeyChanges.parse({}), {});
  assert.deepEqual(namedKeyChanges.parse({ gateways: null, revision: 3 }), { gateways: null, revision: 3 });
});

test("the text before a rotation works for a day unless the request says otherwise, a week at most", () => {
  assert.deepEqual(rotateNamedKeyRequest.parse({}), { old_works_hours: 24 });
  for (const [hours, fits] of [
    [0, true],
    [168, true],
    [169, false],
    [-1, false],
    [0.5, false],
  ] as const)
    assert.equal(rotateNamedKeyRequest.safeParse({ old_works_hours: hours }).success, fits, String(hours));
});
