// What waits for a gateway, and what its pace allows now.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { GatewayReplyData } from "#contract/manage/gateways.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme", time_zone: "Europe/Berlin" });
  path = `/accounts/${account.id}/gateways`;
  await m.it.gateway({ identifier: "web", kind: "http-api", settings: providerSettings, default: true });
});
after(() => m.close());

const gateway = async () => dataOf<GatewayReplyData>(await m.operator("GET", `${path}/web`));

test("messages for later are told apart from those that are due", async () => {
  await m.it.accepted([{ number: "+15550000001", message: "hi", schedule_at: "2100-01-01 00:00:00" }]);
  const { queue, waiting } = await gateway();
  assert.deepEqual([queue.due, queue.later, waiting], [0, 1, 1]);
  assert.equal(queue.next_due_at, "2099-12-31T23:00:00.000Z");
});

test("the daily bound and the hours are shown by the account's clock", async () => {
  const pace = { per_day: 10, hours: "08:00-20:00" };
  const changed = await m.operator("PATCH", `${path}/web`, { pace });
  assert.equal(changed.statusCode, 200, changed.body);
  const { today, opens_at } = await gateway();
  assert.partialDeepStrictEqual(today, { sent: 0, per_day: 10 });
  assert.match(today!.restarts_at, /T2[23]:00:00/);
  assert.match(opens_at!, /T0[67]:00:00/, "it is night at the clock of the test");
});
