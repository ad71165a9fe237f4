// Sending domains: what is made waits for DNS, what is carried over signs at once, and the private half of a key
// is stored nowhere in the clear.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { accountInput } from "#configure/account.ts";
import {
  activateDomainKeys,
  createSendingDomain,
  deleteSendingDomain,
  rotateDomainKeys,
  rotateInput,
  sendingDomainInput,
  upsertSendingDomain,
} from "#configure/sending-domain.ts";
import { publishedKey, readPrivateKey } from "#gateways/email/mime/dkim-key.ts";
import { privateKeyContext, readSendingDomains } from "#store/email/sending-domains.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

const pem = { type: "pkcs8", format: "pem" } as const;
const ownRsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pem).toString();
const ownEdwards = generateKeyPairSync("ed25519").privateKey.export(pem).toString();
const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pem).toString();

let open: Configuring;
let accountId: string;
beforeEach(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
});
afterEach(() => open.close());

const create = (input: object = {}) =>
  createSendingDomain(open.deps, accountId, sendingDomainInput.parse({ domain: "example.com", ...input }));
const provision = (input: object = {}) =>
  upsertSendingDomain(open.deps, accountId, sendingDomainInput.parse({ domain: "example.com", ...input }));

async function made(input: object = {}) {
  const result = await create(input);
  assert.ok(result.kind === "saved");
  return await find(result.id);
}

async function find(id: string) {
  const [found] = await open.deps.database.run(readSendingDomains, { accountId, id });
  assert.ok(found);
  return found;
}

test("a new domain has an RSA and an Ed25519 key, which wait; their private halves are sealed to their rows", async () => {
  const { domain, keys } = await made({ domain: "News.Example.com" });
  assert.equal(domain.domain, "news.example.com");
  assert.deepEqual(
    keys.map(({ algorithm, state }) => [algorithm, state]),
    [
      ["rsa-sha256", "pending"],
      ["ed25519-sha256", "pending"],
    ],
  );
  const selectors = keys.map(({ selector }) => /^tl-([2-9a-z]{6})-(rsa|ed25519)$/.exec(selector));
  assert.deepEqual(
    selectors.map((found) => found?.[2]),
    ["rsa", "ed25519"],
  );
  assert.equal(selectors[0]?.[1], selectors[1]?.[1]);
  for (const key of keys) {
    const opened = open.deps.sealer.unseal(key.private_key, privateKeyContext(key.id));
    const read = readPrivateKey(opened);
    assert.ok(read);
    assert.deepEqual([read.algorithm, publishedKey(read)], [key.algorithm, key.public_key]);
    assert.throws(() => open.deps.sealer.unseal(key.private_key, privateKeyContext("dkim_other")));
    assert.ok(!open.dump().includes(opened.split("\n")[1]!));
  }
});

test("keys that are given sign at once, and stand nowhere in the clear", async () => {
  const keys = [
    { selector: "Mail2025", private_key: ownRsa },
    { selector: "ed.mail2025", private_key: ownEdwards },
  ];
  const found = await made({ keys });
  assert.deepEqual(
    found.keys.map(({ selector, state }) => [selector, state]),
    [
      ["mail2025", "active"],
      ["ed.mail2025", "active"],
    ],
  );
  for (const text of [ownRsa, ownEdwards]) assert.ok(!open.dump().includes(text.split("\n")[1]!));
  assert.equal(open.deps.notified.lanes, 1);
});

test("faults of the input are reported by field, and never repeat a key", () => {
  const keys = (...list: object[]) => ({ domain: "example.com", keys: list });
  for (const [input, place] of [
    [{ domain: "example" }, "domain"],
    [{ domain: "a@example.com" }, "domain"],
    [keys({ selector: "a b", private_key: ownRsa }), "keys.0.selector"],
    [keys({ selector: "s1", private_key: weak }), "keys.0.private_key"],
    [keys({ selector: "s1", private_key: "hunter2" }), "keys.0.private_key"],
    [keys({ selector: "s1", private_key: ownRsa }, { selector: "s2", private_key: ownRsa }), "keys"],
    [keys({ selector: "s1", private_key: ownRsa }, { selector: "S1", private_key: ownEdwards }), "keys"],
    [{ domain: "example.com", colour: "red" }, ""],
  ] as const) {
    const result = sendingDomainInput.safeParse(input);
    assert.deepEqual(
      result.error?.issues.map(({ path }) => path.join(".")),
      [place],
    );
    assert.doesNotMatch(JSON.stringify(result.error?.issues), /hunter2|PRIVATE/);
  }
});

