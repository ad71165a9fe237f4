// The keys that a gateway signs with: they sign what an independent verifier accepts, for the domain and those below.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { accountInput } from "#configure/account.ts";
import { activateDomainKeys, createSendingDomain, sendingDomainInput } from "#configure/sending-domain.ts";
import { recordsOf } from "#gateways/email/deliverability/domain-records.ts";
import { dkimSignatures } from "#gateways/email/mime/dkim.ts";
import { activeDkimKeys } from "#messaging/email/signing-keys.ts";
import { readSendingDomains } from "#store/email/sending-domains.ts";
import { createSealer } from "#store/seal.ts";
import { type Configuring, openConfiguring } from "../../configure/deps.ts";
import { upsertAccount } from "../../configure/upsert-account.ts";

let open: Configuring;
let accountId: string;
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
afterEach(() => open.close());

const keysFor = (domain: string, account = accountId) =>
  activeDkimKeys(open.deps.database, open.deps.sealer, account, domain);

async function made(domain: string) {
  const result = await createSendingDomain(open.deps, accountId, sendingDomainInput.parse({ domain }));
  assert.ok(result.kind === "saved");
  const [found] = await open.deps.database.run(readSendingDomains, { accountId, id: result.id });
  return found!;
}

test("nothing signs until it is activated; then mail carries the pair's two signatures, which the shown records verify", async () => {
  const { domain, keys: rows } = await made("example.com");
  assert.deepEqual(await keysFor("example.com"), []);
  await activateDomainKeys(open.deps, domain, null);
  const keys = await keysFor("example.com");
  assert.deepEqual(
    keys.map(({ algorithm }) => algorithm),
    ["rsa-sha256", "ed25519-sha256"],
  );
  const raw = Buffer.from("From: news@mail.example.com\r\nTo: a@b.test\r\nSubject: x\r\n\r\nHello\r\n");
  const mail = Buffer.concat([await dkimSignatures(raw, keys, open.deps.clock.now()), raw]);
  const published = recordsOf("example.com", rows);
  const { results } = await dkimVerify(mail, {
    resolver: async (name: string) =>
      published.filter((record) => record.name === name).map((r) => r.strings),
  });
  assert.deepEqual(
    results.map(({ status, signingDomain }) => [status.result, signingDomain, status.aligned]),
    [
      ["pass", "example.com", "example.com"],
      ["pass", "example.com", "example.com"],
    ],
  );
});

test("a domain below is signed by the nearest one above it that has active keys", async () => {
  const above = await made("example.com");
  await activateDomainKeys(open.deps, above.domain, null);
  const below = await made("mail.example.com");
  const domainOf = async (domain: string) => (await keysFor(domain))[0]?.domain;
  assert.equal(await domainOf("a.mail.EXAMPLE.com"), "example.com");
  await activateDomainKeys(open.deps, below.domain, null);
  assert.equal(await domainOf("a.mail.example.com"), "mail.example.com");
  assert.equal(await domainOf("mail.example.com"), "mail.example.com");
  assert.equal(await domainOf("example.com"), "example.com");
  for (const other of ["otherexample.com", "com", "example.org", ""])
    assert.deepEqual(await keysFor(other), []);
  assert.deepEqual(await keysFor("example.com", "acc_other"), []);
});

test("keys that were sealed with another master key are a fault, not unsigned mail", async () => {
  const { domain } = await made("example.com");
  await activateDomainKeys(open.deps, domain, null);
  const other = createSealer("another master key, for this test only", open.deps.random);
  await assert.rejects(activeDkimKeys(open.deps.database, other, accountId, "example.com"));
});
