// Pools through the management API: made, shown, changed and deleted, and no secret of a member comes back out.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { poolFields } from "#contract/manage/pools/pools.ts";
import { storeProvisionMark } from "#store/maintenance/provisioned.ts";
import { provisionKey } from "#store/pools/pools.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  path = `/accounts/${(await m.it.account({ name: "acme" })).id}/pools`;
});
after(() => m.close());

interface Shown {
  id: string;
  name: string;
  deadline_ms: number;
  strict_models: boolean;
  members: { settings: Record<string, unknown> }[];
  created_at: string;
  updated_at: string;
}

const create = async (input: object) => await createdBy<Shown>(m.operator, path, input);
const show = async (id: string) => dataOf<Shown>(await m.operator("GET", `${path}/${id}`));

test("a pool is made with its defaults, shown with its members, and listed", async () => {
  const made = await create({ name: "default" });
  const { id, created_at, updated_at, ...rest } = made;
  assert.match(id, /^pool_/);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    ...poolFields.parse({ name: "default" }),
    members: [],
    revision: 1,
  });
  const member = {
    name: "primary",
    kind: "openai-compatible",
    models: ["gpt-4o-mini"],
    settings: { api_key: "sk-a-secret", headers: { "X-Org": "another-secret" } },
  };
  dataOf(await m.operator("POST", `${path}/${id}/members`, member));
  const reply = await m.operator("GET", `${path}/${id}`);
  assert.ok(!/sk-a-secret|another-secret/.test(reply.body));
  assert.deepEqual(dataOf<Shown>(reply).members[0]!.settings, {
    vendor: "openai",
    api_key: "••••",
    headers: { "X-Org": "••••" },
  });
  assert.deepEqual(dataOf<Shown[]>(await m.operator("GET", path)), [await show(id)]);
});

test("only what is given changes", async () => {
  const { id, updated_at } = await create({ name: "part", strict_models: true });
  await m.it.advance(1_000);
  const changed = dataOf<Shown>(await m.operator("PATCH", `${path}/${id}`, { deadline_ms: 5_000 }));
  assert.deepEqual([changed.deadline_ms, changed.strict_models, changed.name], [5_000, true, "part"]);
  assert.ok(changed.updated_at > updated_at);
  assert.deepEqual(await show(id), changed);
  const renamed = dataOf<Shown>(await m.operator("PATCH", `${path}/${id}`, { name: "other" }));
  assert.equal(renamed.name, "other");
});

test("faults are reported by field, a name is taken, and what a provisioning file named keeps its name", async () => {
  const { id } = await create({ name: "mine" });
  const again = await m.operator("POST", path, { name: "mine" });
  assert.deepEqual([again.statusCode, again.json().errors], [422, { name: ["is taken"] }]);
  const bad = await m.operator("POST", path, { name: "a b", deadline_ms: 1, members: [] });
  assert.deepEqual(Object.keys(bad.json().errors).sort(), ["deadline_ms", "members", "name"]);
  const { database } = m.it.system;
  await database.run(storeProvisionMark, { kind: "pool", name: provisionKey("acme", "mine"), hash: "x" });
  const refused = await m.operator("PATCH", `${path}/${id}`, { name: "yours" });
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "conflict"]);
});

test("a deleted pool is gone with its members and keys", async () => {
  const { id } = await create({ name: "gone" });
  const member = { name: "one", kind: "sandbox", models: ["echo"] };
  const { id: memberId } = dataOf<Shown>(await m.operator("POST", `${path}/${id}/members`, member));
  const { id: keyId } = dataOf<Shown>(await m.operator("POST", `${path}/${id}/keys`, { name: "app" }));
  isDeleted(await m.operator("DELETE", `${path}/${id}`));
  for (const rest of [
    "",
    "/members",
    `/members/${memberId}`,
    "/keys",
    `/keys/${keyId}`,
    "/usage",
    "/calls",
    "/health",
  ])
    assert.equal((await m.operator("GET", `${path}/${id}${rest}`)).statusCode, 404, rest);
  assert.equal((await m.operator("DELETE", `${path}/${id}`)).statusCode, 404);
});
