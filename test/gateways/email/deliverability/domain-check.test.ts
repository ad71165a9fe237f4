// Each thing that can be wrong with a domain's records is found, said in plain words, and told apart from DNS that
// did not answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkDomain, type Finding, type MailRoute } from "#gateways/email/deliverability/domain-check.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { DkimKeysTable } from "#store/schema/email.ts";
import { type Zone, zone } from "../../../dns-zone.ts";

const key: DkimKeysTable = {
  id: "dkim_1",
  domain_id: "dom_1",
  account_id: "acc_1",
  selector: "s1",
  algorithm: "rsa-sha256",
  public_key: "MIIBIjAN",
  private_key: "sealed",
  state: "pending",
  created_at: 0,
  updated_at: 0,
};
const edwards: DkimKeysTable = {
  ...key,
  id: "dkim_2",
  selector: "s2",
  algorithm: "ed25519-sha256",
  public_key: "11qYAYKx",
};
const smtp: MailRoute = { identifier: "mail", domain: "example.com", host: "smtp.example.com" };

const check = (dns: Zone, keys = [key], routes: MailRoute[] = [smtp]) =>
  checkDomain({ dns, clock: movableClock() }, "example.com", keys, routes);

/** A finding's result, and that its words match. */
function expect(finding: Finding | undefined, result: Finding["result"], words: RegExp): void {
  assert.ok(finding);
  const sentence = `${finding.message} ${finding.advice ?? ""}`;
  assert.equal(finding.result, result, sentence);
  assert.match(sentence, words);
}

describe("DKIM", () => {
  const at = "TXT s1._domainkey.example.com";
  const table: [what: string, records: string[] | null, result: Finding["result"], words: RegExp][] = [
    ["no record", null, "missing", /Publish a TXT record at s1\._domainkey\.example\.com.*p=MIIBIjAN/],
    ["the right one", ["v=DKIM1; k=rsa; p=MIIBIjAN"], "ok", /is there/],
    ["in other words", ["p = MIIB IjAN ; t=s;n=note; K=RSA;h=sha1:sha256; s=*"], "ok", /is there/],
    ["another key", ["v=DKIM1; k=rsa; p=AAAA"], "wrong", /another key/],
    ["cut off", ["v=DKIM1; k=rsa; p=MIIB"], "wrong", /cut off.*strings/],
    ["revoked", ["v=DKIM1; p="], "wrong", /revoked/],
    ["another kind", ["v=DKIM1; k=ed25519; p=MIIBIjAN"], "wrong", /kind ed25519/],
    ["SHA-1 alone", ["v=DKIM1; h=sha1; p=MIIBIjAN"], "wrong", /SHA-256/],
    ["not for mail", ["v=DKIM1; s=other; p=MIIBIjAN"], "wrong", /does not allow/],
    ["a test", ["v=DKIM1; t=y; p=MIIBIjAN"], "doubtful", /t=y/],
    ["another version", ["v=DKIM2; p=MIIBIjAN"], "wrong", /not a DKIM record/],
    ["another thing", ["hello"], "wrong", /not a DKIM record/],
    ["two", ["v=DKIM1; p=MIIBIjAN", "v=DKIM1; p=AAAA"], "wrong", /more than one/],
  ];
  for (const [what, records, result, words] of table) {
    test(what, async () => {
      const { dkim } = await check(zone(records === null ? {} : { [at]: records }));
      expect(dkim[0], result, words);
      assert.deepEqual(dkim[0]?.found, records ?? []);
    });
  }

  test("each key is judged by itself, a retired one not at all, and Ed25519 has to be named", async () => {
    const dns = zone({
      [at]: ["v=DKIM1; p=MIIBIjAN"],
      "TXT s2._domainkey.example.com": ["v=DKIM1; p=11qYAYKx"],
    });
    const { dkim } = await check(dns, [key, edwards, { ...key, id: "dkim_3", state: "retired" }]);
    assert.deepEqual(
      dkim.map(({ keyId, result }) => [keyId, result]),
      [
        ["dkim_1", "ok"],
        ["dkim_2", "wrong"],
      ],
    );
  });

  test("no answer is no verdict", async () => {
    const dns = zone();
    dns.silent.add(at);
    expect((await check(dns)).dkim[0], "unknown", /did not answer.*again/);
  });
});

