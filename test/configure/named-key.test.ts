// Named keys: what their text is, which gateways they may name, and how a text is replaced.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { namedKeys, newKeyText, revokeNamedKey, rotateNamedKey } from "#configure/named-key.ts";
import { namedKeyFields } from "#contract/manage/keys/named-keys.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findKeyHolder, findNamedKey } from "#store/accounts/named-keys.ts";
import { makeGateway } from "../store/rows.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let accountId: string;
let otherId: string;
before(async () => {
  open = await openConfiguring();
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  otherId = await upsertAccount(open.deps, accountInput.parse({ name: "other" }));
  await makeGateway(open.deps.database, accountId, { identifier: "ours" });
  await makeGateway(open.deps.database, otherId, { identifier: "theirs" });
});
after(() => open.close());

async function make(name: string, rest: object = {}) {
  const text = newKeyText(open.deps);
  const fields = namedKeyFields.parse({ name, scopes: ["read"], ...rest });
  return { text, saved: await namedKeys.create(open.deps, { accountId, text }, fields) };
}

async function made(name: string, rest: object = {}) {
  const { text, saved } = await make(name, rest);
  assert.ok(saved.kind === "saved", JSON.stringify(saved));
  return { text, id: saved.id };
}
const holderOf = (text: string) => open.deps.database.run(findKeyHolder, hashSecret(text));

test("a key has 256 bits, and its text is nowhere in the storage", async () => {
  const { text, id } = await made("app", { gateways: ["ours"], expires_at: "2030-01-01T01:00:00+01:00" });
  assert.match(text, /^tl_[\w-]{43}$/);
  const row = (await open.deps.database.run(findNamedKey, { accountId, id }))!;
  assert.equal(row.hint, `${text.slice(0, 4)}…${text.slice(-4)}`);
  assert.equal((await holderOf(text))?.named?.id, id);
  assert.ok(!open.dump().includes(text.slice(8, -8)));
  assert.deepEqual(namedKeys.fieldsOf(open.deps.sealer, row), {
    name: "app",
    scopes: ["read"],
    gateways: ["ours"],
    requests_per_minute: null,
    expires_at: "2030-01-01T00:00:00.000Z",
  });
});

test("a key names gateways of its account alone, in one wording for others and for none", async () => {
  for (const identifier of ["theirs", "nowhere"]) {
    const { saved } = await make("faulty", { gateways: ["ours", identifier] });
    const message = `is no gateway of the account: ${identifier}`;
    assert.deepEqual(saved, { kind: "invalid", issues: [{ path: ["gateways", 1], message }] });
  }
});

test("a name is given once; a change keeps the text, and an unknown id is not found", async () => {
  const { text, id } = await made("named");
  const { saved } = await make("named");
  assert.deepEqual(saved, { kind: "invalid", issues: [{ path: ["name"], message: "is taken" }] });
  const change = { scopes: ["send:sms"], revision: 1 };
  assert.equal((await namedKeys.update(open.deps, { accountId }, id, change)).kind, "saved");
  assert.match((await holderOf(text))!.named!.rules, /send:sms/);
  assert.equal((await namedKeys.update(open.deps, { accountId }, id, change)).kind, "overtaken");
  assert.equal((await namedKeys.update(open.deps, { accountId: otherId }, id, {})).kind, "not_found");
});

test("a rotated key has another text, and the one before it an end", async () => {
  const { text, id } = await made("rotated");
  const rotated = await rotateNamedKey(open.deps, { accountId, id, oldWorksHours: 168 });
  assert.ok(rotated.kind === "rotated" && rotated.key !== text);
  assert.equal((await holderOf(text))?.endsAt, open.deps.clock.now() + 168 * 3_600_000);
  assert.equal((await holderOf(rotated.key))?.endsAt, null);
  const last = await rotateNamedKey(open.deps, { accountId, id, oldWorksHours: 0 });
  assert.ok(last.kind === "rotated");
  for (const before of [text, rotated.key]) assert.equal(await holderOf(before), null);
  const theirs = { accountId: otherId, id, oldWorksHours: 0 };
  assert.equal((await rotateNamedKey(open.deps, theirs)).kind, "not_found");
});

test("a revoked key is not changed or rotated any more", async () => {
  const { text, id } = await made("revoked");
  assert.equal(await revokeNamedKey(open.deps, otherId, id), false);
  assert.equal(await revokeNamedKey(open.deps, accountId, id), true);
  assert.equal(await holderOf(text), null);
  assert.equal((await namedKeys.update(open.deps, { accountId }, id, { scopes: ["read"] })).kind, "conflict");
  assert.equal((await rotateNamedKey(open.deps, { accountId, id, oldWorksHours: 1 })).kind, "conflict");
});
