// Finding an account's messages, and taking back what has not been sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: { id: string; key: string };
let path: string;
let first: string;
let failed: string;
let later: string;
let start: number;
before(async () => {
  m = await managed();
  account = await m.it.account({ country: "DE" });
  path = `/accounts/${account.id}/messages`;
  await m.it.gateway({ identifier: "one", default: true });
  await m.it.gateway({ identifier: "two" });
  start = m.it.clock.now();
  const send = async (contact: object) => {
    const [id] = await m.it.accepted([{ message: "hi", ...contact }]);
    await m.it.advance(60_000);
    return id!;
  };
  first = await send({ number: "+4915100000001" });
  failed = await send({ number: "0151 0000 0003" });
  later = await send({
    number: "+4915100000001",
    gateway_identifier: "two",
    schedule_at: "2027-01-01 00:00:00",
  });
});
after(() => m.close());

const find = async (query: Record<string, string> = {}) =>
  dataOf<{ id: string }[]>(await m.operator("GET", `${path}?${new URLSearchParams(query)}`)).map(
    ({ id }) => id,
  );

test("every filter narrows, alone and together", async () => {
  assert.deepEqual(await find(), [later, failed, first]);
  assert.deepEqual(await find({ channel: "sms" }), [later, failed, first]);
  assert.deepEqual(await find({ channel: "email" }), []);
  assert.deepEqual(await find({ status: "failed" }), [failed]);
  assert.deepEqual(await find({ gateway: "two" }), [later]);
  assert.deepEqual(await find({ gateway: "one", status: "delivered" }), [first]);
  assert.deepEqual(await find({ gateway: "one", channel: "email" }), []);
  assert.deepEqual(await find({ recipient: "0151 0000 0001" }), [later, first]);
  assert.deepEqual(await find({ recipient: "+4915100000001", status: "scheduled" }), [later]);
});

test("time is that of acceptance, from the first instant on and before the second", async () => {
  const minute = (count: number) => new Date(start + count * 60_000).toISOString();
  assert.deepEqual(await find({ created_from: minute(1) }), [later, failed]);
  assert.deepEqual(await find({ created_to: minute(1) }), [first]);
  assert.deepEqual(await find({ created_from: minute(1), created_to: minute(2) }), [failed]);
  assert.deepEqual(await find({ created_from: minute(1).replace("Z", "+00:00"), status: "failed" }), [
    failed,
  ]);
  assert.deepEqual(await find({ created_from: minute(9) }), []);
});

test("pages have no gaps and an end", async () => {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const reply = await m.operator("GET", `${path}?limit=1${cursor && `&cursor=${cursor}`}`);
    found.push(...dataOf<{ id: string }[]>(reply).map(({ id }) => id));
    cursor = reply.json().next_cursor;
  }
  assert.deepEqual(found, [later, failed, first]);
});

test("what a filter cannot mean is a fault of that filter", async () => {
  const queries = {
    channel: "fax",
    status: "lost",
    gateway: "nobody's",
    recipient: "call me",
    created_from: "yesterday",
    created_to: "2026-05-01",
    limit: "0",
    cursor: "../x",
    colour: "red",
  };
  for (const [name, value] of Object.entries(queries)) {
    const reply = await m.operator("GET", `${path}?${name}=${encodeURIComponent(value)}`);
    assert.equal(reply.statusCode, 422, name);
    assert.deepEqual(Object.keys(reply.json().errors), [name]);
  }
});

test("one message has its timeline and its tries", async () => {
  const { record, attempt } = dataOf<{ record: Record<string, unknown>; attempt: object }>(
    await m.operator("GET", `${path}/${failed}`),
  );
  assert.deepEqual([record.id, record.status], [failed, "failed"]);
  assert.deepEqual(
    (record.events as { type: string }[]).map(({ type }) => type),
    ["queued", "sending", "failed"],
  );
  assert.deepEqual(attempt, {
    count: 1,
    repeats: 0,
    gateway_named: false,
    cost: 0,
    cost_returned: false,
    held: false,
  });
});

test("what waits is cancelled, what ended is not; another account's message is none", async () => {
  const other = await m.it.account({ name: "stranger" });
  const foreign = `/accounts/${other.id}/messages/${later}`;
  const missing = await m.operator("GET", `${path}/msg_01aryz6s41tsv4rrffq69g5fav`);
  for (const reply of [await m.operator("GET", foreign), await m.operator("POST", `${foreign}/cancel`)]) {
    assert.deepEqual([reply.statusCode, reply.body], [404, missing.body]);
  }
  assert.equal((await m.operator("POST", `${path}/${failed}/cancel`)).statusCode, 409);
  for (let i = 0; i < 2; i++) {
    const cancelled = dataOf<{ status: string }>(await m.operator("POST", `${path}/${later}/cancel`));
    assert.equal(cancelled.status, "cancelled");
  }
  assert.deepEqual(dataOf<object[]>(await m.operator("GET", `/accounts/${other.id}/messages`)), []);
});