describe("SPF", () => {
  const at = "TXT example.com";
  const spf = async (records: Record<string, string[]>, routes = [smtp]) =>
    (await check(zone({ "A smtp.example.com": ["192.0.2.1"], ...records }), [], routes)).spf;

  test("none: what to publish names the server where one is known", async () => {
    expect(
      await spf({}),
      "missing",
      /Publish a TXT record at example\.com.*v=spf1 a:smtp\.example\.com ~all/,
    );
    expect(await spf({}, [{ ...smtp, host: null }]), "missing", /Ask your mail provider/);
    expect(await spf({}, []), "missing", /Ask your mail provider/);
  });

  test("one that allows the server", async () => {
    const finding = await spf({ [at]: ["v=spf1 ip4:192.0.2.0/24 ~all"] });
    expect(finding, "ok", /0 of 10.*allows smtp\.example\.com/);
    assert.equal(finding.advice, null);
  });

  test("one that does not is no fault: the server may hand mail on to others", async () => {
    const record = { [at]: ["v=spf1 include:provider.test ~all"], "TXT provider.test": ["v=spf1 -all"] };
    expect(await spf(record), "doubtful", /does not name the addresses of smtp\.example\.com.*hands mail on/);
    expect(await spf(record, [{ ...smtp, host: null }]), "ok", /yours asks for/);
    expect(await spf(record, [{ ...smtp, domain: "other.com" }]), "ok", /1 of 10/);
  });

  test("what makes it worthless or void", async () => {
    expect(await spf({ [at]: ["v=spf1 +all"] }), "wrong", /every server/);
    expect(await spf({ [at]: ["v=spf1 -all", "v=spf1 ~all"] }), "wrong", /more than one/);
    expect(await spf({ [at]: ["v=spf1 ipv4:1.2.3.4 -all"] }), "wrong", /not understood/);
    expect(await spf({ [at]: ["v=spf1 a:smtp.example.com"] }), "doubtful", /says nothing/);
  });

  test("no answer is no verdict", async () => {
    const dns = zone({ [at]: ["v=spf1 include:slow.test -all"] });
    dns.silent.add("TXT slow.test");
    expect((await check(dns)).spf, "unknown", /slow\.test/);
    dns.silent.add(at);
    expect((await check(dns)).spf, "unknown", /did not answer/);
  });
});

describe("DMARC", () => {
  const at = "TXT _dmarc.example.com";
  const dmarc = async (records: Record<string, string[]>, routes = [smtp]) =>
    (await check(zone(records), [], routes)).dmarc;

  test("none: p=none first, with reports", async () => {
    expect(await dmarc({}), "missing", /v=DMARC1; p=none; rua=mailto:dmarc@example\.com.*p=quarantine/);
    expect(await dmarc({ [at]: ["v=spf1 -all"] }), "missing", /no DMARC policy/);
  });

  test("each policy", async () => {
    expect(await dmarc({ [at]: ["v=DMARC1; p=none; rua=mailto:a@b.test"] }), "ok", /policy is p=none.*go on/);
    expect(await dmarc({ [at]: ["v=DMARC1;p=none"] }), "ok", /No reports are sent/);
    expect(await dmarc({ [at]: ["v=DMARC1; p=quarantine"] }), "ok", /put aside.*No reports are sent/);
    const strict = await dmarc({ [at]: ["v=DMARC1; p=Reject; rua=mailto:a@b.test"] });
    expect(strict, "ok", /refused.*aligned/);
    assert.equal(strict.advice, null);
  });

  test("faults", async () => {
    expect(await dmarc({ [at]: ["v=DMARC1; p=nothing"] }), "wrong", /does not say/);
    expect(await dmarc({ [at]: ["v=DMARC1; rua=mailto:a@b.test"] }), "wrong", /does not say/);
    expect(await dmarc({ [at]: ["v=DMARC1; p=none", "v=DMARC1; p=reject"] }), "wrong", /more than one/);
  });

  test("strict alignment, where gateways write from domains below", async () => {
    const record = { [at]: ["v=DMARC1; p=reject; adkim=s; rua=mailto:a@b.test"] };
    const below = { ...smtp, domain: "news.example.com" };
    expect(await dmarc(record), "ok", /refused/);
    expect(await dmarc(record, [smtp, below]), "doubtful", /news\.example\.com/);
    expect(await dmarc(record, [{ ...smtp, domain: "notexample.com" }]), "ok", /refused/);
  });

  test("the policy of the domain above counts where a domain has no policy, with what it says of those below", async () => {
    const above = async (record: string) => {
      const dns = zone({ "TXT _dmarc.example.com": [record] });
      return (await checkDomain({ dns, clock: movableClock() }, "a.mail.example.com", [], [])).dmarc;
    };
    const inherited = await above("v=DMARC1; p=reject; sp=none; rua=mailto:a@b.test");
    expect(inherited, "ok", /policy is p=none.*the one of example\.com/);
    assert.equal(inherited.name, "_dmarc.example.com");
    expect(await above("v=DMARC1; p=reject"), "ok", /refused/);
  });

  test("no answer is no verdict", async () => {
    const dns = zone();
    dns.silent.add(at);
    expect((await check(dns)).dmarc, "unknown", /did not answer/);
  });
});

test("a check asks DNS so often and no oftener, and for so long and no longer", async () => {
  const endless = zone();
  const many = Array.from({ length: 200 }, (_, at) => ({ ...key, id: `dkim_${at}`, selector: `s${at}` }));
  const { dkim } = await check(endless, many);
  assert.ok(endless.asked.length <= 100, String(endless.asked.length));
  expect(dkim.at(-1), "unknown", /too many DNS lookups/);
  const slow = zone();
  const clock = movableClock();
  const txt: Zone["txt"] = async (name) => {
    await clock.advance(30_000);
    return await slow.txt(name);
  };
  const late = await checkDomain({ dns: { ...slow, txt }, clock }, "a.b.example.com", [], []);
  expect(late.dmarc, "unknown", /too long/);
});
