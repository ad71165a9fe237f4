// SPF policies as receivers read them: who may send, over everything that is included, and why a policy is ignored.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSpf, type SpfPolicy } from "#gateways/email/deliverability/spf.ts";
import { type Zone, zone } from "../../../dns-zone.ts";

async function policyOf(records: Record<string, string[]> | Zone): Promise<SpfPolicy> {
  const dns = "asked" in records ? (records as Zone) : zone(records);
  const reading = await readSpf(dns, "example.com");
  assert.equal(reading.kind, "found");
  return (reading as { policy: SpfPolicy }).policy;
}

const spf = (record: string, more: Record<string, string[]> = {}) =>
  policyOf({ "TXT example.com": ["other=text", record], ...more });

describe("who may send", () => {
  const table: [record: string, ip: string, allowed: boolean | null][] = [
    ["v=spf1 -all", "192.0.2.1", false],
    ["v=spf1", "192.0.2.1", false],
    ["v=spf1 ip4:192.0.2.0/24 -all", "192.0.2.77", true],
    ["v=spf1 ip4:192.0.2.0/24 -all", "192.0.3.1", false],
    ["v=spf1 IP4:192.0.2.1 ~ALL", "192.0.2.1", true],
    ["v=spf1 -ip4:192.0.2.1 ip4:192.0.2.0/24 -all", "192.0.2.1", false],
    ["v=spf1 ip6:2001:db8::/32 -all", "2001:db8:1::1", true],
    ["v=spf1 ip6:2001:db8::/32 -all", "192.0.2.1", false],
    ["v=spf1 ip4:192.0.2.1 -all", "::ffff:192.0.2.1", true],
    ["v=spf1 a -all", "198.51.100.1", true],
    ["v=spf1 a/24 -all", "198.51.100.99", true],
    ["v=spf1 a:other.example.com//64 -all", "2001:db8::ffff", true],
    ["v=spf1 a:other.example.com -all", "2001:db8::ffff", false],
    ["v=spf1 mx -all", "203.0.113.9", true],
    ["v=spf1 mx:other.example.com/24 -all", "203.0.113.200", true],
    ["v=spf1 include:included.test -all", "192.0.2.8", true],
    ["v=spf1 include:included.test -all", "192.0.2.9", false],
    ["v=spf1 ?include:included.test -all", "192.0.2.8", false],
    ["v=spf1 redirect=included.test", "192.0.2.8", true],
    ["v=spf1 -all redirect=included.test", "192.0.2.8", false],
    ["v=spf1 ip4:192.0.2.1 exists:%{i}.list.test -all", "192.0.2.1", true],
    ["v=spf1 exists:%{i}.list.test -all", "192.0.2.1", null],
    ["v=spf1 include:%{d}.test -all", "192.0.2.1", null],
    ["v=spf1 ptr -all", "192.0.2.1", null],
    ["v=spf1 exp=explain.test unknown=x ip4:192.0.2.1 -all", "192.0.2.1", true],
  ];
  for (const [record, ip, allowed] of table) {
    test(`${record}: ${ip}`, async () => {
      const policy = await spf(record, {
        "A example.com": ["198.51.100.1"],
        "A other.example.com": ["2001:db8::1"],
        "MX example.com": ["mx.example.com"],
        "MX other.example.com": ["mx.example.com"],
        "A mx.example.com": ["203.0.113.9"],
        "TXT included.test": ["v=spf1 ip4:192.0.2.8 -all"],
      });
      assert.deepEqual(policy.faults, []);
      assert.equal(policy.allows(ip), allowed);
    });
  }
});

test("no policy, more than one, and no answer are told apart", async () => {
  const dns = zone({ "TXT example.com": ["v=spf10 -all", "spf1"] });
  assert.deepEqual(await readSpf(dns, "example.com"), { kind: "none" });
  const records = ["v=spf1 -all", "v=spf1 ~all"];
  dns.records.set("TXT example.com", records);
  assert.deepEqual(await readSpf(dns, "example.com"), { kind: "many", records });
  dns.silent.add("TXT example.com");
  assert.equal((await readSpf(dns, "example.com")).kind, "failed");
});

describe("a policy that receivers ignore", () => {
  const table: [record: string, fault: RegExp][] = [
    ["v=spf1 ip4:192.0.2 -all", /ip4:192\.0\.2.*not understood/],
    ["v=spf1 ip4:192.0.2.1/33 -all", /not understood/],
    ["v=spf1 ip6:192.0.2.1 -all", /not understood/],
    ["v=spf1 ip4 -all", /not understood/],
    ["v=spf1 include -all", /not understood/],
    ["v=spf1 ipv4:192.0.2.1 -all", /ipv4.*not understood/],
    ["v=spf1 all:x", /not understood/],
    ["v=spf1 a: -all", /not understood/],
    ["v=spf1 include:nothing.test -all", /nothing\.test, which has no SPF policy/],
    ["v=spf1 redirect=nothing.test", /nothing\.test, which has no SPF policy/],
    ["v=spf1 include:two.test -all", /more than one SPF policy/],
    ["v=spf1 a:x.test a:y.test a:z.test -all", /3 of its names do not exist/],
  ];
  for (const [record, fault] of table) {
    test(record, async () => {
      const policy = await spf(record, { "TXT two.test": ["v=spf1 -all", "v=spf1 +all"] });
      assert.equal(policy.faults.length, 1, policy.faults.join("\n"));
      assert.match(policy.faults[0]!, fault);
    });
  }
});

test("ten lookups are enough for receivers, with everything included; one more is a fault", async () => {
  const chain = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `TXT i${at}.test`,
        [at + 1 < count ? `v=spf1 include:i${at + 1}.test -all` : "v=spf1 ip4:192.0.2.1 -all"],
      ]),
    );
  const ten = await spf("v=spf1 include:i0.test ~all", chain(10));
  assert.deepEqual([ten.lookups, ten.faults, ten.allows("192.0.2.1")], [10, [], true]);
  const wide = await spf(`v=spf1 ${Array.from({ length: 11 }, () => "a").join(" ")} -all`, {
    "A example.com": ["192.0.2.1"],
  });
  assert.match(wide.faults.join(), /more than 10 DNS lookups/);
});

test("policies that include each other, or very many, end all the same", async () => {
  const dns = zone({
    "TXT example.com": ["v=spf1 include:a.test include:a.test -all"],
    "TXT a.test": ["v=spf1 include:example.com include:a.test -all"],
  });
  const policy = await policyOf(dns);
  assert.match(policy.faults.join(), /more than 10 DNS lookups/);
  assert.ok(dns.asked.length < 30, String(dns.asked.length));
});

test("what DNS does not tell is no fault of the policy, and leaves open who may send", async () => {
  const dns = zone({ "TXT example.com": ["v=spf1 include:slow.test a:slow.test -all"] });
  dns.silent.add("TXT slow.test");
  dns.silent.add("A slow.test");
  const policy = await policyOf(dns);
  assert.deepEqual(policy.faults, []);
  assert.equal(policy.unanswered.length, 2);
  assert.equal(policy.allows("192.0.2.1"), null);
});

test("the result for all other servers", async () => {
  const included = { "TXT other.test": ["v=spf1 ~all"] };
  assert.equal((await spf("v=spf1 -all")).otherwise, "-");
  assert.equal((await spf("v=spf1 all")).otherwise, "+");
  assert.equal((await spf("v=spf1 include:other.test", included)).otherwise, null);
  assert.equal((await spf("v=spf1 redirect=other.test", included)).otherwise, "~");
});
