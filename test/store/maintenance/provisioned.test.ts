// What the provisioning file set last, and facts about the installation.

import assert from "node:assert/strict";
import test from "node:test";
import { keepFact, markProvisioned, readProvisioned } from "#store/maintenance/provisioned.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh } from "../rows.ts";

onBothEngines((open) => {
  test("a mark is read back by kind and name, and replaced by the next", async () => {
    const { database } = open();
    await database.run(markProvisioned, { kind: "gateway", name: "a", hash: "1" });
    await database.run(markProvisioned, { kind: "account", name: "a", hash: "2" });
    await database.run(markProvisioned, { kind: "gateway", name: "a", hash: "3" });
    assert.deepEqual(
      await database.run(readProvisioned, null),
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
      values.map((value, i) => (i % 2 === 0 ? store.database : store.other).run(keepFact, { name, value })),
    );
    assert.equal(new Set(kept).size, 1);
    assert.ok(values.includes(kept[0]!));
    assert.equal(await store.database.run(keepFact, { name, value: "late" }), kept[0]);
    assert.equal(await store.database.run(keepFact, { name: fresh("fact"), value: "other" }), "other");
  });
});
