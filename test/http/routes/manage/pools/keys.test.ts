// Keys of pools through the management API: shown once, listed by page, changed and revoked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret } from "#runtime/secret.ts";
import { findPoolByKey } from "#store/pools/pools.ts";
import { inject } from "../../../../inject.ts";
import { bearer } from "../../../managing.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  const { id } = await m.it.account();
  const pool = dataOf<{ id: string }>(await m.operator("POST", `/accounts/${id}/pools`, { name: "default" }));
  path = `/accounts/${id}/pools/${pool.id}/keys`;
});
after(() => m.close());

interface Shown {
  id: string;
  name: string;
  hint: string;
  key?: string | null;
  limits: Record<string, number | null>;
  revoked_at: string | null;
}

const create = async (input: object) => await createdBy<Shown>(m.operator, path, input);
const works = async (key: string) =>
  (await m.it.system.database.run(findPoolByKey, hashSecret(key))) !== null;

test("a made key is in the answer once, and nowhere after", async () => {
  const made = await create({ name: "app", limits: { requests_per_minute: 40 } });
  const { key, ...shown } = made;
  assert.match(key!, /^tlp_[\w-]{43}$/);
  assert.ok(await works(key!));
  const { id, created_at, updated_at, ...rest } = shown as Shown & Record<string, unknown>;
  assert.match(id, /^key_/);
  assert.deepEqual(
    [created_at, rest],
    [
      updated_at,
      {
        name: "app",
        hint: `tlp_…${key!.slice(-4)}`,
        models: null,
        limits: { requests_per_minute: 40, tokens_per_minute: null, concurrency: null },
        budget: { tokens_per_day: null, tokens_per_month: null, cost_per_month: null, unpriced: null },
        expires_at: null,
        revoked_at: null,
        previous_works_until: null,
        last_used_at: null,
        spent: { tokens_today: 0, tokens_this_month: 0, cost_this_month: 0, unpriced_this_month: 0 },
        left: { requests: { remaining: 40, full_at: null }, tokens: null, under_way: null },
        last_refusal: null,
        revision: 1,
      },
    ],
  );
  const one = await m.operator("GET", `${path}/${id}`);
  const all = await m.operator("GET", path);
  assert.deepEqual([dataOf(one), dataOf<Shown[]>(all)], [shown, [shown]]);
  for (const reply of [one, all]) assert.ok(!reply.body.includes(key!.slice(4)));
});

test("a given key is not shown again, and no other key has its text", async () => {
  const text = `given-${"x".repeat(40)}`;
  assert.equal((await create({ name: "given", key: text })).key, null);
  assert.ok(await works(text));
  const again = await m.operator("POST", path, { name: "again", key: text });
  assert.deepEqual(again.json().errors, { key: ["is used by another key"] });
  assert.ok(!again.body.includes(text));
  const named = await m.operator("POST", path, { name: "given" });
  assert.deepEqual(named.json().errors, { name: ["is taken"] });
  const short = await m.operator("POST", path, { name: "short", key: "x" });
  assert.deepEqual(short.json().errors, { key: ["must have at least 20 characters"] });
});

test("what it may do changes field by field", async () => {
  const { id } = await create({ name: "bounds", limits: { concurrency: 2, tokens_per_minute: 10 } });
  const change = { limits: { concurrency: null }, models: ["echo"], expires_at: "2030-01-01T02:00:00+02:00" };
  const changed = dataOf<Shown>(await m.operator("PATCH", `${path}/${id}`, change));
  assert.deepEqual(changed, {
    ...changed,
    limits: { requests_per_minute: null, tokens_per_minute: 10, concurrency: null },
    models: ["echo"],
    expires_at: "2030-01-01T00:00:00.000Z",
  });
  const fixed = await m.operator("PATCH", `${path}/${id}`, { name: "other" });
  assert.deepEqual(fixed.json().errors, { name: ["is not a field"] });
});

