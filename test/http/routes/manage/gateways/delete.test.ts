// Gateways deleted through the management API: at once where nothing is left to do, else when their last message has ended.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { providerSettings, takes } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed({ respond: takes });
  const { id } = await m.it.account();
  path = `/accounts/${id}/gateways`;
  await create("main", { default: true });
});
after(() => m.close());

const fields = { channel: "sms", kind: "http-api", settings: providerSettings };
const create = (identifier: string, more: object = {}) =>
  m.operator("POST", path, { ...fields, identifier, ...more });
const remove = (identifier: string) => m.operator("DELETE", `${path}/${identifier}`);
const show = (identifier: string) => m.operator("GET", `${path}/${identifier}`);
const to = "+4915123456789";

test("one that sent messages goes at once, and they keep its name", async () => {
  assert.equal((await create("used")).statusCode, 201);
  const [id = ""] = await m.it.accepted([{ number: to, message: "hi", gateway_identifier: "used" }]);
  await m.it.advance(1_000);
  assert.equal((await m.it.message(id)).status, "sent");
  const reply = await remove("used");
  assert.deepEqual(
    [reply.statusCode, reply.json()],
    [
      200,
      {
        success: true,
        message: "The gateway has been deleted.",
        data: { deleted: true, waiting: 0, sending: 0 },
      },
    ],
  );
  for (const again of [await show("used"), await remove("used")]) assert.equal(again.statusCode, 404);
  assert.equal((await m.it.message(id)).gateway_identifier, "used");
  await m.it.advance(60_000);
  const stats = dataOf<{ series: { key: string }[] }>(
    await m.operator("GET", `${path.replace("/gateways", "/stats")}?step=hour&split=gateway`),
  );
  assert.ok(stats.series.some(({ key }) => key === "used"));
  const log = dataOf<{ id: string }[]>(
    await m.operator("GET", `${path.replace("/gateways", "/messages")}?gateway=used`),
  );
  assert.deepEqual(
    log.map((message) => message.id),
    [id],
  );
  assert.equal((await create("used")).statusCode, 201, "the identifier is free");
});

test("one on which messages wait takes no new ones, sends those, and is gone by itself", async () => {
  await create("draining");
  const [waiting = ""] = await m.it.accepted([
    { number: to, message: "hi", gateway_identifier: "draining", schedule_at: "2038-01-01 00:00:00" },
  ]);
  await m.operator("POST", `${path}/draining/pause`);
  const [due = ""] = await m.it.accepted([{ number: to, message: "now", gateway_identifier: "draining" }]);
  const reply = await remove("draining");
  assert.deepEqual(
    [reply.statusCode, reply.json().data, reply.json().message],
    [
      202,
      { deleted: false, waiting: 2, sending: 0 },
      "The gateway takes no new messages. It is deleted when the 2 that it has have ended.",
    ],
  );
  const shown = dataOf<{ draining: { since: string; sending: number } }>(await show("draining"));
  assert.equal(shown.draining.sending, 0);
  const list = dataOf<{ identifier: string; draining: object | null }[]>(await m.operator("GET", path));
  assert.deepEqual(
    list.filter(({ draining }) => draining !== null).map(({ identifier }) => identifier),
    ["draining"],
  );

  const taken = await create("draining");
  assert.deepEqual([taken.statusCode, taken.json().code], [409, "conflict"]);
  assert.match(taken.json().message, /is being deleted\. The identifier is free when/);
  const refused = await m.it.send([{ number: to, message: "hi", gateway_identifier: "draining" }]);
  assert.deepEqual(
    [refused.statusCode, refused.json().errors],
    [
      422,
      {
        "contact.0.gateway_identifier": ["Gateway draining is being deleted and takes no new messages."],
      },
    ],
  );

  await m.operator("POST", `${path}/draining/resume`);
  await m.it.advance(10_000);
  assert.equal((await m.it.message(due)).status, "sent");
  assert.equal((await show("draining")).statusCode, 200, "one still waits");
  const messages = path.replace("/gateways", "/messages");
  await m.operator("POST", `${messages}/bulk`, { action: "cancel", ids: [waiting] });
  await m.it.advance(3_600_000);
  assert.equal((await show("draining")).statusCode, 404);
  for (const id of [waiting, due]) assert.equal((await m.it.message(id)).gateway_identifier, "draining");
});

test("a default gateway that drains leaves messages without a name to the next one", async () => {
  await create("was-default", { default: true });
  const at = "2038-01-01 00:00:00";
  await m.it.accepted([{ number: to, message: "hi", schedule_at: at }]);
  assert.equal((await remove("was-default")).statusCode, 202);
  const [id = ""] = await m.it.accepted([{ number: to, message: "hi" }]);
  assert.equal((await m.it.message(id)).gateway_identifier, "main");
});

test("a member of a spread, and the phone of another SIM, stay until they are not needed", async () => {
  const made = await create("sim-1", { kind: "android", settings: {} });
  assert.equal(made.statusCode, 201, made.body);
  const settings = { phone: dataOf<{ id: string }>(made).id, sim: 2 };
  assert.equal((await create("sim-2", { kind: "android", settings })).statusCode, 201);
  assert.equal((await create("both", { kind: "spread", settings: { members: ["sim-2"] } })).statusCode, 201);
  const phone = await remove("sim-1");
  assert.deepEqual(
    [phone.statusCode, phone.json().message],
    [409, "Gateway sim-2 sends through the phone that is linked to this one. Delete it first."],
  );
  const member = await remove("sim-2");
  assert.equal(member.statusCode, 409);
  assert.match(member.json().message, /^Spread both has the gateway as a member/);
  for (const identifier of ["both", "sim-2", "sim-1"])
    assert.equal((await remove(identifier)).statusCode, 200, identifier);
});

test("what may have been sent is not sent again through a gateway that is gone", async () => {
  await create("doubtful");
  m.it.respond(() => ({ kind: "no_answer", reason: "The connection broke." }));
  const [id = ""] = await m.it.accepted([{ number: to, message: "hi", gateway_identifier: "doubtful" }]);
  await m.it.advance(1_800_000);
  m.it.respond(takes);
  assert.equal((await m.it.message(id)).status, "unknown");
  assert.equal((await remove("doubtful")).statusCode, 200);
  const messages = path.replace("/gateways", "/messages");
  const again = await m.operator("POST", `${messages}/${id}/resolve`, { answer: "send_again" });
  assert.deepEqual(
    [again.statusCode, again.json().code, again.json().message],
    [409, "conflict", "Its gateway has been deleted, so it cannot be sent again."],
  );
  const bulk = await m.operator("POST", `${messages}/bulk`, { action: "send_again", ids: [id] });
  assert.deepEqual(
    bulk.json().data.refused.map(({ code }: { code: string }) => code),
    ["conflict"],
  );
  const failed = await m.operator("POST", `${messages}/${id}/resolve`, { answer: "mark_failed" });
  assert.equal(failed.json().data.status, "failed");
});
