// The log of an endpoint's deliveries through the management API, and what can be done with it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type DeliveryRecord,
  deliveriesReply,
  deliveryDueReply,
  deliveryReply,
  failedReply,
  replayReply,
  retriesReply,
  retryReply,
} from "#contract/manage/webhooks.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let status = 200;
let accountPath: string;
let made = 0;
before(async () => {
  m = await managed({
    respond: () => ({ kind: "answer", status, headers: {}, body: Buffer.from("thanks") }),
  });
  accountPath = `/accounts/${(await m.it.account()).id}/webhooks`;
});
after(() => m.close());

async function endpoint(): Promise<string> {
  const url = `https://receiver.example.com/${++made}`;
  const { id } = dataOf<{ id: string }>(await m.operator("POST", accountPath, { url }));
  await m.it.settle();
  return `${accountPath}/${id}`;
}

/** Test events, each posted (and answered with `answered`) before the next, a second apart. Their ids. */
async function events(path: string, count: number, answered = 200): Promise<string[]> {
  const ids: string[] = [];
  status = answered;
  for (let i = 0; i < count; i++) {
    ids.push(deliveryDueReply.parse((await m.operator("POST", `${path}/test`)).json()).data.id);
    await m.it.advance(1000);
  }
  return ids;
}

async function list(path: string, query = ""): Promise<{ rows: DeliveryRecord[]; next: string | null }> {
  const reply = deliveriesReply.parse((await m.operator("GET", `${path}/deliveries${query}`)).json());
  return { rows: reply.data, next: reply.next_cursor };
}

test("a test event is posted at once, and its delivery says what became of it", async () => {
  const path = await endpoint();
  const [id] = await events(path, 1);
  const { data } = deliveryReply.parse((await m.operator("GET", `${path}/deliveries/${id}`)).json());
  const { log, body, ...head } = data;
  assert.deepEqual([head.id, head.type, head.status, head.attempts], [id, "webhook.test", "delivered", 1]);
  assert.deepEqual(
    log.map((line) => [line.status, line.reason, line.answer, line.at]),
    [[200, null, "thanks", head.timestamp]],
  );
  assert.equal(JSON.parse(body).type, "webhook.test");
  assert.equal(m.it.requests.at(-1)?.body, body);
});

test("the headers of the latest try are those that were sent, while the secrets that signed it are kept", async () => {
  const path = await endpoint();
  const [id] = await events(path, 1);
  const headers = async (of = id) => {
    const reply = await m.operator("GET", `${path}/deliveries/${of}`);
    return deliveryReply.parse(reply.json()).data.headers;
  };
  const sent = () => Object.fromEntries(Object.entries(m.it.requests.at(-1)?.headers ?? {}));
  assert.deepEqual(await headers(), sent());
  assert.match(sent()["webhook-signature"] ?? "", /^v1,\S+$/);
  await m.operator("POST", `${path}/rotate-secret`);
  const { "webhook-signature": _lost, ...rest } = sent();
  assert.deepEqual(await headers(), rest, "an even older secret may have signed it too");
  const [both] = await events(path, 1);
  assert.match(sent()["webhook-signature"] ?? "", /^v1,\S+ v1,\S+$/);
  assert.deepEqual(await headers(both), sent());
  await m.it.advance(86_400_000);
  const [one] = await events(path, 1);
  assert.match(sent()["webhook-signature"] ?? "", /^v1,\S+$/);
  assert.deepEqual(await headers(one), sent());
});

test("newest first, page by page, and by status", async () => {
  const path = await endpoint();
  const good = await events(path, 3);
  const bad = await events(path, 2, 500);
  const all = [...good, ...bad].toReversed();
  const seen: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 3; pages++) {
    const { rows, next } = await list(path, query);
    seen.push(...rows.map(({ id }) => id));
    assert.equal(next === null, pages === 2);
    query = `?limit=2&cursor=${next}`;
  }
  assert.deepEqual(seen, all);
  const { rows } = await list(path, "?status=pending");
  assert.deepEqual(
    rows.map(({ id }) => id),
    bad.toReversed(),
  );
  assert.deepEqual([rows[0]?.last_try?.status, rows[0]?.attempts], [500, 1]);
  assert.ok(rows[0]?.next_attempt_at);
});

test("by the type of the event, and by when the delivery was made", async () => {
  const path = await endpoint();
  const [early] = await events(path, 1);
  const at = new Date(m.it.clock.now()).toISOString();
  const [late] = await events(path, 1);
  const ids = async (query: string) => (await list(path, query)).rows.map(({ id }) => id);
  assert.deepEqual(await ids("?event=webhook.test"), [late, early]);
  assert.deepEqual(await ids("?event=message.sent"), []);
  assert.deepEqual(await ids(`?created_from=${at}`), [late]);
  assert.deepEqual(await ids(`?created_to=${at}&event=webhook.test&status=delivered`), [early]);
});

test("a bad query is reported by field", async () => {
  const path = await endpoint();
  for (const [query, field] of [
    ["?limit=0", "limit"],
    ["?status=lost", "status"],
    ["?cursor=x", "cursor"],
    ["?cursor=1.a%20b", "cursor"],
    ["?colour=red", "colour"],
    ["?created_from=yesterday", "created_from"],
    ["?event=message.snet", "event"],
  ] as const) {
    const reply = await m.operator("GET", `${path}/deliveries${query}`);
    assert.equal(reply.statusCode, 422, query);
    assert.deepEqual(Object.keys(reply.json().errors), [field]);
  }
});

