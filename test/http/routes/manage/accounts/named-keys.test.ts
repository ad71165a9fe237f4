// Named keys over the management API: shown once, changed field by field, rotated and revoked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inject } from "../../../../inject.ts";
import { auditOf } from "../../../managing.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let id: string;
before(async () => {
  m = await managed({ started: false, settings: { logRequests: true } });
  id = (await m.it.account({ name: "acme" })).id;
});
after(() => m.close());

interface Key {
  id: string;
  name: string;
  key: string;
  hint: string;
  revision: number;
  last_used_at: string | null;
}

const path = () => `/accounts/${id}/api-keys`;
const make = (name: string, rest: object = {}) =>
  createdBy<Key>(m.operator, path(), { name, scopes: ["read"], ...rest });
const statusOf = async (key: string) =>
  (await inject(m.it.system.app, { url: "/api/account", headers: { "api-key": key } })).statusCode;

test("a key is shown once, works beside the personal one, and its use is shown", async () => {
  const made = await make("app");
  assert.equal(await statusOf(made.key), 200);
  const shown = async () => dataOf<Key>(await m.operator("GET", `${path()}/${made.id}`));
  while ((await shown()).last_used_at === null) await m.it.settle();
  const { key, ...rest } = made;
  const now = new Date(m.it.clock.now()).toISOString();
  assert.deepEqual(await shown(), { ...rest, last_used_at: now });
  const list = await m.operator("GET", path());
  assert.deepEqual(
    list.json().data.map(({ name }: Key) => name),
    ["app"],
  );
  assert.ok(!list.body.includes(key));
});

test("a change moves what it names, from the revision that was seen", async () => {
  const made = await make("changed", { requests_per_minute: 9 });
  const change = (body: object) => m.operator("PATCH", `${path()}/${made.id}`, body);
  const changed = dataOf<Key>(await change({ name: "renamed", revision: 1 }));
  const { key: _, ...rest } = made;
  assert.deepEqual(changed, { ...rest, name: "renamed", revision: 2 });
  assert.equal((await change({ scopes: ["send:sms"], revision: 1 })).statusCode, 409);
  assert.equal((await change({ scopes: [] })).statusCode, 422);
  assert.equal((await change({ gateways: ["nowhere"] })).statusCode, 422);
  assert.equal(await statusOf(made.key), 200);
  await change({ scopes: ["send:sms"] });
  assert.equal(await statusOf(made.key), 403, "at once in this process");
});

test("a rotation shows the new text, once, and says until when the one before works", async () => {
  const made = await make("rotated");
  const rotate = (body?: object) => m.operator("POST", `${path()}/${made.id}/rotate`, body);
  const rotated = dataOf<Key & { previous_works_until: string }>(await rotate());
  assert.notEqual(rotated.key, made.key);
  assert.equal(rotated.previous_works_until, new Date(m.it.clock.now() + 86_400_000).toISOString());
  assert.deepEqual([await statusOf(made.key), await statusOf(rotated.key)], [200, 200]);
  const last = dataOf<Key>(await rotate({ old_works_hours: 0 }));
  assert.deepEqual(
    [await statusOf(made.key), await statusOf(rotated.key), await statusOf(last.key)],
    [403, 403, 200],
  );
  assert.equal((await rotate({ old_works_hours: 169 })).statusCode, 422);
  const unknown = await m.operator("POST", `${path()}/apk_${"0".repeat(26)}/rotate`);
  assert.equal(unknown.statusCode, 404);
});

test("a revoked key is an invalid one; it stays in the list and cannot be changed", async () => {
  const made = await make("revoked");
  isDeleted(await m.operator("DELETE", `${path()}/${made.id}`));
  const refused = await inject(m.it.system.app, { url: "/api/account", headers: { "api-key": made.key } });
  assert.deepEqual(
    [refused.statusCode, refused.json()],
    [403, { status: "error", error: "Invalid Api Key" }],
  );
  const shown = dataOf<{ revoked_at: string | null }>(await m.operator("GET", `${path()}/${made.id}`));
  assert.notEqual(shown.revoked_at, null);
  assert.equal((await m.operator("PATCH", `${path()}/${made.id}`, { scopes: ["read"] })).statusCode, 409);
  assert.equal((await m.operator("POST", `${path()}/${made.id}/rotate`)).statusCode, 409);
  await make("revoked");
});

test("a member makes the keys of the own account, and the audit log names what was done, without a text", async () => {
  const member = await m.member(id);
  const made = await createdBy<Key>(member, path(), { name: "by a member", scopes: ["read"] });
  await member("POST", `${path()}/${made.id}/rotate`, { old_works_hours: 1 });
  await member("DELETE", `${path()}/${made.id}`);
  const entries = (await auditOf(m.it)).filter(({ target }) => target?.includes(made.id));
  assert.deepEqual(
    entries.map(({ action, outcome }) => [action, outcome]),
    [
      ["createNamedKey", "201"],
      ["rotateNamedKey", "200"],
      ["revokeNamedKey", "204"],
    ],
  );
  assert.ok(!JSON.stringify(await auditOf(m.it)).includes(made.key));
  assert.ok(!m.it.log.text().includes(made.key));
});

test("the account shows what is known of its personal key", async () => {
  const account = await createdBy<{ id: string; api_key: string }>(m.operator, "/accounts", {
    name: "fresh",
  });
  const keyOf = async () => {
    const reply = await m.operator("GET", `/accounts/${account.id}`);
    return dataOf<{ api_key: { last_used_at: string | null } | null }>(reply).api_key;
  };
  const at = new Date(m.it.clock.now()).toISOString();
  const key = account.api_key;
  const known = { hint: `${key.slice(0, 4)}…${key.slice(-4)}`, created_at: at, revealable: true };
  assert.deepEqual(await keyOf(), { ...known, last_used_at: null, previous_works_until: null });
  assert.equal(await statusOf(key), 200);
  while ((await keyOf())?.last_used_at === null) await m.it.settle();
  assert.equal((await keyOf())?.last_used_at, at);
  const changed = await m.operator("PATCH", `/accounts/${account.id}`, { channel_failover: true });
  assert.equal(dataOf<{ api_key: { hint: string } }>(changed).api_key.hint, known.hint);
});
