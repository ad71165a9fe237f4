// The list of gateways, and looking one up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters, findAdapter } from "#gateways/registry.ts";

test("a gateway is found by kind, for its own channels only", () => {
  assert.equal(findAdapter("sandbox", "email")?.kind, "sandbox");
  assert.equal(findAdapter("twilio", "sms")?.kind, "twilio");
  assert.equal(findAdapter("http-api", "sms")?.kind, "http-api");
  assert.equal(findAdapter("twilio", "email"), null);
  assert.equal(findAdapter("Twilio", "sms"), null);
  assert.equal(findAdapter("constructor", "sms"), null);
});

test("kinds are unique and named for the wire", () => {
  const kinds = adapters.map((gateway) => gateway.kind);
  assert.equal(new Set(kinds).size, kinds.length);
  for (const kind of kinds) assert.match(kind, /^[a-z]+(-[a-z]+)*$/);
  for (const gateway of adapters)
    assert.ok(gateway.title !== "" && /\.$/.test(gateway.summary), gateway.kind);
});
