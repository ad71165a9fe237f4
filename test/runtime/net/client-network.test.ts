// Whom attempts are counted for.

import assert from "node:assert/strict";
import test from "node:test";
import { clientNetwork, clientSite } from "#runtime/net/client-network.ts";

test("an IPv4 address is a client, however it is written", () => {
  assert.equal(clientNetwork("192.0.2.1"), "192.0.2.1");
  assert.equal(clientNetwork("::ffff:192.0.2.1"), "192.0.2.1");
  assert.notEqual(clientNetwork("192.0.2.2"), clientNetwork("192.0.2.1"));
});

test("the addresses of one IPv6 /64 are one client, those of the next are not", () => {
  const client = clientNetwork("2001:db8:1:2::1");
  assert.equal(clientNetwork("2001:db8:1:2:ffff:ffff:ffff:ffff"), client);
  assert.notEqual(clientNetwork("2001:db8:1:3::1"), client);
});

test("the addresses of one IPv6 /48 are one site; an IPv4 address is its own", () => {
  assert.equal(clientSite("2001:db8:1:2::1"), clientSite("2001:db8:1:ffff::1"));
  assert.notEqual(clientSite("2001:db8:2:2::1"), clientSite("2001:db8:1:2::1"));
  assert.equal(clientSite("::ffff:192.0.2.1"), "192.0.2.1");
});

test("what is no address counts as itself, cut", () => {
  assert.equal(clientNetwork(""), "");
  assert.equal(clientNetwork("x".repeat(1000)).length, 64);
});
