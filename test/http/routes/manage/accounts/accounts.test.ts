// Accounts through the management API: what is given changes and nothing else does, and members cannot widen
// their own bounds.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { storeProvisionMark } from "#store/maintenance/provisioned.ts";
import { inject } from "../../../../inject.ts";
import { createdBy, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed({ started: false });
});
after(() => m.close());

interface Shown {
  id: string;
  name: string;
  time_zone: string;
  plan: {
    name: string;
    expires_at: string | null;
    credit: Record<string, number | null>;
    renews: string | null;
  };
  rate_limit: { requests_per_minute: number | null };
  attachments: { max_files: number; max_bytes: number };
  created_at: string;
  api_key: string;
}

const create = async (input: object) => await createdBy<Shown>(m.operator, "/accounts", input);

test("a new account has everything that was asked for, and its key works", async () => {
  const { api_key, ...made } = await create({
    name: "made",
    time_zone: "Europe/Berlin",
    country: "DE",
    plan: { name: "basic", expires_at: "2030-01-01T01:00:00+01:00", credit: { sms: 5 }, renews: "monthly" },
    rate_limit: { requests_per_minute: 60 },
    channel_failover: true,
    attachments: { max_bytes: 2_048 },
  });
  assert.deepEqual(made.attachments, { max_files: 10, max_bytes: 2_048 });
  const fewer = await m.operator("PATCH", `/accounts/${made.id}`, { attachments: { max_files: 1 } });
  made.attachments = { max_files: 1, max_bytes: 2_048 };
  assert.deepEqual(dataOf<Shown>(fewer).attachments, made.attachments);
  assert.deepEqual(made.plan, {
    name: "basic",
    expires_at: "2030-01-01T00:00:00.000Z",
    credit: { sms: 5, whatsapp: null, email: null },
    renews: "monthly",
  });
  const { api_key: known, ...found } = dataOf<Record<string, unknown>>(
    await m.operator("GET", `/accounts/${made.id}`),
  );
  assert.deepEqual(found, { ...made, revision: 2 });
  assert.deepEqual(known, {
    hint: `${api_key.slice(0, 4)}…${api_key.slice(-4)}`,
    created_at: made.created_at,
    last_used_at: null,
    revealable: true,
    previous_works_until: null,
  });
  const own = await inject(m.it.system.app, { url: "/api/account", headers: { "api-key": api_key } });
  assert.equal(own.json().data.name, "made");
});

test("faults are reported by field, a name that is taken too", async () => {
  await create({ name: "taken" });
  const taken = await m.operator("POST", "/accounts", { name: "taken" });
  assert.deepEqual([taken.statusCode, taken.json().errors], [422, { name: ["is taken"] }]);
  const bad = { name: "", time_zone: "Mars/Olympus", extra: 1, plan: { name: "x", renews: "monthly" } };
  const reply = await m.operator("POST", "/accounts", bad);
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(Object.keys(reply.json().errors).sort(), ["extra", "name", "time_zone"]);
  const renews = await m.operator("POST", "/accounts", { name: "r", plan: { name: "x", renews: "monthly" } });
  assert.deepEqual(Object.keys(renews.json().errors), ["plan.renews"]);
});

test("a change is of the given fields alone, also inside the plan", async () => {
  const { api_key: _key, ...before } = await create({
    name: "patched",
    time_zone: "Europe/Berlin",
    country: "AT",
    plan: { name: "basic", credit: { sms: 5, email: 7 }, renews: "monthly" },
    rate_limit: { requests_per_minute: 60 },
  });
  const path = `/accounts/${before.id}`;
  const patch = async (change: object) => {
    const { api_key: _known, ...rest } = dataOf<Shown>(await m.operator("PATCH", path, change));
    return rest;
  };
  assert.deepEqual(await patch({}), { ...before, revision: 2 }, "nothing given, nothing changed");
  assert.deepEqual(await patch({ plan: { credit: { sms: 9 } } }), {
    ...before,
    revision: 3,
    plan: { ...before.plan, credit: { sms: 9, whatsapp: null, email: 7 } },
  });
  const more = await patch({
    plan: { credit: { whatsapp: 1, email: null } },
    country: null,
    rate_limit: null,
  });
  assert.deepEqual(more.plan.credit, { sms: 9, whatsapp: 1, email: null });
  assert.deepEqual([more.plan.name, more.plan.renews], ["basic", "monthly"]);
  assert.deepEqual(more.rate_limit, { requests_per_minute: null });
  assert.equal(more.time_zone, "Europe/Berlin");
  assert.equal((await patch({ plan: { renews: null } })).plan.renews, null);
});

