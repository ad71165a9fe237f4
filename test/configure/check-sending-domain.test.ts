// A check lets keys sign whose records are right, and no others; it knows the account's own gateways.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { accountInput } from "#configure/account.ts";
import { checkSendingDomain } from "#configure/check-sending-domain.ts";
import {
  createSendingDomain,
  deleteSendingDomain,
  rotateDomainKeys,
  sendingDomainInput,
} from "#configure/sending-domain.ts";
import { recordsOf } from "#gateways/email/deliverability/domain-records.ts";
import { readSendingDomains } from "#store/email/sending-domains.ts";
import { saveGateway, settingsContext } from "#store/gateways/gateways.ts";
import { type Zone, zone } from "../dns-zone.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
let dns: Zone;
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  dns = zone();
});
afterEach(() => open.close());

async function made() {
  const input = sendingDomainInput.parse({ domain: "example.com" });
  const result = await createSendingDomain(open.deps, accountId, input);
  assert.ok(result.kind === "saved");
  return await find(result.id);
}

async function find(id: string) {
  const [found] = await open.deps.database.run(readSendingDomains, { accountId, id });
  assert.ok(found);
  return found;
}

const check = async (id: string) => await checkSendingDomain({ ...open.deps, dns }, await find(id));

/** Publishes what the domain's page says, or the first of it. */
function publish({ domain, keys }: Awaited<ReturnType<typeof made>>, count = 9) {
  for (const { name, value } of recordsOf(domain.domain, keys).slice(0, count))
    dns.records.set(`TXT ${name}`, [value]);
}

test("keys sign one by one as their records appear, and their predecessors until then", async () => {
  const first = await made();
  const { id } = first.domain;
  const [rsa, edwards] = first.keys.map((key) => key.id);
  assert.deepEqual((await check(id))?.activated, []);
  publish(first, 1);
  const half = await check(id);
  assert.deepEqual(half?.activated, [rsa]);
  assert.deepEqual(
    half.findings.dkim.map(({ result }) => result),
    ["ok", "missing"],
  );
  publish(first);
  assert.deepEqual((await check(id))?.activated, [edwards]);
  assert.deepEqual((await check(id))?.activated, [], "they sign already");
  await rotateDomainKeys(open.deps, first.domain, { replace: false });
  assert.deepEqual((await check(id))?.activated, []);
  publish(await find(id));
  assert.equal((await check(id))?.activated.length, 2);
  assert.deepEqual(
    (await find(id)).keys.map(({ state }) => state),
    ["retired", "retired", "active", "active"],
  );
  assert.equal((await check(id))?.findings.dmarc.result, "ok", "as it was advised");
});

test("a key that signs goes on doing so when its record is gone, and the check says so", async () => {
  const found = await made();
  publish(found);
  await check(found.domain.id);
  dns.records.clear();
  const { findings } = (await check(found.domain.id))!;
  assert.deepEqual(
    findings.dkim.map(({ result }) => result),
    ["missing", "missing"],
  );
  assert.deepEqual(
    (await find(found.domain.id)).keys.map(({ state }) => state),
    ["active", "active"],
  );
});

test("the servers of the account's own gateways are looked for in the policy, other accounts' are not", async () => {
  const found = await made();
  const otherAccount = await upsertAccount(open.deps, accountInput.parse({ name: "stranger" }));
  for (const [account, host] of [
    [accountId, "smtp.ours.test"],
    [otherAccount, "smtp.theirs.test"],
  ] as const) {
    const id = open.deps.newId("gw");
    const settings = JSON.stringify({ host, from: "news@Example.com" });
    await open.deps.database.run(saveGateway, {
      id,
      account_id: account,
      identifier: `mail-${host}`,
      channel: "email",
      kind: "smtp",
      active: 1,
      is_default: 0,
      test: 0,
      settings: open.deps.sealer.seal(settings, settingsContext(id)),
      rules: "{}",
      counting: null,
      mail_sender: null,
      draining_at: null,
      revision: 0,
      created_at: 0,
      updated_at: 0,
    });
  }
  const { findings } = (await check(found.domain.id))!;
  assert.match(findings.spf.advice ?? "", /a:smtp\.ours\.test/);
  assert.doesNotMatch(JSON.stringify(findings), /theirs/);
});

test("a domain that is deleted meanwhile has no check", async () => {
  const found = await made();
  await deleteSendingDomain(open.deps, accountId, found.domain.id);
  assert.equal(await checkSendingDomain({ ...open.deps, dns }, found), null);
});
