// The overview: each thing that needs a person is listed with its reason, and goes when it is well again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AttentionData } from "#contract/manage/overview.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: { id: string };
let path: string;
before(async () => {
  m = await managed();
  account = await m.it.account({ name: "acme" });
  path = `/accounts/${account.id}`;
});
after(() => m.close());

interface Overview {
  attention: AttentionData[];
  first_steps: Record<string, boolean>;
  credit: Record<string, { remaining: number } | null>;
}
const overview = async (of = path) => dataOf<Overview>(await m.operator("GET", `${of}/overview`));
const kinds = async () => (await overview()).attention.map(({ kind }) => kind);
const find = async (kind: string) => (await overview()).attention.find((item) => item.kind === kind);

test("of a new account all is well, and no step has been taken", async () => {
  const { attention, first_steps } = await overview();
  assert.deepEqual(attention, []);
  assert.deepEqual(first_steps, {
    accepted: false,
    delivered: false,
    real_gateway: false,
    webhook: false,
    completion: false,
  });
});

test("steps tick themselves; what failed and what is unknown is counted, and answered it is gone", async () => {
  await m.it.gateway({ identifier: "box", default: true });
  const numbers = ["+15550000001", "+15550000003", "+15550000005"];
  const ids = await m.it.accepted(numbers.map((number) => ({ number, message: "hi" })));
  await m.it.advance(60_000);
  const { first_steps } = await overview();
  assert.deepEqual([first_steps.accepted, first_steps.delivered], [true, true]);
  const statuses = await Promise.all(
    ids.map(async (id) =>
      dataOf<{ record: { status: string } }>(await m.operator("GET", `${path}/messages/${id}`)),
    ),
  );
  const unknown = ids.filter((_, at) => statuses[at]?.record.status === "unknown");
  const failed = statuses.filter(({ record }) => ["failed", "undelivered"].includes(record.status));
  assert.ok(unknown.length > 0 && failed.length > 0, JSON.stringify(statuses));
  assert.deepEqual((await find("unknown_messages"))?.count, { n: unknown.length, more: false });
  assert.deepEqual((await find("failures"))?.count, { n: failed.length, more: false });
  assert.equal((await find("unknown_messages"))?.severity, "doubt");
  for (const id of unknown)
    await m.operator("POST", `${path}/messages/${id}/resolve`, { answer: "mark_sent" });
  assert.equal(await find("unknown_messages"), undefined);
  await m.it.advance(25 * 60 * 60_000);
  assert.equal(await find("failures"), undefined, "of the last 24 hours alone");
});

test("a gateway that is stopped, one that trouble pauses, and reports without a public address", async () => {
  await m.operator("POST", `${path}/gateways/box/pause`);
  const stopped = await find("gateway_stopped");
  assert.equal(stopped?.subject?.name, "box");
  assert.equal(stopped?.href, `/api/manage/v1${path}/gateways/box`);
  await m.operator("POST", `${path}/gateways/box/resume`);
  assert.equal(await find("gateway_stopped"), undefined);
  await m.it.gateway({ identifier: "real", kind: "http-api", settings: providerSettings });
  const { first_steps } = await overview();
  assert.equal(first_steps.real_gateway, true);
});

test("once there is a real gateway, only real messages need attention", async () => {
  const count = async (kind: string) => (await find(kind))?.count?.n ?? 0;
  const failed = await count("failures");
  const unknown = await count("unknown_messages");
  await m.it.accepted(
    ["3", "5"].map((end) => ({ number: `+1555000000${end}`, message: "hi", gateway_identifier: "box" })),
  );
  await m.it.advance(60_000);
  assert.deepEqual([await count("failures"), await count("unknown_messages")], [failed, unknown]);
  m.it.respond(async () => ({ kind: "answer", status: 400, headers: {}, body: Buffer.from("{}") }));
  await m.it.accepted([{ number: "+4915123456780", message: "hi", gateway_identifier: "real" }]);
  await m.it.advance(60_000);
  const item = await find("failures");
  assert.deepEqual(item?.count, { n: failed + 1, more: false });
  const listed = dataOf<object[]>(await m.operator("GET", (item?.href ?? "").replace("/api/manage/v1", "")));
  assert.equal(listed.length, item?.count?.n, item?.href);
  await m.operator("PATCH", `${path}/gateways/real`, { active: false });
  assert.ok((await count("failures")) > failed + 1, "tests again, if there is nothing else");
  assert.ok((await count("unknown_messages")) > unknown);
  await m.it.advance(25 * 60 * 60_000);
  await m.operator("PATCH", `${path}/gateways/real`, { active: true });
});

