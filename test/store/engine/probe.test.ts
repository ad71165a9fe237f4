// The smallest read and the smallest write.

import assert from "node:assert/strict";
import test from "node:test";
import { probeRead, probeWrite } from "#store/engine/probe.ts";
import { onBothEngines } from "../conformance.ts";

onBothEngines((open) => {
  test("a probe reads, and a probe that writes changes one row each time", async () => {
    const { database, query } = open();
    await database.run(probeRead, null);
    const found = () => query<{ value: string }>("select value from installation_facts where name = 'probe'");
    assert.deepEqual(await found(), []);
    await database.run(probeWrite, 1);
    await database.run(probeWrite, 2);
    assert.deepEqual(
      (await found()).map(({ value }) => value),
      ["2"],
    );
  });
});
