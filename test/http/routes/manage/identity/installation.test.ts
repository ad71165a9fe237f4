// What operators see of the installation, and the end of a hold: for operators alone, and written down.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hold, holdEndedReply, installationReply } from "#contract/manage/installation.ts";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import { asked, provider, takes } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed({ respond: takes });
  await m.it.account({ plan: { name: "basic", credit: { sms: 10 } } });
  await m.it.gateway({ identifier: "main", ...provider });
});
after(() => m.close());

/** Two messages that were waiting when the hold was put. */
async function held(): Promise<string[]> {
  const { clock, system } = m.it;
  const at = new Date(clock.now() + 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  const contacts = [1, 2].map((i) => ({ number: `+4915123410${i}`, message: "Hi", schedule_at: at }));
  const ids = await m.it.accepted(contacts);
  while (!(await system.database.run(holdPending, { at: clock.now(), limit: 100 })));
  return ids;
}

test("it tells the version, the engine, and what is held", async () => {
  const free = await m.operator("GET", "/installation");
  assert.deepEqual(installationReply.parse(free.json()).data, {
    version: "0.1.0",
    engine: "sqlite",
    held: null,
  });
  await held();
  const { data } = installationReply.parse((await m.operator("GET", "/installation")).json());
  assert.deepEqual(data.held, {
    at: new Date(m.it.clock.now()).toISOString(),
    messages: 2,
    deliveries: 0,
    events: 0,
  });
  assert.ok(hold.safeParse(data.held).success);
});

test("released: what is held goes out at its time, and again there is nothing to do", async () => {
  const before = asked(m.it).length;
  const reply = holdEndedReply.parse((await m.operator("POST", "/installation/release")).json());
  assert.deepEqual(reply.data, { messages: 2, deliveries: 0, events: 0 });
  assert.deepEqual(dataOf(await m.operator("POST", "/installation/release")), {
    messages: 0,
    deliveries: 0,
    events: 0,
  });
  await m.it.advance(3_600_000);
  assert.equal(asked(m.it).length, before + 2);
});

test("cancelled: the messages end, and their credit comes back", async () => {
  const ids = await held();
  const reply = holdEndedReply.parse((await m.operator("POST", "/installation/cancel-held")).json());
  assert.equal(reply.data.messages, 2);
  for (const id of ids) assert.equal((await m.it.message(id)).status, "cancelled");
  assert.equal((await m.it.get("/api/account")).json().data.credit.sms.remaining, 8);
});

test("members and strangers may none of it", async () => {
  const { id } = await m.it.account({ name: "a member's" });
  const member = await m.member(id);
  assert.equal((await member("GET", "/installation")).statusCode, 403);
  assert.equal((await member("POST", "/installation/release")).statusCode, 403);
  assert.equal((await member("POST", "/installation/cancel-held")).statusCode, 403);
  const url = "/api/manage/v1/installation/release";
  assert.equal((await m.it.system.app.inject({ method: "POST", url })).statusCode, 401);
});