test("a gateway whose attempts all fail is named after five minutes, with its last answer, until one is accepted", async () => {
  await m.it.gateway({ identifier: "failing", kind: "http-api", settings: providerSettings });
  const to = (last: number) => ({
    number: `+491512345678${last}`,
    message: "hi",
    gateway_identifier: "failing",
  });
  const answers = (status: number, body: string) =>
    m.it.respond(async () => ({ kind: "answer", status, headers: {}, body: Buffer.from(body) }));
  const deferring = async () =>
    dataOf<{ state: string; deferring: { count: number; reason: string } | null }>(
      await m.operator("GET", `${path}/gateways/failing`),
    );
  answers(429, "{}");
  const since = new Date(m.it.clock.now()).toISOString();
  await m.it.accepted([to(1), to(2)]);
  await m.it.advance(4 * 60_000);
  assert.equal(await find("gateway_deferring"), undefined, "a hiccup");
  await m.it.advance(3 * 60_000);
  const found = await find("gateway_deferring");
  assert.deepEqual(
    [found?.subject?.name, found?.severity, found?.since, found?.count],
    ["failing", "error", since, { n: 2, more: false }],
  );
  assert.match(found?.reason ?? "", /429/);
  assert.ok(Date.parse(found?.until ?? "") > m.it.clock.now());
  const shown = await deferring();
  assert.deepEqual([shown.state, shown.deferring?.count], ["active", 2]);
  // One recipient's trouble is not the gateway's.
  m.it.respond(async ({ body }) => ({
    kind: "answer",
    status: String(body).includes("+4915123456781") ? 429 : 200,
    headers: {},
    body: Buffer.from('{"id":"p-1"}'),
  }));
  await m.it.accepted([to(3)]);
  await m.it.advance(2 * 60_000);
  assert.equal(await find("gateway_deferring"), undefined);
  assert.equal((await deferring()).deferring, null);
});

test("a gateway without a device is named until it is switched off", async () => {
  await m.it.gateway({ identifier: "phone", kind: "android" });
  const { subject, severity, href } = (await find("not_linked")) ?? {};
  assert.deepEqual([subject?.name, severity], ["phone", "error"]);
  await m.it.accepted([{ number: "+4915123456789", message: "hi", gateway_identifier: "phone" }]);
  await m.it.advance(10 * 60_000);
  const of = (await overview()).attention.filter((item) => item.subject?.name === "phone");
  assert.deepEqual(
    of.map(({ kind, count }) => [kind, count?.n]),
    [["not_linked", 1]],
    "once, with what waits for it",
  );
  assert.equal(href, `/api/manage/v1${path}/gateways/phone`);
  await m.operator("PATCH", `${path}/gateways/phone`, { active: false });
  assert.equal(await find("not_linked"), undefined);
});

test("a failing endpoint, a domain that does not sign, a plan that ends, and credit that is low", async () => {
  const made = await m.operator("POST", `${path}/webhooks`, {
    url: "https://hooks.example.com/a",
    events: ["*"],
  });
  const { id } = dataOf<{ id: string }>(made);
  assert.equal((await overview()).first_steps.webhook, true);
  m.it.respond(async () => ({ kind: "answer", status: 500, headers: {}, body: Buffer.from("") }));
  await m.operator("POST", `${path}/webhooks/${id}/test`);
  await m.it.advance(10_000);
  const failing = await find("webhook_failing");
  assert.deepEqual(failing?.subject, { id, name: "hooks.example.com" });
  assert.ok(failing?.since);
  await m.operator("POST", `${path}/sending-domains`, { domain: "acme.example.com" });
  assert.equal((await find("domain_unverified"))?.subject?.name, "acme.example.com");
  const soon = new Date(m.it.clock.now() + 60_000_000).toISOString();
  const plan = { plan: { name: "small", expires_at: soon, credit: { sms: 100 } } };
  const changed = await m.operator("PATCH", path, plan);
  assert.equal(changed.statusCode, 200, changed.body);
  assert.deepEqual(
    [(await find("plan_ending"))?.until, (await find("plan_ending"))?.severity],
    [soon, "warning"],
  );
  assert.equal(await find("credit_low"), undefined);
  await m.operator("POST", `${path}/credit`, { channel: "sms", amount: -95 });
  assert.deepEqual((await find("credit_low"))?.count, { n: 5, more: false });
  assert.equal((await overview()).credit.sms?.remaining, 5);
  const all = await kinds();
  assert.equal(new Set(all).size, all.length, "each thing is listed once");
});

test("another account's overview says nothing of it", async () => {
  const other = await m.it.account({ name: "other" });
  assert.deepEqual((await overview(`/accounts/${other.id}`)).attention, []);
  const member = await m.member(other.id);
  assert.equal((await member("GET", `${path}/overview`)).statusCode, 404);
});
