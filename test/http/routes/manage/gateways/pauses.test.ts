// The pauses of a gateway: kept with their reasons, from when they began until they ended.

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

interface Pause {
  since: string;
  until: string | null;
  reason: string | null;
}
const pauses = async (query = "") => dataOf<Pause[]>(await m.operator("GET", `${path}/web/pauses${query}`));
const gateway = async () => dataOf<GatewayReplyData>(await m.operator("GET", `${path}/web`));

test("a pause of trouble is kept with its reason, from when it began until it ended", async () => {
  assert.deepEqual(await pauses(), []);
  let status = 401;
  m.it.respond(async () => ({
    kind: "answer",
    status,
    headers: {},
    body: Buffer.from(status === 401 ? '{"error":"bad token"}' : '{"id":"ref-1"}'),
  }));
  await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  await m.it.advance(12_000);
  const [lasting] = await pauses();
  assert.match(lasting!.reason!, /401: bad token/);
  assert.equal(lasting!.until, null);
  const { pauses_in_row, queue } = await gateway();
  assert.ok(pauses_in_row >= 2);
  assert.deepEqual([queue.due, queue.later, queue.more], [1, 0, false]);
  assert.ok(queue.oldest_due_at);
  status = 200;
  await m.it.advance(60_000);
  const [ended, ...others] = await pauses();
  assert.deepEqual([ended!.since, others], [lasting!.since, []], "one pause, however often it was tried");
  assert.ok(ended!.until! > ended!.since);
  assert.equal((await gateway()).pauses_in_row, 0);
});

test("a pause by hand is kept too, and the newest comes first, page by page", async () => {
  await m.operator("POST", `${path}/web/pause`);
  await m.it.advance(1_000);
  await m.operator("POST", `${path}/web/resume`);
  const both = await pauses();
  assert.equal(both.length, 2);
  assert.match(both[0]!.reason!, /hand/);
  const first = await m.operator("GET", `${path}/web/pauses?limit=1`);
  const { next_cursor } = first.json();
  assert.deepEqual(await pauses(`?limit=1&cursor=${next_cursor}`), [both[1]]);
  assert.equal((await m.operator("GET", `${path}/none/pauses`)).statusCode, 404);
});
