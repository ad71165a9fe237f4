// Sending domains in the provisioning file: made once, keys carried over, and no key in what is said or stored.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { deleteSendingDomain } from "#configure/sending-domain.ts";
import { applyProvision } from "#provision/apply.ts";
import { provisionFile, readProvisionFile } from "#provision/file.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { readSendingDomains } from "#store/email/sending-domains.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

let open: Configuring;
beforeEach(async () => {
  open = await openConfiguring();
});
afterEach(() => open.close());

const pem = { type: "pkcs8", format: "pem" } as const;
const private_key = generateKeyPairSync("ed25519").privateKey.export(pem).toString();
const api_key = "tl_0123456789abcdef0123456789abcdef";
const entry = { domain: "example.com", keys: [{ selector: "mail2025", private_key }] };
const apply = (...sending_domains: object[]) =>
  applyProvision(open.deps, provisionFile.parse({ accounts: [{ name: "acme", api_key, sending_domains }] }));
const fine = { errors: [], made: [] };

async function domains() {
  const account = await open.deps.database.run(findAccountByName, "acme");
  return await open.deps.database.run(readSendingDomains, { accountId: account!.id, id: null });
}

test("what a file names is there afterwards, and applying it again changes nothing", async () => {
  assert.deepEqual(await apply(entry, { domain: "other.com" }), fine);
  assert.deepEqual(
    (await domains()).map(({ domain, keys }) => [domain.domain, keys.map(({ state }) => state)]),
    [
      ["example.com", ["active"]],
      ["other.com", ["pending", "pending"]],
    ],
  );
  const before = open.dump();
  await open.deps.clock.advance(60_000);
  assert.deepEqual(await apply(entry, { domain: "other.com" }), fine);
  assert.equal(open.dump(), before);
  assert.equal(open.query("select id from audit_entries where action = 'configureSendingDomain'").length, 2);
  assert.ok(!open.dump().includes(private_key.split("\n")[1]!));
  assert.ok(!open.deps.log.text().includes(private_key.split("\n")[1]!));
});

test("what was deleted elsewhere stays so until its entry changes", async () => {
  await apply(entry);
  const [{ domain }] = (await domains()) as [Awaited<ReturnType<typeof domains>>[number]];
  await deleteSendingDomain(open.deps, domain.account_id, domain.id);
  await apply(entry);
  assert.deepEqual(await domains(), []);
  const keys = [{ selector: "mail2026", private_key }];
  await apply({ ...entry, keys });
  assert.deepEqual(
    (await domains()).map(({ keys: [key] }) => key?.selector),
    ["mail2026"],
  );
});

test("errors are reported with their place, and never repeat a key", () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-domains-"));
  const read = (sending_domains: object[]) => {
    const path = join(folder, "provision.yaml");
    writeFileSync(path, JSON.stringify({ accounts: [{ name: "acme", api_key, sending_domains }] }));
    const result = readProvisionFile(path, { KEY: private_key });
    return "errors" in result ? result.errors : [];
  };
  try {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in from the environment
    const filled = "${KEY}";
    assert.deepEqual(read([{ ...entry, keys: [{ selector: "s", private_key: filled }] }]), []);
    const bad = read([{ domain: "example.com", keys: [{ selector: "s", private_key: "hunter2" }] }]);
    assert.equal(bad.length, 1);
    assert.match(bad[0]!, /^accounts\.0\.sending_domains\.0\.keys\.0\.private_key: Must be/);
    assert.doesNotMatch(bad[0]!, /hunter2/);
    assert.deepEqual(read([{ domain: "example.com" }, { domain: "EXAMPLE.com" }]), [
      "accounts: acme: sending_domains: example.com is given twice",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
