// The kind `android`: its settings, its pace, and that no process drives it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isPulled } from "#contract/phones/pulled.ts";
import { adapters } from "#gateways/registry.ts";
import { android, androidSettings } from "#gateways/sms/android/android.ts";
import { findGateway } from "#store/gateways/gateways.ts";
import { harness } from "../../../harness.ts";

test("the lanes without an owner are those of the kinds whose messages are fetched", () => {
  for (const { kind, connection } of adapters) assert.equal(isPulled(kind), connection === "pulled", kind);
});

test("settings have defaults, and name slots from 1", () => {
  assert.deepEqual(androidSettings.parse({}), {
    sim: "any",
    delivery_reports: true,
    keep_for_h: 24,
    ahead: 5,
    ping_s: 300,
  });
  for (const sim of [0, 4, "1"]) assert.equal(androidSettings.safeParse({ sim }).success, false);
  assert.equal(androidSettings.safeParse({ phone: "msg_1" }).success, false);
});

test("a gateway has the pace of its kind unless its own says otherwise", async () => {
  const it = await harness();
  await it.account();
  const paceOf = async (identifier: string, pace: object) => {
    const id = await it.gateway({ identifier, kind: android.kind, pace });
    const row = await it.system.database.run(findGateway, id);
    const { perSecond, jitterMs, perDay } = JSON.parse(row?.rules ?? "{}").pace;
    return [perSecond, jitterMs, perDay];
  };
  assert.deepEqual(await paceOf("a", {}), [1 / 6, 4_000, 200]);
  assert.deepEqual(await paceOf("b", { per_second: 1 }), [1, 0, 200]);
  assert.deepEqual(await paceOf("c", { per_second: null, per_day: null }), [null, 0, null]);
  await it.close();
});
