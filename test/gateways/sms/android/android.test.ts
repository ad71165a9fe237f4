// The kind `android`: its settings, and that no process drives it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "#gateways/registry.ts";
import { android, androidSettings } from "#gateways/sms/android/android.ts";
import { undrivenKinds } from "#store/gateways/gateways.ts";

test("the lanes without an owner are those of the kinds whose messages are fetched, or sent by others", () => {
  for (const { kind, connection } of adapters)
    assert.equal(undrivenKinds.has(kind), connection === "pulled" || connection === "members", kind);
});

test("settings have defaults, and name slots from 1", () => {
  assert.deepEqual(androidSettings.parse({}), {
    sim: "any",
    delivery_reports: true,
    keep_for_h: 24,
    ahead: 5,
    ping_s: 300,
  });
  assert.deepEqual(android.defaultPace, {
    perSecond: 1 / 6,
    jitterMs: 4_000,
    perDay: 200,
    maxConcurrency: 1,
  });
  for (const sim of [0, 4, "1"]) assert.equal(androidSettings.safeParse({ sim }).success, false);
  assert.equal(androidSettings.safeParse({ phone: "a b" }).success, false);
});
