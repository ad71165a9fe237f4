// GET /health/live and /health/ready

import assert from "node:assert/strict";
import test from "node:test";
import { liveReply, notReadyReply, readyReply } from "#contract/replies.ts";
import { ask, edge } from "../../edge.ts";

test("live, in any state of the storage", async () => {
  const readiness = () => assert.fail("asked");
  const { status, json } = await ask(edge({ core: { readiness } }), { method: "GET", url: "/health/live" });
  assert.equal(status, 200);
  assert.deepEqual(liveReply.parse(json), json);
});

for (const ready of [true, false]) {
  test(`${ready ? "ready" : "not ready"}, with every check`, async () => {
    const checks = { database: ready ? "ok" : "disk full" };
    const to = edge({ core: { readiness: async () => ({ ready, checks }) } });
    const { status, json } = await ask(to, { method: "GET", url: "/health/ready" });
    assert.equal(status, ready ? 200 : 503);
    assert.deepEqual(json, { status: ready ? "ready" : "not_ready", checks });
    assert.deepEqual((ready ? readyReply : notReadyReply).parse(json), json);
  });
}
