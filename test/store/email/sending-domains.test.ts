// Sending domains and their keys, as both engines keep them: which keys sign, which wait, and that the process that drives the
// account's email lanes hears of it.

import assert from "node:assert/strict";
import test from "node:test";
import {
  activateKeys,
  addPendingKeys,
  createSendingDomain,
  findSendingDomain,
  findSigningKeys,
  maxSendingDomains,
  putActiveKeys,
  readSendingDomains,
  removeSendingDomain,
} from "#store/email/sending-domains.ts";
import type { DkimKeysTable, SendingDomainsTable } from "#store/schema/email.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

const domainRow = (accountId: string, domain: string): SendingDomainsTable => {
  return { id: fresh("dom"), account_id: accountId, domain, created_at: now, updated_at: now };
};

function keyRow(domain: SendingDomainsTable, columns: Partial<DkimKeysTable> = {}): DkimKeysTable {
  const id = fresh("dkim");
  return {
    id,
    domain_id: domain.id,
    account_id: domain.account_id,
    selector: `s-${id.replace("_", "-")}`,
    algorithm: "rsa-sha256",
    public_key: `public ${id}`,
    private_key: `sealed ${id}`,
    state: "pending",
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const statesOf = async (domain: SendingDomainsTable) => {
    const [found] = await run(readSendingDomains, { accountId: domain.account_id, id: domain.id });
    return Object.fromEntries(found!.keys.map(({ id, state }) => [id, state]));
  };
  const signing = async (accountId: string, ...domains: string[]) =>
    (await run(findSigningKeys, { accountId, domains })).map(({ id }) => id);
  const revision = async (gatewayId: string) =>
    (await open().query<{ revision: number }>("select revision from lanes where id = ?", gatewayId))[0]!
      .revision;

  /** A domain with an RSA and an Ed25519 key in this state. */
  async function made(state: "pending" | "active", name = "example.com") {
    const accountId = await makeAccount(open().database);
    const domain = domainRow(accountId, name);
    const rsa = keyRow(domain, { state });
    const edwards = keyRow(domain, { state, algorithm: "ed25519-sha256" });
    assert.equal(await run(createSendingDomain, { domain, keys: [rsa, edwards] }), "created");
    return { accountId, domain, rsa, edwards, of: { accountId, domainId: domain.id, at: now + 10 } };
  }

  test("a domain is stored with its keys, found by its name, and there once", async () => {
    const { accountId, domain, rsa, edwards } = await made("pending");
    const found = await run(findSendingDomain, { accountId, domain: "example.com" });
    assert.deepEqual({ ...found!.domain }, domain);
    assert.deepEqual(
      found!.keys.map((key) => ({ ...key })),
      [rsa, edwards],
    );
    const again = { ...domain, id: fresh("dom") };
    assert.equal(await run(createSendingDomain, { domain: again, keys: [] }), "taken");
    assert.equal(await run(findSendingDomain, { accountId, domain: "other.com" }), null);
  });

  test("two that make one domain at once: one does", async () => {
    const accountId = await makeAccount(open().database);
    const outcomes = await Promise.all(
      [open().database, open().other].map((database) =>
        database.run(createSendingDomain, { domain: domainRow(accountId, "example.com"), keys: [] }),
      ),
    );
    assert.deepEqual(outcomes.sort(), ["created", "taken"]);
  });

  test("an account has so many domains, and not one more", async () => {
    const accountId = await makeAccount(open().database);
    const create = (at: number) =>
      run(createSendingDomain, { domain: domainRow(accountId, `d${at}.example.com`), keys: [] });
    for (let at = 0; at < maxSendingDomains; at++) assert.equal(await create(at), "created");
    assert.equal(await create(maxSendingDomains), "too_many");
    assert.equal((await run(readSendingDomains, { accountId, id: null })).length, maxSendingDomains);
  });

  test("keys sign once they are active, and those of the most specific domain alone", async () => {
    const { accountId, rsa, edwards, of } = await made("pending");
    assert.deepEqual(await signing(accountId, "example.com"), []);
    assert.deepEqual(await run(activateKeys, { ...of, ids: [edwards.id] }), [edwards.id]);
    assert.deepEqual(await signing(accountId, "example.com"), [edwards.id]);
    assert.deepEqual(await run(activateKeys, { ...of, ids: null }), [rsa.id]);
    assert.deepEqual(await run(activateKeys, { ...of, ids: null }), []);
    assert.deepEqual(await signing(accountId, "example.com"), [rsa.id, edwards.id]);
    const below = domainRow(accountId, "news.example.com");
    const waiting = keyRow(below);
    await run(createSendingDomain, { domain: below, keys: [waiting] });
    const names = ["news.example.com", "example.com"];
    assert.deepEqual(await signing(accountId, ...names), [rsa.id, edwards.id], "its own key waits");
    await run(activateKeys, { ...of, domainId: below.id, ids: null });
    assert.deepEqual(await signing(accountId, ...names), [waiting.id]);
    assert.deepEqual(await signing(await makeAccount(open().database), ...names), []);
  });

  test("a rotation: the old keys sign until their successors do, each kind by itself, and lose their private half", async () => {
    const { domain, rsa, edwards, of } = await made("active");
    const next = [keyRow(domain), keyRow(domain, { algorithm: "ed25519-sha256" })] as const;
    const add = { ...of, keys: [...next], replace: false, deleteRetiredBefore: 0 };
    assert.equal(await run(addPendingKeys, add), "added");
    assert.deepEqual(await signing(of.accountId, "example.com"), [rsa.id, edwards.id]);
    await run(activateKeys, { ...of, ids: [next[0].id, rsa.id, "dkim_of_nobody"] });
    assert.deepEqual(await statesOf(domain), {
      [rsa.id]: "retired",
      [edwards.id]: "active",
      [next[0].id]: "active",
      [next[1].id]: "pending",
    });
    const [left] = await open().query<{ private_key: string }>(
      "select private_key from dkim_keys where id = ?",
      rsa.id,
    );
    assert.equal(left?.private_key, "");
    assert.deepEqual(await run(activateKeys, { ...of, ids: null }), [next[1].id]);
    assert.deepEqual(await signing(of.accountId, "example.com"), [next[0].id, next[1].id]);
  });

  test("new keys wait their turn, unless they replace those that wait; old retired ones are forgotten", async () => {
    const { domain, rsa, edwards, of } = await made("pending");
    const add = (deleteRetiredBefore: number, replace: boolean) => {
      const keys = [keyRow(domain)];
      return run(addPendingKeys, { ...of, keys, replace, deleteRetiredBefore });
    };
    assert.equal(await add(0, false), "pending");
    await run(activateKeys, { ...of, ids: [rsa.id] });
    assert.equal(await add(0, false), "pending", "one of the two still waits");
    assert.equal(await add(0, true), "added");
    assert.equal((await statesOf(domain))[edwards.id], undefined);
    await run(activateKeys, { ...of, ids: null });
    assert.equal((await statesOf(domain))[rsa.id], "retired");
    assert.equal(await add(of.at, false), "added");
    assert.equal((await statesOf(domain))[rsa.id], "retired", "not before its time");
    await run(activateKeys, { ...of, at: now + 20, ids: null });
    assert.equal(await add(of.at + 1, false), "added");
    assert.equal((await statesOf(domain))[rsa.id], undefined);
  });

  test("given keys sign at once, in the place of those of their selector and kind", async () => {
    const { accountId, domain, rsa, edwards, of } = await made("active");
    const existing = keyRow(domain, { state: "active", selector: rsa.selector });
    assert.equal(await run(putActiveKeys, { ...of, keys: [existing] }), true);
    assert.deepEqual(await signing(accountId, "example.com"), [existing.id, edwards.id]);
    const next = keyRow(domain, { state: "active" });
    await run(putActiveKeys, { ...of, keys: [next] });
    assert.deepEqual(await signing(accountId, "example.com"), [next.id, edwards.id]);
    assert.equal((await statesOf(domain))[existing.id], "retired");
  });

  test("what changes the keys that sign opens the account's email lanes again, and no others", async () => {
    const { accountId, domain, of } = await made("pending");
    const { database } = open();
    const email = await makeGateway(database, accountId, { channel: "email", kind: "smtp" });
    const sms = await makeGateway(database, accountId);
    const foreign = await makeGateway(database, await makeAccount(database), { channel: "email" });
    const all = () => Promise.all([email, sms, foreign].map(revision));
    const before = await all();
    const moved = async (by: number) => {
      assert.deepEqual(await all(), [before[0]! + by, before[1], before[2]]);
    };
    await run(addPendingKeys, { ...of, keys: [keyRow(domain)], replace: true, deleteRetiredBefore: 0 });
    await moved(0);
    await run(activateKeys, { ...of, ids: null });
    await moved(1);
    await run(activateKeys, { ...of, ids: null });
    await moved(1);
    await run(putActiveKeys, { ...of, keys: [keyRow(domain, { state: "active" })] });
    await moved(2);
    await run(removeSendingDomain, of);
    await moved(3);
    const other = domainRow(accountId, "other.com");
    await run(createSendingDomain, { domain: other, keys: [keyRow(other, { state: "active" })] });
    await moved(4);
  });

  test("what is another account's is not there", async () => {
    const { accountId, domain, rsa, of } = await made("active");
    const ofOther = { ...of, accountId: await makeAccount(open().database) };
    assert.deepEqual(await run(readSendingDomains, { accountId: ofOther.accountId, id: domain.id }), []);
    const keys = [keyRow(domain)];
    assert.equal(
      await run(addPendingKeys, { ...ofOther, keys, replace: true, deleteRetiredBefore: now }),
      "not_found",
    );
    assert.equal(await run(activateKeys, { ...ofOther, ids: null }), null);
    assert.equal(await run(putActiveKeys, { ...ofOther, keys }), false);
    assert.equal(await run(removeSendingDomain, ofOther), false);
    assert.equal((await statesOf(domain))[rsa.id], "active");
    assert.equal(await run(removeSendingDomain, of), true);
    assert.equal(await run(removeSendingDomain, of), false);
    assert.deepEqual(await run(readSendingDomains, { accountId, id: null }), []);
    assert.deepEqual(await open().query("select id from dkim_keys where domain_id = ?", domain.id), []);
  });
});
