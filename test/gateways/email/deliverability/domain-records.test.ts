// What is shown to be published is what verifiers read, also where a zone file needs it in pieces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { domainOf, recordsOf } from "#gateways/email/deliverability/domain-records.ts";
import type { DkimKeysTable } from "#store/schema/email.ts";

const key = (columns: Partial<DkimKeysTable>): DkimKeysTable => ({
  id: "dkim_1",
  domain_id: "dom_1",
  account_id: "acc_1",
  selector: "s1",
  algorithm: "rsa-sha256",
  public_key: "A".repeat(392),
  private_key: "sealed",
  state: "active",
  created_at: 0,
  updated_at: 0,
  ...columns,
});

test("a record for each key that signs or is about to, and advice on a policy", () => {
  const records = recordsOf("example.com", [
    key({ state: "retired", selector: "old" }),
    key({}),
    key({ state: "pending", selector: "s2", algorithm: "ed25519-sha256", public_key: "B".repeat(44) }),
  ]);
  assert.deepEqual(
    records.map(({ name, type, required }) => [name, type, required]),
    [
      ["s1._domainkey.example.com", "TXT", true],
      ["s2._domainkey.example.com", "TXT", true],
      ["_dmarc.example.com", "TXT", false],
    ],
  );
  const [rsa, edwards, dmarc] = records;
  assert.equal(rsa?.value, `v=DKIM1; k=rsa; p=${"A".repeat(392)}`);
  assert.deepEqual(
    rsa?.strings.map(({ length }) => length),
    [255, 155],
  );
  assert.equal(rsa?.strings.join(""), rsa?.value);
  assert.deepEqual(edwards?.strings, [`v=DKIM1; k=ed25519; p=${"B".repeat(44)}`]);
  assert.equal(dmarc?.value, "v=DMARC1; p=none; rua=mailto:dmarc@example.com");
  assert.ok(!JSON.stringify(records).includes("sealed"));
});

test("domains are read in one spelling, and what is not a domain is refused", () => {
  assert.equal(domainOf("News.Example.COM"), "news.example.com");
  assert.equal(domainOf("bücher.example"), "xn--bcher-kva.example");
  for (const text of ["", "example", "-a.com", "a_b.com", "1.2.3.4", "a..com", "x@example.com", "a.com/x"])
    assert.equal(domainOf(text), null, text);
});
