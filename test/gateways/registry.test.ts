// The list of gateways, and looking one up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayOf, gateways } from "#gateways/registry.ts";

test("a gateway is found by kind, for its own channels only", () => {
  assert.equal(gatewayOf("sandbox", "email")?.kind, "sandbox");
  assert.equal(gatewayOf("twilio", "sms")?.kind, "twilio");
  assert.equal(gatewayOf("http-api", "sms")?.kind, "http-api");
  assert.equal(gatewayOf("twilio", "email"), null);
  assert.equal(gatewayOf("Twilio", "sms"), null);
  assert.equal(gatewayOf("constructor", "sms"), null);
});

test("kinds are unique and named for the wire", () => {
  const kinds = gateways.map((gateway) => gateway.kind);
  assert.equal(new Set(kinds).size, kinds.length);
  for (const kind of kinds) assert.match(kind, /^[a-z]+(-[a-z]+)*$/);
  for (const gateway of gateways)
    assert.ok(gateway.title !== "" && /\.$/.test(gateway.summary), gateway.kind);
});
