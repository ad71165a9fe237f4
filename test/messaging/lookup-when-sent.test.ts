// Looking a message up when something became of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pauseGateway, resumeGateway } from "#configure/gateway-actions.ts";
import { lookupWhenSent } from "#messaging/lookup-when-sent.ts";
import { type Harness, harness } from "../harness.ts";
import { answeredInTime } from "../http/routes/manage/managed.ts";

let it: Harness;
let account: { id: string };

before(async () => {
  it = await harness();
  account = await it.account();
  await it.gateway({ identifier: "main", default: true });
});
after(() => it.close());

const waitFor = (id: string, maxMs = 10_000) => lookupWhenSent(it.system.core, account, { id, maxMs });

test("a message that goes is there at once; one that has no row is null", async () => {
  const [id = ""] = await it.accepted([{ number: "+15550000001", message: "hi" }]);
  const record = await waitFor(id);
  assert.ok(record !== null && ["sent", "delivered"].includes(record.status));
  assert.ok(record.events?.some(({ type }) => type === "sent"));
  assert.equal(await waitFor("msg_01k3j5m8q2x9v7n4c6b0d1f3gh"), null);
});

test("a message for later is not waited for, and one that waits is there when the time is over", async () => {
  const at = it.clock.monotonic();
  const later = { number: "+15550000001", message: "hi", schedule_at: "2030-01-01 10:00:00" };
  const [scheduled = ""] = await it.accepted([later]);
  assert.equal((await waitFor(scheduled))?.status, "scheduled");
  assert.equal(it.clock.monotonic(), at, "no time passed");

  const { resume } = await paused();
  const [id = ""] = await it.accepted([{ number: "+15550000001", message: "hi" }]);
  assert.equal((await answeredInTime(it, waitFor(id, 3_000)))?.status, "queued");
  assert.equal(it.clock.monotonic() - at >= 3_000, true);
  await resume();
});

test("it notices what another process sent, which gives no hint", async () => {
  const { resume } = await paused();
  const [id = ""] = await it.accepted([{ number: "+15550000001", message: "hi" }]);
  const { core } = it.system;
  const deaf = { ...core, database: { ...core.database, onChanges: () => () => {} } };
  const asked = lookupWhenSent(deaf, account, { id, maxMs: 10_000 });
  await resume();
  await it.settle();
  const record = await answeredInTime(it, asked);
  assert.ok(record !== null && ["sent", "delivered"].includes(record.status));
});

/** Pauses the gateway by hand. */
async function paused() {
  const { core } = it.system;
  assert.ok(await pauseGateway(core, account.id, "main", null));
  await it.settle();
  return {
    resume: async () => {
      assert.ok(await resumeGateway(core, account.id, "main"));
      await it.settle();
    },
  };
}