test("a revoked key works no more and cannot be changed; its name is free again", async () => {
  const { id, key } = await create({ name: "old" });
  isDeleted(await m.operator("DELETE", `${path}/${id}`));
  const revoked = dataOf<Shown>(await m.operator("GET", `${path}/${id}`));
  assert.ok(revoked.revoked_at !== null && !(await works(key!)));
  await m.it.advance(5_000);
  isDeleted(await m.operator("DELETE", `${path}/${id}`));
  const again = dataOf<Shown>(await m.operator("GET", `${path}/${id}`));
  assert.deepEqual(again, revoked, "again changes nothing");
  assert.equal((await m.operator("PATCH", `${path}/${id}`, { models: null })).statusCode, 409);
  const next = await create({ name: "old" });
  assert.ok(next.id !== id && (await works(next.key!)));
  assert.equal((await m.operator("GET", `${path}/${id}`)).statusCode, 404);
});

test("pages are newest first and end", async () => {
  for (const name of ["p1", "p2", "p3"]) await create({ name });
  const names: string[] = [];
  let cursor = "";
  do {
    const reply = await m.operator("GET", `${path}?limit=2${cursor}`);
    names.push(...dataOf<Shown[]>(reply).map(({ name }) => name));
    cursor = reply.json().next_cursor === null ? "" : `&cursor=${reply.json().next_cursor}`;
  } while (cursor !== "");
  assert.deepEqual(names.slice(0, 3), ["p3", "p2", "p1"]);
  assert.equal(new Set(names).size, names.length);
  assert.equal((await m.operator("GET", `${path}?limit=0`)).statusCode, 422);
});

test("a key says what its limits leave, and what refused its last call until when", async () => {
  await m.operator("POST", path.replace(/keys$/, "members"), {
    name: "one",
    kind: "sandbox",
    models: ["echo"],
  });
  const { id, key } = await create({ name: "two", limits: { requests_per_minute: 2, concurrency: 5 } });
  const start = m.it.system.core.clock.now();
  const ask = () =>
    inject(m.it.system.app, {
      method: "POST",
      url: "/api/ai/v1/chat/completions",
      headers: bearer(key ?? ""),
      payload: { messages: [{ role: "user", content: "Hi" }] },
    });
  const read = async () => {
    const { left, last_refusal } = dataOf<{ left: unknown; last_refusal: unknown }>(
      await m.operator("GET", `${path}/${id}`),
    );
    return { left, last_refusal };
  };
  const at = (ms: number) => new Date(start + ms).toISOString();
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await ask()).statusCode);
  assert.deepEqual(statuses, [200, 200, 429]);
  await m.it.advance(1_000);
  assert.deepEqual(await read(), {
    left: { requests: { remaining: 0, full_at: at(60_000) }, tokens: null, under_way: 0 },
    last_refusal: { at: at(0), by: "requests", until: at(30_000) },
  });
  await m.it.advance(59_000);
  assert.deepEqual((await read()).left, {
    requests: { remaining: 2, full_at: null },
    tokens: null,
    under_way: 0,
  });
});

test("a rotated key answers with both texts, until the one before ends", async () => {
  const made = await create({ name: "rotated", models: ["echo"] });
  const at = `${path}/${made.id}/rotate`;
  const rotated = dataOf<Shown & { previous_works_until: string | null }>(
    await m.operator("POST", at, { old_works_hours: 1 }),
  );
  assert.notEqual(rotated.key, made.key);
  assert.equal(Date.parse(rotated.previous_works_until ?? ""), m.it.clock.now() + 3_600_000);
  const opens = async (key: string) => (await m.it.system.core.ai.authenticate(key)) !== null;
  for (const key of [made.key!, rotated.key!]) assert.ok(await opens(key));
  await m.it.clock.advance(3_600_001);
  assert.deepEqual([await opens(made.key!), await opens(rotated.key!)], [false, true]);
  const shown = dataOf<{ previous_works_until: string | null }>(
    await m.operator("GET", `${path}/${made.id}`),
  );
  assert.equal(shown.previous_works_until, null);
  await m.operator("DELETE", `${path}/${made.id}`);
  assert.equal((await m.operator("POST", at, {})).statusCode, 409);
  assert.equal((await m.operator("POST", `${path}/key_none/rotate`, {})).statusCode, 404);
  assert.equal((await m.operator("POST", at, { old_works_hours: 169 })).statusCode, 422);
});
