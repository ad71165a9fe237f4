// What operators see of the installation, and the end of a hold: for operators alone, and written down.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  hold,
  holdEndedReply,
  installationDetailsReply,
  installationReply,
} from "#contract/manage/installation.ts";
import { outdatedNode, version } from "#runtime/program.ts";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import { inject } from "../../../../inject.ts";
import { asked, provider, takes } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: string;
before(async () => {
  m = await managed({ respond: takes });
  account = (await m.it.account({ plan: { name: "basic", credit: { sms: 10 } } })).id;
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

test("what each page asks has the version, the process and what is held, and measures nothing", async () => {
  const { core } = m.it.system;
  const at = new Date(core.startedAt).toISOString();
  const frame = {
    version,
    node: { version: process.versions.node, outdated: outdatedNode() },
    engine: "sqlite",
    public_url: "https://trunkline.test",
    process: core.processId,
    started_at: at,
    held: null,
  };
  const free = await m.operator("GET", "/installation");
  assert.deepEqual(dataOf(free), frame);
  assert.ok(installationReply.safeParse(free.json()).success);
});

test("the details have the database's size, the settings, the processes, and whose messages are held", async () => {
  const read = async () =>
    installationDetailsReply.parse((await m.operator("GET", "/installation/details")).json()).data;
  const { processId, startedAt } = m.it.system.core;
  const { size_bytes, processes, ...rest } = await read();
  assert.deepEqual(rest, {
    // The tests are no script of a clone.
    commands: { backup: "trunkline backup", restore: "trunkline restore", hold: "trunkline hold" },
    outbound_allow: [],
    retention: { messages_days: null, webhooks_days: 30, audit_days: null, usage_days: 90, deferred_days: 7 },
    metrics: "loopback",
    show_api_keys: true,
    held_accounts: [],
  });
  assert.ok(size_bytes > 4_096);
  const [own, ...others] = processes;
  assert.deepEqual([own?.id, own?.started_at, others], [processId, new Date(startedAt).toISOString(), []]);
  assert.equal(own?.heartbeat_at, new Date(m.it.clock.now()).toISOString());
  // Its gateway, and the fan-out, rerouting and maintenance.
  assert.ok((own?.lanes ?? 0) >= 4);
  await held();
  const { data } = installationReply.parse((await m.operator("GET", "/installation")).json());
  assert.deepEqual(data.held, {
    at: new Date(m.it.clock.now()).toISOString(),
    messages: 2,
    deliveries: 0,
    events: 0,
  });
  assert.ok(hold.safeParse(data.held).success);
  assert.deepEqual((await read()).held_accounts, [{ account, name: "acme", messages: 2 }]);
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
  assert.equal((await member("GET", "/installation/details")).statusCode, 403);
  assert.equal((await member("POST", "/installation/release")).statusCode, 403);
  assert.equal((await member("POST", "/installation/cancel-held")).statusCode, 403);
  const url = "/api/manage/v1/installation/release";
  assert.equal((await inject(m.it.system.app, { method: "POST", url })).statusCode, 401);
});
