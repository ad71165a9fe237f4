// Sending domains through the management API: from making one to signing, and no private key in any answer, log or
// audit entry on the way.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import {
  domainCheckReply,
  type SendingDomainData,
  sendingDomainReply,
  sendingDomainsReply,
} from "#contract/manage/sending-domains.ts";
import { activeDkimKeys } from "#messaging/email/signing-keys.ts";
import { createSealer } from "#store/seal.ts";
import { type Zone, zone } from "../../../../dns-zone.ts";
import { seededRandom } from "../../../../harness.ts";
import { auditOf } from "../../../managing.ts";
import { dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let dns: Zone;
let accountId: string;
let path: string;
before(async () => {
  dns = zone();
  m = await managed({ started: false, dns });
  accountId = (await m.it.account()).id;
  path = `/accounts/${accountId}/sending-domains`;
});
after(() => m.close());

const pem = { type: "pkcs8", format: "pem" } as const;
const privateKey = generateKeyPairSync("ed25519").privateKey.export(pem).toString();
const weakKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pem).toString();

const post = (place: string, body?: object) => m.operator("POST", `${path}${place}`, body);
const find = async (id: string) => dataOf<SendingDomainData>(await m.operator("GET", `${path}/${id}`));
const states = ({ keys }: SendingDomainData) => keys.map(({ state }) => state);
const publish = ({ records }: SendingDomainData) => {
  for (const { name, value } of records) dns.records.set(`TXT ${name}`, [value]);
};

test("made, published, checked, rotated, activated, deleted", async () => {
  const made = sendingDomainReply.parse((await post("", { domain: "Example.com" })).json()).data;
  assert.deepEqual([made.domain, states(made)], ["example.com", ["pending", "pending"]]);
  assert.deepEqual(await find(made.id), made);
  const list = sendingDomainsReply.parse((await m.operator("GET", path)).json());
  assert.deepEqual(list.data, [made]);

  const early = domainCheckReply.parse((await post(`/${made.id}/check`)).json()).data;
  assert.deepEqual([early.dkim.map(({ result }) => result), early.activated], [["missing", "missing"], []]);
  publish(made);
  const checked = domainCheckReply.parse((await post(`/${made.id}/check`)).json()).data;
  const ids = made.keys.map(({ id }) => id);
  assert.deepEqual([checked.dkim.map(({ key }) => key), checked.activated], [ids, ids]);
  assert.deepEqual([checked.spf.result, checked.dmarc.result], ["missing", "ok"]);
  assert.deepEqual(states(checked.domain), ["active", "active"]);
  assert.equal((await post(`/${made.id}/activate`)).statusCode, 409);

  const rotated = dataOf<SendingDomainData>(await post(`/${made.id}/rotate`));
  assert.deepEqual(states(rotated), ["active", "active", "pending", "pending"]);
  assert.equal(rotated.records.length, 5);
  assert.equal((await post(`/${made.id}/rotate`)).statusCode, 409);
  const activated = dataOf<SendingDomainData>(await post(`/${made.id}/activate`));
  assert.deepEqual(states(activated), ["retired", "retired", "active", "active"]);
  assert.equal(activated.records.length, 3, "what is retired is not to be published");

  isDeleted(await m.operator("DELETE", `${path}/${made.id}`));
  for (const [method, place] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/check"],
    ["POST", "/rotate"],
    ["POST", "/activate"],
  ] as const)
    assert.equal((await m.operator(method, `${path}/${made.id}${place}`)).statusCode, 404, place);
});

test("a key that is carried over signs at once", async () => {
  const keys = [{ selector: "mail2025", private_key: privateKey }];
  const made = dataOf<SendingDomainData>(await post("", { domain: "carried.com", keys }));
  assert.deepEqual(
    made.keys.map(({ selector, algorithm, state }) => [selector, algorithm, state]),
    [["mail2025", "ed25519-sha256", "active"]],
  );
  const sealer = createSealer("a master key that is only used in tests", seededRandom());
  const [key] = await activeDkimKeys(m.it.system.database, sealer, accountId, "news.carried.com");
  assert.equal(key?.privateKey.export(pem), privateKey);
  const again = await post("", { domain: "carried.com" });
  assert.deepEqual([again.statusCode, again.json().errors], [422, { domain: ["is taken"] }]);
});

test("faults are reported by field, and a key in them is not repeated", async () => {
  const bad = { domain: "nodots", keys: [{ selector: "-", private_key: weakKey }], colour: "red" };
  const reply = await post("", bad);
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(Object.keys(reply.json().errors).sort(), [
    "colour",
    "domain",
    "keys.0.private_key",
    "keys.0.selector",
  ]);
  assert.match(reply.body, /2048/);
  assert.doesNotMatch(reply.body, /BEGIN/);
});

test("private keys are in no answer, no log line, no audit entry and no column", async () => {
  const keys = [{ selector: "s1", private_key: privateKey }];
  const secret = privateKey.split("\n")[1]!;
  const made = await post("", { domain: "secret.com", keys });
  const { id } = dataOf<SendingDomainData>(made);
  const answers = [
    made,
    await m.operator("GET", path),
    await m.operator("GET", `${path}/${id}`),
    await post(`/${id}/check`),
    await post(`/${id}/rotate`),
  ];
  for (const reply of answers) {
    assert.equal(reply.statusCode, reply === made ? 201 : 200);
    assert.doesNotMatch(reply.body, /private_key|PRIVATE/);
    assert.ok(!reply.body.includes(secret));
  }
  const entries = await auditOf(m.it);
  const entry = entries.findLast(({ action }) => action === "createSendingDomain");
  assert.deepEqual([entry?.fields.toSorted(), entry?.target], [["domain", "keys"], id]);
  assert.deepEqual(
    new Set(entries.map(({ action }) => action).filter((action) => /SendingDomain(Keys)?$/.test(action)))
      .size,
    5,
  );
  for (const text of [JSON.stringify(entries), m.it.log.text()]) assert.ok(!text.includes(secret));
});

test("a member manages the domains of its account, and sees no other's", async () => {
  const member = await m.member(accountId);
  const own = dataOf<SendingDomainData>(await member("POST", path, { domain: "member.com" }));
  const otherAccount = await m.it.account({ name: "stranger" });
  const theirs = `/accounts/${otherAccount.id}/sending-domains`;
  assert.equal((await member("GET", theirs)).statusCode, 404);
  const other = await m.member(otherAccount.id);
  assert.equal((await other("POST", `${theirs}/${own.id}/check`)).statusCode, 404);
  assert.deepEqual(dataOf(await other("GET", theirs)), []);
});
