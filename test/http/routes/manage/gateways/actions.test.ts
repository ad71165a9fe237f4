// What is done to a gateway by hand: a test message, pause, resume, default.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { answer, providerSettings, takes } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
beforeEach(async () => {
  m = await managed({ respond: takes });
  const { id } = await m.it.account({ plan: { name: "p", credit: { sms: 5 } } });
  await m.it.gateway({ identifier: "main", kind: "http-api", settings: providerSettings, default: true });
  path = `/accounts/${id}/gateways`;
});
afterEach(() => m.close());

interface Shown {
  state: string;
  pause: { reason: string; since: string; until: string | null; by: string | null } | null;
  waiting: number;
  default: boolean;
}

interface Tested {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  events: { type: string; detail: string | null }[];
}

const act = async (action: string, identifier = "main") =>
  dataOf<Shown>(await m.operator("POST", `${path}/${identifier}/${action}`));
const show = async (identifier = "main") => dataOf<Shown>(await m.operator("GET", `${path}/${identifier}`));
const hello = (rest: object = {}) => ({ number: "+4915123456789", message: "hi", ...rest });

test("a test message is an ordinary one through this very gateway", async () => {
  await m.it.gateway({ identifier: "second", kind: "http-api", settings: providerSettings });
  const reply = await m.operator("POST", `${path}/second/test`, { to: "+49 151 23456789" });
  const { id, status, error, events } = dataOf<Tested>(reply);
  assert.deepEqual([status, error], ["sent", null], "the answer has what became of it");
  assert.deepEqual(
    events.map(({ type }) => type),
    ["queued", "sending", "sent"],
  );
  const message = await m.it.message(id);
  assert.deepEqual([message.gateway_identifier, message.status], ["second", "sent"]);
  assert.match(message.message, /second/);
});

test("a test waits 10 s for a gateway in trouble, and no longer than its next try is away", async () => {
  m.it.respond(() => answer(401, { message: "wrong key" }));
  const body = { to: "+4915123456789" };
  let reply: Awaited<ReturnType<typeof m.operator>> | null = null;
  const asked = m.operator("POST", `${path}/main/test`, body).then((answered) => {
    reply = answered;
  });
  await m.it.settle();
  await m.it.advance(9_000);
  assert.equal(reply, null, "it waits");
  await m.it.advance(1_500);
  await asked;
  const waited = dataOf<Tested>(reply!);
  assert.equal(waited.status, "queued");
  assert.match(waited.events.at(-1)?.detail ?? "", /401/);

  const atOnce = dataOf<Tested>(await m.operator("POST", `${path}/main/test`, { ...body, wait_ms: 0 }));
  assert.equal(atOnce.status, "queued");

  await act("resume");
  m.it.respond(() => answer(429, {}, { "retry-after": "60" }));
  const later = dataOf<Tested>(await m.operator("POST", `${path}/main/test`, body));
  assert.equal(later.status, "queued");
  assert.match(later.error?.code ?? "", /429|rate/);

  await act("pause");
  const stopped = dataOf<Tested>(await m.operator("POST", `${path}/main/test`, body));
  assert.deepEqual([stopped.status, stopped.events.length], ["queued", 1]);
});

test("a test that cannot be sent says why", async () => {
  const attempt = (body: object, identifier = "main") =>
    m.operator("POST", `${path}/${identifier}/test`, body);
  assert.deepEqual(Object.keys((await attempt({ to: "call me" })).json().errors), ["to"]);
  assert.deepEqual(Object.keys((await attempt({})).json().errors), ["to"]);
  const long = { to: "+4915123456789", message: "x".repeat(1600) };
  assert.equal((await attempt(long)).statusCode, 402);
  await m.it.gateway({ identifier: "off", active: false });
  assert.equal((await attempt({ to: "+4915123456789" }, "off")).statusCode, 409);
  await m.it.gateway({ identifier: "mail", channel: "email" });
  assert.deepEqual(Object.keys((await attempt({ to: "+4915123456789" }, "mail")).json().errors), ["to"]);
  assert.equal((await attempt({ to: "ada@example.com" }, "mail")).statusCode, 200);
  await m.it.gateway({ identifier: "chat", channel: "whatsapp" });
  assert.equal((await attempt({ to: "+4915123456789" }, "chat")).statusCode, 200);
});

test("paused by hand nothing goes out, however long, until it is resumed", async () => {
  const since = new Date(m.it.clock.now()).toISOString();
  const paused = await act("pause");
  assert.deepEqual(
    [paused.state, paused.pause],
    ["stopped", { reason: "Paused by hand.", since, until: null, by: paused.pause?.by }],
  );
  assert.match(paused.pause?.by ?? "", /^token \d+$/);
  const [id] = await m.it.accepted([hello()]);
  await m.it.advance(24 * 3_600_000);
  assert.equal(m.it.requests.length, 0);
  assert.equal((await show()).waiting, 1);
  assert.deepEqual((await act("pause")).pause?.since, since, "again: the same pause");
  assert.deepEqual([(await act("resume")).state, (await act("resume")).state], ["active", "active"]);
  await m.it.settle();
  assert.equal((await m.it.message(id!)).status, "sent");
});

test("a change of its settings does not end a pause by hand", async () => {
  await act("pause");
  dataOf(await m.operator("PATCH", `${path}/main`, { pace: { per_second: 5 } }));
  await m.it.accepted([hello()]);
  await m.it.advance(3_600_000);
  assert.deepEqual([(await show()).state, m.it.requests.length], ["stopped", 0]);
});

test("a gateway in trouble shows why and until when, and is tried at once when resumed", async () => {
  m.it.respond(() => answer(401, { message: "no" }));
  const [id] = await m.it.accepted([hello()]);
  await m.it.settle();
  const { state, pause } = await show();
  assert.equal(state, "paused");
  assert.match(pause!.reason, /401/);
  assert.equal(Date.parse(pause!.until!) - Date.parse(pause!.since), 5_000);
  m.it.respond(takes);
  assert.equal((await act("resume")).state, "active");
  await m.it.settle();
  assert.equal((await m.it.message(id!)).status, "sent");
});

test("pauses stand outside the time in which a message is tried", async () => {
  dataOf(await m.operator("PATCH", `${path}/main`, { retry: { for_ms: 600_000 } }));
  m.it.respond(() => answer(429));
  const [id] = await m.it.accepted([hello()]);
  await m.it.settle();
  await act("pause");
  await m.it.advance(86_400_000);
  await act("resume");
  await m.it.settle();
  assert.equal((await m.it.message(id!)).status, "queued");
  await m.it.advance(3_600_000);
  assert.equal((await m.it.message(id!)).status, "failed");
});

test("there is one default gateway", async () => {
  await m.it.gateway({ identifier: "second", kind: "http-api", settings: providerSettings });
  assert.equal((await act("default", "second")).default, true);
  assert.equal((await show()).default, false);
  const [id] = await m.it.accepted([hello()]);
  assert.equal((await m.it.message(id!)).gateway_identifier, "second");
});
