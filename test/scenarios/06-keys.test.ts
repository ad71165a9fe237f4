// Who may call: the three refusals to the letter, the three places of a key, and a new key.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";

const missing = {
  status: "error",
  message: "Api key is required. Send it in the Api-key header or the api_key URL parameter.",
  error: "Invalid Api Key",
};
const invalid = { status: "error", error: "Invalid Api Key" };
const expired = { status: "error", error: "Your Subscription Is Expired! Buy A New Plan" };
const contact = [{ number: "+15550000001", message: "Hi" }];

let it: Harness;
let key: string;

before(async () => {
  it = await harness();
  ({ key } = await it.account());
  await it.gateway({ identifier: "box", default: true });
});
after(() => it?.close());

const call = (options: {
  method?: "GET" | "POST";
  url?: string;
  headers?: Record<string, string>;
  body?: object;
}) =>
  inject(it.system.app, {
    method: options.method ?? "POST",
    url: options.url ?? "/api/sms/send",
    headers: options.headers ?? {},
    ...(options.body === undefined ? {} : { payload: options.body }),
  });

const paths: { method: "GET" | "POST"; url: string }[] = [
  { method: "POST", url: "/api/sms/send" },
  { method: "GET", url: "/api/get/sms" },
  { method: "GET", url: "/api/get/sms/msg_x" },
  { method: "POST", url: "/api/cancel/sms/msg_x" },
  { method: "GET", url: "/api/account" },
];

for (const path of paths) {
  test(`${path.method} ${path.url} without a key, and with a wrong one`, async () => {
    const without = await call(path);
    assert.equal(without.statusCode, 403);
    assert.deepEqual(without.json(), missing);
    const wrong = await call({ ...path, headers: { "api-key": "tl_wrong" } });
    assert.equal(wrong.statusCode, 403);
    assert.deepEqual(wrong.json(), invalid);
  });
}

test("a key may stand in the header, the query or the body", async () => {
  assert.equal((await call({ headers: { "Api-key": key }, body: { contact } })).statusCode, 200);
  assert.equal((await call({ url: `/api/sms/send?api_key=${key}`, body: { contact } })).statusCode, 200);
  assert.equal((await call({ body: { contact, api_key: key } })).statusCode, 200);
  assert.equal((await call({ method: "GET", url: `/api/get/sms?api_key=${key}` })).statusCode, 200);
});

test("the first place with a key decides: a wrong header does not fall through", async () => {
  const reply = await call({
    url: `/api/sms/send?api_key=${key}`,
    headers: { "api-key": "wrong" },
    body: { contact, api_key: key },
  });
  assert.deepEqual([reply.statusCode, reply.json()], [403, invalid]);
  const query = await call({ url: "/api/sms/send?api_key=wrong", body: { contact, api_key: key } });
  assert.deepEqual([query.statusCode, query.json()], [403, invalid]);
  const empty = await call({
    headers: { "api-key": "" },
    url: `/api/sms/send?api_key=${key}`,
    body: { contact },
  });
  assert.equal(empty.statusCode, 200, "an empty key is no key");
});

test("a Bearer header is no key here", async () => {
  const reply = await call({ headers: { authorization: `Bearer ${key}` }, body: { contact } });
  assert.deepEqual(reply.json(), missing);
});

test("the key is judged before the body: faults are not told to strangers", async () => {
  const reply = await call({ headers: { "api-key": "wrong" }, body: { contact: [] } });
  assert.equal(reply.statusCode, 403);
  const unreadable = await inject(it.system.app, {
    method: "POST",
    url: "/api/sms/send",
    headers: { "content-type": "application/json" },
    payload: "{",
  });
  assert.deepEqual([unreadable.statusCode, unreadable.json()], [403, missing]);
});

test("an expired plan refuses every request, with a valid key too", async () => {
  const mine = await it.account({
    name: "ending",
    plan: { name: "trial", expires_at: "2026-01-01T01:00:00Z" },
  });
  await it.gateway({ identifier: "ending-box", default: true });
  assert.equal((await it.send(contact)).statusCode, 200);
  await it.advance(3_600_000);
  for (const path of paths) {
    const reply = await call({ ...path, headers: { "api-key": mine.key } });
    assert.equal(reply.statusCode, 403);
    assert.deepEqual(reply.json(), expired);
  }
});

test("a new key works at once, the old one no more, and neither is in a log line", async () => {
  const mine = await it.account({ name: "renewing" });
  await it.gateway({ identifier: "renewing-box", default: true });
  assert.equal((await it.send(contact)).statusCode, 200);
  const fresh = await it.system.renewKey("renewing");
  assert.ok(fresh);
  assert.deepEqual((await call({ headers: { "api-key": mine.key }, body: { contact } })).json(), invalid);
  assert.equal((await call({ headers: { "api-key": fresh }, body: { contact } })).statusCode, 200);
  for (const secret of [mine.key, fresh, key]) assert.equal(it.log.text().includes(secret), false);
});

test("another process takes a new key within five seconds", async () => {
  const { ground } = await import("../harness.ts");
  const own = await ground("postgres");
  const one = await harness({ ground: own });
  const { key: old } = await one.account();
  const two = await harness({ ground: own, clock: one.clock });
  const ask = async (apiKey: string) =>
    (await inject(two.system.app, { method: "GET", url: "/api/account", headers: { "api-key": apiKey } }))
      .statusCode;
  assert.equal(await ask(old), 200);
  const fresh = await one.system.renewKey("acme");
  await one.advance(5000);
  assert.deepEqual([await ask(old), await ask(fresh!)], [403, 200]);
  await two.close();
  await one.close();
  await own.remove();
});
