// The address rules by themselves: every class, its edges, what carries another address inside, the allow list.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { forbiddenAddress, readAllowList } from "#runtime/net/address.ts";

const none = readAllowList("");

const refused: Record<string, string[]> = {
  "an unspecified address": [
    "0.0.0.0",
    "0.0.0.1",
    "0.255.255.255",
    "::",
    "::ffff:0.0.0.0",
    "0:0:0:0:0:0:0:0",
  ],
  "a loopback address": [
    "127.0.0.1",
    "127.0.0.0",
    "127.255.255.255",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::7f00:1",
  ],
  "a private address": [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.0",
    "192.168.255.255",
    "fc00::",
    "fdff::1",
    "fd00:ec2::254",
    "fec0::1",
    "feff::1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
  ],
  "a link-local address": [
    "169.254.0.0",
    "169.254.169.254",
    "169.254.255.255",
    "fe80::1",
    "febf::1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
  ],
  "a carrier-grade NAT address": ["100.64.0.0", "100.100.100.200", "100.127.255.255", "::ffff:100.64.0.1"],
  "a multicast address": [
    "224.0.0.0",
    "239.255.255.255",
    "ff00::",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  ],
  "a broadcast address": ["255.255.255.255", "::ffff:255.255.255.255"],
  "a reserved address": [
    "192.0.0.0",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.255",
    "192.175.48.1",
    "192.31.196.1",
    "192.52.193.1",
    "240.0.0.0",
    "255.255.255.254",
    "64:ff9b:1::",
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "100::1",
    "2001:db8::1",
    "2001:1::1",
    "2001:20::1",
    "3fff::1",
    "5f00::1",
    "::ffff:0:8.8.8.8",
    "200::1",
    "400::1",
    "1000::1",
    "4000::1",
    "8000::1",
    "c000::1",
    "e000::1",
    "fe00::1",
  ],
  "an IPv4-compatible address": ["::7f00:1", "::127.0.0.1", "::8.8.8.8", "::2", "::ffff:ffff"],
  "a 6to4 address": ["2002::", "2002:7f00:1::", "2002:808:808::1"],
  "a Teredo address": ["2001::1", "2001:0:7f00:1::"],
  "a benchmarking address": ["2001:2::1"],
  "an address with a zone": ["fe80::1%eth0", "2606:4700::1%1", "::1%lo"],
  // Only canonical text is understood: with any reading of other parsers, they are refused.
  "not an IP address": [
    "",
    "localhost",
    "2130706433",
    "0x7f.1",
    "127.1",
    "0177.0.0.1",
    "010.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "[::1]",
    "8.8.8.8 ",
    "8.8.8.8/32",
    "８.8.8.8",
    "::g",
    "1::2::3",
  ],
};

const allowed = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::200e",
  "2000::1",
  "3ffe::1",
  "::ffff:8.8.8.8",
  "::ffff:808:808",
  "64:ff9b::8.8.8.8",
];

describe("without an allow list", () => {
  for (const [why, addresses] of Object.entries(refused)) {
    test(`${why}: ${addresses.length} forms`, () => {
      for (const ip of addresses) assert.equal(forbiddenAddress(ip, none), why, ip);
    });
  }
  test("global unicast is allowed, up to the edges of every block", () => {
    for (const ip of allowed) assert.equal(forbiddenAddress(ip, none), null, ip);
  });
});

test("against a second opinion: 20,000 IPv4 addresses by the registry's blocks, written as numbers", () => {
  // https://www.iana.org/assignments/iana-ipv4-special-registry, what is not globally reachable, and
  // the anycast and relay services that no gateway runs on.
  const blocks = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
  ].map((block) => {
    const [a, b, c, d, bits] = block.split(/[./]/).map(Number);
    return { start: a! * 2 ** 24 + b! * 2 ** 16 + c! * 2 ** 8 + d!, size: 2 ** (32 - bits!) };
  });
  const nearEdges = fc
    .tuple(fc.constantFrom(...blocks), fc.boolean(), fc.integer({ min: -3, max: 3 }))
    .map(([{ start, size }, end, by]) => Math.min(2 ** 32 - 1, Math.max(0, start + (end ? size : 0) + by)));
  fc.assert(
    fc.property(fc.oneof(fc.nat(2 ** 32 - 1), nearEdges), (value) => {
      const ip = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");
      const inside = blocks.some(({ start, size }) => value >= start && value < start + size);
      const mapped = `::ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
      for (const form of [ip, mapped, `64:ff9b::${ip}`])
        assert.equal(forbiddenAddress(form, none) !== null, inside, form);
      for (const form of [`::${ip}`, `2002:${mapped.slice(7)}::`])
        assert.notEqual(forbiddenAddress(form, none), null, form);
    }),
    { numRuns: 20_000 },
  );
});

describe("the allow list", () => {
  test("lets its blocks through, and nothing beside them", () => {
    const list = readAllowList(" 127.0.0.0/8, 10.1.2.3 ,fd00::/8,, 192.168.7.9/24 ");
    const written = ["127.0.0.0/8", "10.1.2.3", "fd00::/8", "192.168.7.9/24"];
    assert.deepEqual(
      list.map(({ text }) => text),
      written,
    );
    for (const ip of [
      "127.0.0.1",
      "127.9.9.9",
      "10.1.2.3",
      "fd12::1",
      "192.168.7.200",
      "::ffff:127.0.0.1",
      "64:ff9b::10.1.2.3",
    ]) {
      assert.equal(forbiddenAddress(ip, list), null, ip);
    }
    for (const ip of [
      "10.1.2.4",
      "192.168.8.1",
      "fc00::1",
      "::1",
      "0.0.0.0",
      "::127.0.0.1",
      "2002:7f00:1::",
      "fd12::1%eth0",
    ]) {
      assert.notEqual(forbiddenAddress(ip, list), null, ip);
    }
  });

  test("every IPv6 address does not mean IPv4 ones in its clothes", () => {
    const list = readAllowList("::/0");
    assert.equal(forbiddenAddress("::1", list), null);
    assert.equal(forbiddenAddress("::ffff:127.0.0.1", list), "a loopback address");
    assert.equal(forbiddenAddress("::ffff:127.0.0.1", readAllowList("::/0,0.0.0.0/0")), null);
  });

  test("is empty by default", () => {
    assert.deepEqual([readAllowList(""), readAllowList(" , ")], [[], []]);
  });

  test("says of each wrong entry what is wrong with it, all at once", () => {
    const wrong = [
      "10.0.0.0/33",
      "localhost",
      "10.0/8",
      "fd00::/129",
      "10.0.0.0/8/8",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "fe80::1%eth0/64",
      "0x7f.1/8",
      "::ffff:10.0.0.0/104",
      "10.0.0.0/ 8",
    ];
    for (const entry of wrong) {
      assert.throws(
        () => readAllowList(`127.0.0.0/8,${entry}`),
        (error: Error) => error.message.includes(`"${entry}" `) && !error.message.includes("127.0.0.0"),
        entry,
      );
    }
    assert.throws(() => readAllowList("a, 10.0.0.0/40"), {
      message:
        '"a" is not a CIDR block such as 10.0.0.0/8; "10.0.0.0/40" needs a length from 0 to 32 after the slash.',
    });
  });
});
