// When providers last reported: the latest instant counts, and those close to it cost no write.

import assert from "node:assert/strict";
import { test } from "node:test";
import { noteReport } from "#store/gateways/reports.ts";
import { onBothEngines } from "../conformance.ts";
import { now } from "../rows.ts";

onBothEngines((open) => {
  test("the latest report is noted, to half a minute", async () => {
    const store = open();
    const note = (at: number, gateway_id = "gw_noted") => store.database.run(noteReport, { gateway_id, at });
    const noted = async (id = "gw_noted") =>
      (await store.query<{ at: number }>("select at from gateway_reports where gateway_id = ?", id))[0]?.at;
    assert.equal(await noted(), undefined);
    await Promise.all([note(now), note(now), note(now - 1, "gw_other")]);
    assert.deepEqual([await noted(), await noted("gw_other")], [now, now - 1]);
    await note(now + 30_000);
    await note(now - 60_000);
    assert.equal(await noted(), now);
    await note(now + 30_001);
    assert.equal(await noted(), now + 30_001);
  });
});
