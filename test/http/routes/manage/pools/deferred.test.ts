// Deferred completions through the management API: listed without what they ask for, cancelled one by one and with their key.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inject } from "../../../../inject.ts";
import { createdBy, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let pool: string;
let accountId: string;
before(async () => {
  m = await managed();
  accountId = (await m.it.account()).id;
  const made = await m.operator("POST", `/accounts/${accountId}/pools`, { name: "default" });
  pool = `/accounts/${accountId}/pools/${dataOf<{ id: string }>(made).id}`;
});
after(() => m.close());

interface Shown {
  id: string;
  key: string;
  api: string | null;
  status: string;
  next_at: string | null;
}

const makeKey = (name: string) =>
  createdBy<{ id: string; key: string }>(m.operator, `${pool}/keys`, { name });
const defer = async (key: string, path = "chat/completions", more: object = {}): Promise<string> => {
  const reply = await inject(m.it.system.app, {
    method: "POST",
    url: `/api/ai/v1/${path}`,
    headers: {
      authorization: `Bearer ${key}`,
      "x-trunkline-deliver": "webhook",
      "x-trunkline-schedule-at": "2026-03-01 00:00:00",
    },
    payload: { messages: [{ role: "user", content: "A secret plan." }], ...more },
  });
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().id;
};
const list = async (query = "") => dataOf<Shown[]>(await m.operator("GET", `${pool}/deferred${query}`));
const statusFor = async (key: string, id: string) => {
  const headers = { authorization: `Bearer ${key}` };
  const reply = await inject(m.it.system.app, { method: "GET", url: `/api/ai/v1/deferred/${id}`, headers });
  return reply.json().status;
};

test("what waits is listed by page and by key, and cancelled once", async () => {
  const [one, other] = [await makeKey("one"), await makeKey("other")];
  const first = await defer(one.key);
  const second = await defer(other.key);
  const third = await defer(one.key);
  const reply = await m.operator("GET", `${pool}/deferred`);
  assert.ok(!reply.body.includes("secret"));
  assert.deepEqual(
    dataOf<Shown[]>(reply).map(({ id, key, status }) => [id, key, status]),
    [
      [third, one.id, "queued"],
      [second, other.id, "queued"],
      [first, one.id, "queued"],
    ],
  );
  assert.deepEqual(
    (await list(`?key=${one.id}&limit=1&cursor=${third}`)).map(({ id }) => id),
    [first],
  );
  const cancel = () => m.operator("POST", `${pool}/deferred/${second}/cancel`);
  const cancelled = dataOf<Shown>(await cancel());
  assert.deepEqual([cancelled.status, cancelled.next_at], ["cancelled", null]);
  assert.equal((await cancel()).statusCode, 409);
  assert.equal((await m.operator("POST", `${pool}/deferred/cmp_unknown/cancel`)).statusCode, 404);
  assert.equal(await statusFor(other.key, second), "cancelled");
  assert.deepEqual(await list(`?key=${other.id}`), []);
});

test("each is listed with the API in which it was asked for, and cancelled with it", async () => {
  const { id: keyId, key } = await makeKey("apis");
  const asked = [
    await defer(key),
    await defer(key, "messages", { model: "echo", max_tokens: 9 }),
    await defer(key, "responses", { model: "echo", input: "A plan.", messages: undefined }),
  ];
  const apis = ["responses", "messages", "chat_completions"];
  assert.deepEqual(
    (await list(`?key=${keyId}`)).map(({ id, api }) => [id, api]),
    asked.toReversed().map((id, at) => [id, apis[at]]),
  );
  for (const [at, id] of asked.toReversed().entries())
    assert.equal(dataOf<Shown>(await m.operator("POST", `${pool}/deferred/${id}/cancel`)).api, apis[at]);
});

test("a revoked key takes along what it left waiting, and no other key's", async () => {
  const [gone, stays] = [await makeKey("gone"), await makeKey("stays")];
  const left = [await defer(gone.key), await defer(gone.key)];
  const kept = await defer(stays.key);
  assert.equal((await m.operator("DELETE", `${pool}/keys/${gone.id}`)).statusCode, 204);
  assert.deepEqual(await list(`?key=${gone.id}`), []);
  assert.equal(left.length, 2);
  assert.equal(await statusFor(stays.key, kept), "queued");
});
