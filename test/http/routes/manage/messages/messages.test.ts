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
  assert.deepEqual(await find({ status: "failed,scheduled,failed" }), [later, failed]);
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

test("messages are found by request, sandbox, error, reference and hold", async () => {
  const record = async (id: string) =>
    dataOf<{ record: { request_id: string; provider_reference: string; error: { code: string } } }>(
      await m.operator("GET", `${path}/${id}`),
    ).record;
  const { request_id } = await record(failed);
  assert.deepEqual(await find({ request: request_id }), [failed]);
  assert.deepEqual(await find({ request: request_id, status: "delivered" }), []);
  assert.deepEqual(await find({ test: "true" }), [later, failed, first]);
  assert.deepEqual(await find({ test: "false" }), []);
  const { code } = (await record(failed)).error;
  assert.deepEqual(await find({ error: code }), [failed]);
  assert.deepEqual(await find({ error: "no_such_code" }), []);
  const { provider_reference } = await record(first);
  assert.deepEqual(await find({ reference: provider_reference }), [first]);
  assert.deepEqual(await find({ reference: provider_reference, gateway: "two" }), []);
  assert.deepEqual(await find({ reference: "of no message" }), []);
  assert.deepEqual(await find({ held: "true" }), []);
  assert.deepEqual(await find({ held: "false" }), [later, failed, first]);
});

test("messages of another account are found neither by request nor by reference", async () => {
  const { record } = dataOf<{ record: { request_id: string; provider_reference: string } }>(
    await m.operator("GET", `${path}/${first}`),
  );
  const otherAccount = await m.it.account({ name: "stranger" });
  await m.it.gateway({ identifier: "of-stranger" });
  const theirs = `/accounts/${otherAccount.id}/messages`;
  const byReference = await m.operator("GET", `${theirs}?reference=${record.provider_reference}`);
  assert.deepEqual(dataOf(byReference), []);
  const byRequest = await m.operator("GET", `${theirs}?request=${record.request_id}`);
  assert.equal(byRequest.statusCode, 422);
  assert.deepEqual(Object.keys(byRequest.json().errors), ["request"]);
});

test("what waits comes soonest first, in pages", async () => {
  const other = await m.it.account({ name: "waiting", country: "DE" });
  await m.it.gateway({ identifier: "of-waiting", default: true });
  const due = ["2027-03-01", "2027-01-01", "2027-02-01"].map((day) => ({
    number: "+4915100000001",
    message: "x".repeat(300),
    schedule_at: `${day} 00:00:00`,
  }));
  const ids = await m.it.accepted(due);
  const list = `/accounts/${other.id}/messages?order=due`;
  const ordered = async (query: string) => {
    const reply = await m.operator("GET", list + query);
    const found = dataOf<{ id: string }[]>(reply).map(({ id }) => ids.indexOf(id));
    const { next_cursor: cursor, searched_until: until } = reply.json();
    return { found, cursor: cursor as string | null, until: until as string | null };
  };
  assert.deepEqual(await ordered(""), { found: [1, 2, 0], cursor: null, until: null });
  const { found, cursor, until } = await ordered("&limit=2");
  assert.deepEqual([found, until], [[1, 2], "2027-02-01T00:00:00.000Z"]);
  assert.deepEqual(await ordered(`&limit=2&cursor=${cursor}`), {
    found: [0],
    cursor: null,
    until: null,
  });
  assert.deepEqual((await ordered("&due_from=2027-01-15T00:00:00Z&due_to=2027-02-15T00:00:00Z")).found, [2]);
  assert.deepEqual((await ordered("&status=queued")).found, []);
  assert.deepEqual((await ordered("&status=queued,scheduled")).found, [1, 2, 0]);
  assert.deepEqual((await ordered("&gateway=of-waiting&test=true&status=scheduled")).found, [1, 2, 0]);
  const [row] = dataOf<{ message: string }[]>(await m.operator("GET", `${list}&brief=true&limit=1`));
  assert.equal(row?.message.length, 200);
  for (const wrong of ["&recipient=%2B4915100000001", "&held=true", "&cursor=msg_1"])
    assert.equal((await m.operator("GET", list + wrong)).statusCode, 422, wrong);
  assert.equal((await m.operator("GET", `${path}?due_from=2027-01-15T00:00:00Z`)).statusCode, 422);
});

test("pages have no gaps and an end", async () => {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const reply = await m.operator("GET", `${path}?limit=1${cursor && `&cursor=${cursor}`}`);
    found.push(...dataOf<{ id: string }[]>(reply).map(({ id }) => id));
    cursor = reply.json().next_cursor;
    const last = dataOf<{ created_at: string }[]>(reply)[0]?.created_at;
    assert.equal(reply.json().searched_until, cursor === null ? null : last);
  }
  assert.deepEqual(found, [later, failed, first]);
});

test("what a filter cannot mean is a fault of that filter", async () => {
  const queries = {
    channel: "fax",
    status: "lost",
    gateway: "unknown",
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

test("what waits is cancelled, what ended is not; another account's message is not found", async () => {
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
