// Opening an endpoint's lane: only where there is an active endpoint.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { updateWebhook, webhookChanges } from "#configure/webhook.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { newLane } from "#store/lanes/lanes.ts";
import { openEndpointLane } from "#webhooks/open-endpoint.ts";
import { sendTestEvent } from "#webhooks/replay.ts";
import { onChanges } from "../changes.ts";
import { scriptedOutbound } from "../gateways/scripted-outbound.ts";
import { type Harness, harness, seededRandom } from "../harness.ts";
import { listen, says } from "../scenarios/receiver.ts";

let it: Harness;
let accountId: string;
before(async () => {
  it = await harness({ started: false });
  accountId = (await it.account()).id;
});
after(() => it.close());

function open(id: string) {
  const outbound = scriptedOutbound(() => says(200));
  const deps = {
    database: it.system.database,
    clock: it.clock,
    random: seededRandom(5),
    outbound,
    log: it.log,
    crashPoint: () => {},
    metrics: createMetrics(async () => []),
    sealer: it.system.core.sealer,
    maxWaitMs: 60_000,
  };
  return { outbound, opened: openEndpointLane(deps, { ...newLane(id, "webhook"), fence: 0 }) };
}

test("what waits is posted as soon as it opens, and what comes when it is woken", async () => {
  const endpointId = await listen(it, accountId);
  const replaying = it.system.core;
  await sendTestEvent(replaying, { accountId, endpointId });
  const { outbound, opened } = open(endpointId);
  const lane = await opened;
  await it.settle();
  assert.deepEqual([lane?.id, lane?.fence, outbound.requests.length], [endpointId, 0, 1]);
  const end = onChanges(it.system.database, { due: () => lane?.wake() });
  await sendTestEvent(replaying, { accountId, endpointId });
  end();
  await it.settle();
  assert.equal(outbound.requests.length, 2);
  await lane?.stop();
});

test("an endpoint that is gone, or switched off, opens no lane", async () => {
  assert.equal(await open("whe_gone").opened, null);
  const id = await listen(it, accountId, { url: "https://off.test/" });
  await updateWebhook(it.system.core, accountId, id, webhookChanges.parse({ active: false }));
  assert.equal(await open(id).opened, null);
});
