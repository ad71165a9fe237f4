// What decides when the messages of gateways are sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readStandings } from "#store/gateways/waiting.ts";
import { pauseLane } from "#store/lanes/lanes.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, fresh, makeAccount, makeGateway, now } from "../rows.ts";

onBothEngines((open) => {
  test("the lanes of the gateways that there are, with the zone of their account", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const [id, other] = [
      await makeGateway(store.database, accountId),
      await makeGateway(store.database, accountId, { active: 0 }),
    ];
    const pause = { id, fence: await claim(store, id), at: now, until: now + 5, reason: "401", pauses: 1 };
    await store.database.run(pauseLane, { ...pause, eventId: fresh("evt") });
    const found = await store.database.run(readStandings, [id, "gw_gone", other]);
    assert.deepEqual(
      found.map(({ gateway, lane, session, phone }) => [
        ...[gateway.id, gateway.active, lane.paused_since, lane.pause_reason, lane.failing_since],
        ...[session, phone],
      ]),
      [
        [id, 1, now, "401", now, null, null],
        [other, 0, null, null, null, null, null],
      ],
    );
    assert.ok(found.every(({ timeZone }) => timeZone.length > 0));
  });
});
