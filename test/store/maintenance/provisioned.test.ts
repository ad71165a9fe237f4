// What the provisioning file set last, and facts about the installation.

import assert from "node:assert/strict";
import test from "node:test";
import { getOrSetFact, readProvisionMarks, storeProvisionMark } from "#store/maintenance/provisioned.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh } from "../rows.ts";

onBothEngines((open) => {
  test("a mark is read back by kind and name, and replaced by the next", async () => {
    const { database } = open();
    await database.run(storeProvisionMark, { kind: "gateway", name: "a", hash: "1" });
    await database.run(storeProvisionMark, { kind: "account", name: "a", hash: "2" });
    await database.run(storeProvisionMark, { kind: "gateway", name: "a", hash: "3" });
    assert.deepEqual(
      await database.run(readProvisionMarks, null),
      new Map([
        ["account a", "2"],
        ["gateway a", "3"],
      ]),
    );
  });

  test("the first fact under a name stays, also of many at once", async () => {
    const store = open();
    const name = fresh("fact");
    const values = Array.from({ length: 20 }, (_, i) => `value ${i}`);
    const kept = await Promise.all(
      values.map((value, i) =>
        (i % 2 === 0 ? store.database : store.other).run(getOrSetFact, { name, value }),
      ),
    );
    assert.equal(new Set(kept).size, 1);
    assert.ok(values.includes(kept[0]!));
    assert.equal(await store.database.run(getOrSetFact, { name, value: "late" }), kept[0]);
    assert.equal(await store.database.run(getOrSetFact, { name: fresh("fact"), value: "other" }), "other");
  });
});