test("one is replayed under its id, a failed one and one that was taken", async () => {
  const path = await endpoint();
  const [id] = await events(path, 1);
  const before = m.it.requests.length;
  const reply = await m.operator("POST", `${path}/deliveries/${id}/replay`);
  assert.equal(deliveryDueReply.parse(reply.json()).data.id, id);
  await m.it.settle();
  assert.equal(m.it.requests.length, before + 1);
  assert.equal(m.it.requests.at(-1)?.headers?.["webhook-id"], id);
});

test("all failed ones since a time are replayed", async () => {
  const path = await endpoint();
  const early = await events(path, 1, 500);
  const since = new Date(m.it.clock.now()).toISOString();
  const late = await events(path, 2, 500);
  await m.it.advance(31 * 3_600_000);
  assert.equal((await list(path, "?status=failed")).rows.length, 3);
  const counted = async (query: string) => (await m.operator("GET", `${path}/replay${query}`)).json();
  assert.deepEqual(failedReply.parse(await counted(`?since=${since}`)).data, { count: 2, more: false });
  assert.equal((await counted("")).data.count, 3);
  assert.equal((await counted("?since=2999-01-01T00:00:00Z")).data.count, 0);
  assert.deepEqual(Object.keys((await counted("?since=yesterday")).errors), ["since"]);
  status = 200;
  const reply = await m.operator("POST", `${path}/replay`, { since });
  assert.deepEqual(replayReply.parse(reply.json()).data, { replayed: 2, more: false });
  await m.it.settle();
  assert.deepEqual((await list(path, "?status=delivered")).rows.map(({ id }) => id).sort(), late.sort());
  assert.deepEqual(
    (await list(path, "?status=failed")).rows.map(({ id }) => id),
    early,
  );
  assert.equal((await m.operator("POST", `${path}/replay`, { since: "yesterday" })).statusCode, 422);
});

test("what waits for its next try is counted with the last answer, and posted at once when the receiver is back", async () => {
  const path = await endpoint();
  const retries = async () => retriesReply.parse((await m.operator("GET", `${path}/retry`)).json()).data;
  const none = { count: 0, more: false, next_attempt_at: null, last_try: null };
  assert.deepEqual(await retries(), none);
  const waiting = await events(path, 3, 500);
  await m.it.advance(60_000);
  const { rows } = await list(path, "?status=pending");
  const next = rows.map(({ next_attempt_at }) => next_attempt_at ?? "").sort();
  const { last_try, ...counted } = await retries();
  assert.deepEqual(counted, { count: 3, more: false, next_attempt_at: next[0] });
  const latest = rows.map((row) => row.last_try).sort((a, b) => ((a?.at ?? "") < (b?.at ?? "") ? 1 : -1))[0];
  assert.deepEqual([last_try, last_try?.status, last_try?.answer], [latest, 500, "thanks"]);
  status = 200;
  const before = m.it.requests.length;
  const reply = await m.operator("POST", `${path}/retry`);
  assert.deepEqual(retryReply.parse(reply.json()).data, { retried: 3, more: false });
  await m.it.settle();
  assert.deepEqual(
    m.it.requests
      .slice(before)
      .map(({ headers }) => headers?.["webhook-id"])
      .sort(),
    [...waiting].sort(),
  );
  const { rows: ended } = await list(path);
  assert.deepEqual(
    ended.map((row) => [row.status, row.attempts]),
    waiting.map(() => ["delivered", 3]),
  );
  assert.deepEqual([(await retries()).count, (await retries()).last_try?.status], [0, 200]);
});

test("a delivery names the message of its event and its recipient, and no other event does", async () => {
  const path = await endpoint();
  const [test] = await events(path, 1);
  const account = accountPath.replace("/webhooks", "");
  const gateway = { identifier: "sandbox-sms", channel: "sms", kind: "sandbox" };
  assert.equal((await m.operator("POST", `${account}/gateways`, gateway)).statusCode, 201);
  const contact = [{ number: "+15550000001", message: "Hi" }];
  const sent = await m.operator("POST", `${account}/messages`, { channel: "sms", contact });
  const { id } = dataOf<{ contact: { id: string }[] }>(sent).contact[0]!;
  await m.it.advance(60_000);
  const { rows } = await list(path);
  const of = { id, recipient: "+15550000001" };
  assert.ok(rows.length > 2);
  for (const row of rows) assert.deepEqual(row.message, row.id === test ? null : of, row.type);
  const one = await m.operator("GET", `${path}/deliveries/${rows[0]?.id}`);
  assert.deepEqual(deliveryReply.parse(one.json()).data.message, of);
});

test("an endpoint that is switched off is neither tested, replayed nor retried: 409", async () => {
  const path = await endpoint();
  const [id] = await events(path, 1);
  await m.operator("PATCH", path, { active: false });
  for (const [of, body] of [
    ["test", undefined],
    [`deliveries/${id}/replay`, undefined],
    ["replay", { since: "2020-01-01T00:00:00Z" }],
    ["retry", undefined],
  ] as const) {
    const reply = await m.operator("POST", `${path}/${of}`, body);
    assert.deepEqual([reply.statusCode, reply.json().code], [409, "conflict"], of);
  }
});

test("an event that is another endpoint's, or of none, is 404", async () => {
  const [path, other] = [await endpoint(), await endpoint()];
  const [id] = await events(other, 1);
  for (const event of [id, "evt_none", "%00"]) {
    assert.equal((await m.operator("GET", `${path}/deliveries/${event}`)).statusCode, 404);
    assert.equal((await m.operator("POST", `${path}/deliveries/${event}/replay`)).statusCode, 404);
  }
});