test("an account can be renamed, but not to a taken name, and not one that the provisioning file names", async () => {
  const { id } = await create({ name: "old name" });
  await create({ name: "other name" });
  const rename = (name: string) => m.operator("PATCH", `/accounts/${id}`, { name });
  assert.deepEqual((await rename("other name")).json().errors, { name: ["is taken"] });
  assert.equal(dataOf<Shown>(await rename("new name")).name, "new name");
  await m.it.system.database.run(storeProvisionMark, { kind: "account", name: "new name", hash: "x" });
  const refused = await rename("third name");
  assert.equal(refused.statusCode, 409);
  assert.match(refused.json().message, /provisioning file/);
  assert.equal((await rename("new name")).statusCode, 200, "its own name is no change");
});

test("members see and change their own account, but not its name, plan and rate", async () => {
  const { id } = await create({ name: "member's" });
  const { id: other } = await create({ name: "another's" });
  const member = await m.member(id);
  assert.deepEqual(
    dataOf<Shown[]>(await member("GET", "/accounts")).map((account) => account.id),
    [id],
  );
  assert.equal(
    dataOf<Shown>(await member("PATCH", `/accounts/${id}`, { time_zone: "Asia/Tokyo" })).time_zone,
    "Asia/Tokyo",
  );
  for (const change of [{ name: "x" }, { plan: { credit: { sms: 1 } } }, { rate_limit: null }]) {
    const reply = await member("PATCH", `/accounts/${id}`, { ...change, country: "DE" });
    assert.equal(reply.statusCode, 403);
    assert.match(reply.json().message, new RegExp(Object.keys(change)[0]!));
  }
  const shown = dataOf<{ country: string | null }>(await member("GET", `/accounts/${id}`));
  assert.equal(shown.country, null, "nothing of a refused change was done");
  const missing = await member("GET", "/accounts/acc_01aryz6s41tsv4rrffq69g5fav");
  for (const method of ["GET", "PATCH"] as const) {
    const reply = await member(
      method,
      `/accounts/${other}`,
      method === "PATCH" ? { country: "DE" } : undefined,
    );
    assert.deepEqual([reply.statusCode, reply.body], [404, missing.body]);
  }
  assert.equal((await member("POST", "/accounts", { name: "y" })).statusCode, 403);
});

test("the list is paged without gaps, and searched by part of a name", async () => {
  for (const name of ["100%_sure", "100 sure", "Sure Thing"]) await create({ name });
  const all: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const reply = await m.operator("GET", `/accounts?limit=2${cursor && `&cursor=${cursor}`}`);
    assert.ok(dataOf<Shown[]>(reply).length <= 2);
    all.push(...dataOf<Shown[]>(reply).map(({ id }) => id));
    cursor = reply.json().next_cursor;
  }
  assert.deepEqual(all, [...new Set(all)].sort().reverse());
  const names = async (search: string) =>
    dataOf<Shown[]>(await m.operator("GET", `/accounts?search=${encodeURIComponent(search)}`)).map(
      ({ name }) => name,
    );
  assert.deepEqual(await names("sure"), ["Sure Thing", "100 sure", "100%_sure"]);
  assert.deepEqual(await names("%_S"), ["100%_sure"], "what means something to the storage does not here");
  assert.equal((await m.operator("GET", "/accounts?cursor=../x")).statusCode, 422);
});
