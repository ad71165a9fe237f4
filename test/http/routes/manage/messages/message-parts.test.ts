// What a message's page shows beside the record: its attempts with the provider's answers, its webhook deliveries, and the
// page of an HTML mail, which can do nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TransmissionRecord } from "#contract/manage/messages.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme" });
  path = `/accounts/${account.id}`;
  await m.it.gateway({ identifier: "web", kind: "http-api", settings: providerSettings, default: true });
  await m.it.gateway({ identifier: "mail", channel: "email", default: true });
});
after(() => m.close());

const attempts = async (id: string) =>
  dataOf<{ attempts: TransmissionRecord[] }>(await m.operator("GET", `${path}/messages/${id}`)).attempts;

test("each attempt has its gateway, its outcome and what the provider answered", async () => {
  let status = 429;
  m.it.respond(async () => ({
    kind: "answer",
    status,
    headers: {},
    body: Buffer.from(status === 429 ? '{"error":"slow down"}' : '{"id":"ref-1"}'),
  }));
  const [id] = await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  await m.it.advance(10);
  const [first] = await attempts(id!);
  assert.partialDeepStrictEqual(first, {
    number: 1,
    gateway: "web",
    outcome: "deferred",
    code: "http_429",
    answer: { status: 429, body: '{"error":"slow down"}' },
  });
  assert.ok(first!.next_attempt_at! > first!.ended_at!);
  status = 200;
  await m.it.advance(60_000);
  const both = await attempts(id!);
  assert.deepEqual(
    both.map(({ number, outcome, answer }) => [number, outcome, answer === null]),
    [
      [1, "deferred", false],
      [2, "accepted", true],
    ],
  );
});

test("the deliveries of a message's events are listed in their order", async () => {
  m.it.respond(async () => ({ kind: "answer", status: 200, headers: {}, body: Buffer.from('{"id":"r"}') }));
  const made = await m.operator("POST", `${path}/webhooks`, {
    url: "https://hooks.example.com/a",
    events: ["message.*"],
  });
  const webhook = dataOf<{ id: string }>(made).id;
  const [id] = await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  await m.it.advance(10_000);
  interface Delivery {
    type: string;
    webhook: string;
    status: string;
  }
  const list = dataOf<Delivery[]>(await m.operator("GET", `${path}/messages/${id}/deliveries`));
  assert.deepEqual(
    list.map(({ type, webhook: of, status }) => [type, of === webhook, status]),
    [
      ["message.queued", true, "delivered"],
      ["message.sending", true, "delivered"],
      ["message.sent", true, "delivered"],
    ],
  );
});

test("an HTML mail is a page without scripts, other hosts and an origin; a text has none", async () => {
  const html = '<p onclick="x()">Hello</p><script>alert(1)</script><img src="https://evil.example/a.png">';
  const mail = (message: string) =>
    m.it.post("/api/email/send", { contact: [{ email: "ada@example.com", subject: "Hello", message }] });
  const ids = [await mail(html), await mail("Just text.")].map((reply) => {
    assert.equal(reply.statusCode, 200, reply.body);
    return reply.json().data.contact[0].id as string;
  });
  const page = await m.operator("GET", `${path}/messages/${ids[0]}/html`);
  assert.equal(page.statusCode, 200, page.body);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(page.body, html);
  const policy = String(page.headers["content-security-policy"]);
  for (const rule of ["sandbox;", "default-src 'none'", "img-src data:", "frame-ancestors 'self'"])
    assert.ok(policy.includes(rule), rule);
  assert.ok(!policy.includes("allow-scripts") && !policy.includes("allow-same-origin"));
  assert.equal(page.headers["x-content-type-options"], "nosniff");
  const text = await m.operator("GET", `${path}/messages/${ids[0]}/text`);
  assert.deepEqual(
    [text.statusCode, text.headers["content-type"], text.body],
    [200, "text/plain; charset=utf-8", "Hello"],
  );
  assert.equal((await m.operator("GET", `${path}/messages/${ids[1]}/text`)).statusCode, 404);
  assert.equal((await m.operator("GET", `${path}/messages/${ids[1]}/html`)).statusCode, 404);
  assert.equal((await m.operator("GET", `${path}/messages/msg_none/html`)).statusCode, 404);
  const other = await m.it.account({ name: "other" });
  for (const part of ["html", "text", "deliveries"]) {
    const foreign = await m.operator("GET", `/accounts/${other.id}/messages/${ids[0]}/${part}`);
    assert.equal(foreign.statusCode, 404, part);
  }
});