test("a domain is there once for an account, and each account may have it", async () => {
  await made();
  assert.deepEqual(await create({ domain: "EXAMPLE.com" }), {
    kind: "invalid",
    issues: [{ path: ["domain"], message: "is taken" }],
  });
  const own = accountId;
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "stranger" }));
  await made();
  assert.notEqual(own, accountId);
});

test("a rotation has new selectors, waits while another one does, and takes over when it is activated", async () => {
  const first = await made();
  const ids = first.keys.map(({ id }) => id);
  const rotate = (input: object = {}) => rotateDomainKeys(open.deps, first.domain, rotateInput.parse(input));
  assert.equal(await rotate(), "pending");
  assert.deepEqual(await activateDomainKeys(open.deps, first.domain, null), ids);
  assert.equal(await rotate(), "added");
  assert.equal(await rotate(), "pending");
  assert.equal(await rotate({ replace: true }), "added");
  const { keys } = await find(first.domain.id);
  assert.deepEqual(
    keys.map(({ state }) => state),
    ["active", "active", "pending", "pending"],
  );
  assert.equal(new Set(keys.map(({ selector }) => selector)).size, 4);
  const notified = open.deps.notified.lanes;
  await activateDomainKeys(open.deps, first.domain, null);
  assert.equal(open.deps.notified.lanes, notified + 1);
  assert.deepEqual(
    (await find(first.domain.id)).keys.map(({ state }) => state),
    ["retired", "retired", "active", "active"],
  );
  await open.deps.clock.advance(31 * 86_400_000);
  await rotate();
  assert.equal((await find(first.domain.id)).keys.length, 4, "what was retired a month ago is forgotten");
});

test("provisioning makes what is not there, and leaves keys alone unless it gives others", async () => {
  const result = await provision();
  assert.ok(result.kind === "saved");
  const before = open.dump();
  assert.deepEqual(await provision(), result);
  assert.equal(open.dump(), before);
  const keys = [{ selector: "mail2025", private_key: ownRsa }];
  assert.deepEqual(await provision({ keys }), result);
  const existing = await find(result.id);
  assert.deepEqual(
    existing.keys.filter(({ state }) => state === "active").map(({ selector }) => selector),
    ["mail2025"],
  );
  const after = open.dump();
  await provision({ keys });
  assert.equal(open.dump(), after, "the same one again changes nothing");
  await provision({ keys: [{ selector: "mail2025", private_key: ownEdwards }] });
  const { keys: replaced } = await find(result.id);
  assert.deepEqual(
    replaced.filter(({ selector }) => selector === "mail2025").map(({ algorithm }) => algorithm),
    ["ed25519-sha256"],
  );
});

test("deleted, nothing is left of it, and another account cannot do it", async () => {
  const { domain, keys } = await made();
  const otherAccount = await upsertAccount(open.deps, accountInput.parse({ name: "stranger" }));
  assert.equal(await deleteSendingDomain(open.deps, otherAccount, domain.id), false);
  assert.equal(await activateDomainKeys(open.deps, { id: domain.id, account_id: otherAccount }, null), null);
  assert.equal(await deleteSendingDomain(open.deps, accountId, domain.id), true);
  assert.equal(await deleteSendingDomain(open.deps, accountId, domain.id), false);
  assert.ok(!open.dump().includes(keys[0]!.selector));
  assert.equal(await rotateDomainKeys(open.deps, domain, { replace: false }), "not_found");
});
