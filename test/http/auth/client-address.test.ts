// Who asks behind proxies: what real ones write into `X-Forwarded-For`, and what none should.

import assert from "node:assert/strict";
import test from "node:test";
import { forwardedAddress, forwardedCaller, trustOf } from "#http/auth/client-address.ts";
import { inject } from "../../inject.ts";
import { type Edge, edge } from "../edge.ts";

test("an entry is an address, with or without its port", () => {
  for (const [entry, address] of [
    ["203.0.113.8", "203.0.113.8"],
    [" 203.0.113.8 ", "203.0.113.8"],
    ["203.0.113.8:1234", "203.0.113.8"],
    ["2001:db8::1", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["[::ffff:203.0.113.8]:443", "::ffff:203.0.113.8"],
  ] as const) {
    assert.equal(forwardedAddress(entry), address, entry);
  }
  for (const garbage of [
    "",
    "unknown",
    "_hidden",
    "203.0.113",
    "203.0.113.8:",
    "203.0.113.8:123456",
    "203.0.113.8:1:2",
    "203.0.113.256:80",
    "[203.0.113.8]:80",
    "[2001:db8::1",
    "[2001:db8::1]443",
    "[]",
    "fe80::1%eth0",
    "[fe80::1%eth0]:80",
    "client.example:80",
    "1".repeat(500),
  ]) {
    assert.equal(forwardedAddress(garbage), null, garbage);
  }
});

test("proxies are named by addresses and blocks; what is neither stops the start and says which setting it is", () => {
  const trust = trustOf(["10.0.0.0/8", "fd00::1"]);
  for (const inside of ["10.1.2.3", "::ffff:10.1.2.3", "10.1.2.3:5678", "fd00::1", "[fd00::1]:80"])
    assert.equal(trust(inside), true, inside);
  for (const outside of ["11.1.2.3", "fd00::2", "unknown", "", "10.1.2.3:x"])
    assert.equal(trust(outside), false, outside);
  assert.throws(() => trustOf(["10.0.0.0/8", "proxy.local"]), /TRUNKLINE_TRUSTED_PROXIES: "proxy\.local"/);
});

const proxy = "10.0.0.2";

/** The IP address that a request from this peer counts for. */
async function ipOf(forwarded: string | null, peer = proxy): Promise<string> {
  let seen = "";
  const visits: Edge["core"]["openAndClickTracking"] = {
    open: (_token, visitor) => {
      seen = visitor.ip ?? "";
    },
    click: () => null,
    canUnsubscribe: () => false,
    unsubscribe: async () => false,
    close: async () => {},
  };
  const { app } = edge({
    core: { openAndClickTracking: visits },
    settings: { trustedProxies: ["10.0.0.0/24"] },
  });
  const headers = forwarded === null ? {} : { "x-forwarded-for": forwarded };
  await inject(app, { url: "/t/o/x", headers, remoteAddress: peer });
  return seen;
}

test("behind a trusted proxy the client is the last address that a trusted one wrote, with any port", async () => {
  assert.equal(await ipOf(null), proxy);
  assert.equal(await ipOf("203.0.113.8"), "203.0.113.8");
  assert.equal(await ipOf("203.0.113.8:1234"), "203.0.113.8");
  assert.equal(await ipOf("[2001:db8::1]:443"), "2001:db8::1");
  assert.equal(
    await ipOf("198.51.100.1, 203.0.113.8:1234"),
    "203.0.113.8",
    "what is written before is not believed",
  );
  assert.equal(
    await ipOf("203.0.113.8, 10.0.0.9:4444"),
    "203.0.113.8",
    "a trusted proxy's port is no stranger",
  );
  assert.equal(await ipOf("203.0.113.8", "198.51.100.7"), "198.51.100.7", "and neither is a stranger's word");
});

test("what is no address counts as the proxy that wrote it, never as a client of its own", async () => {
  for (const garbage of ["unknown", "_gazonk", "x1", "203.0.113.8:99999999", ""])
    assert.equal(await ipOf(garbage), proxy, garbage);
  assert.equal(await ipOf("203.0.113.8, unknown, 10.0.0.9"), "10.0.0.9");
});

test("without the list of hops the peer is the client", () => {
  const request = { headers: {}, socket: { remoteAddress: "192.0.2.1" } };
  assert.equal(forwardedCaller(request, () => true).ip, "192.0.2.1");
});
