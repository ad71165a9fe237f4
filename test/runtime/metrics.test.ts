// What Prometheus reads.

import assert from "node:assert/strict";
import test from "node:test";
import { createMetrics } from "#runtime/metrics.ts";

test("counts what happened and reads the load when it is asked", async () => {
  let waiting = 3;
  const metrics = createMetrics(async () => [
    { gateway: "sms-main", waiting, oldestSeconds: 1.5, paused: waiting > 3, connected: waiting <= 3 },
    { gateway: "calls", waiting: 0, oldestSeconds: 0, paused: false, connected: null },
  ]);
  metrics.accepted("sms", 2);
  metrics.accepted("sms", 1);
  metrics.refused("sms", "invalid");
  metrics.outcome("sms-main", "unknown");
  metrics.receipts("sms-main", 4);
  const first = await metrics.text();
  for (const line of [
    'trunkline_messages_accepted_total{channel="sms"} 3',
    'trunkline_sends_refused_total{channel="sms",why="invalid"} 1',
    'trunkline_outcomes_total{gateway="sms-main",outcome="unknown"} 1',
    'trunkline_receipts_total{gateway="sms-main"} 4',
    'trunkline_messages_waiting{gateway="sms-main"} 3',
    'trunkline_oldest_waiting_seconds{gateway="sms-main"} 1.5',
    'trunkline_gateway_paused{gateway="sms-main"} 0',
    'trunkline_gateway_connected{gateway="sms-main"} 1',
  ]) {
    assert.ok(first.split("\n").includes(line), line);
  }
  assert.doesNotMatch(first, /connected\{gateway="calls"\}/);
  waiting = 9;
  const second = (await metrics.text()).split("\n");
  assert.ok(second.includes('trunkline_messages_waiting{gateway="sms-main"} 9'));
  assert.ok(second.includes('trunkline_gateway_paused{gateway="sms-main"} 1'));
  assert.ok(second.includes('trunkline_gateway_connected{gateway="sms-main"} 0'));
});

test("a gateway that is gone is no longer shown", async () => {
  let load = [{ gateway: "old", waiting: 1, oldestSeconds: 0, paused: false, connected: null }];
  const metrics = createMetrics(async () => load);
  assert.match(await metrics.text(), /gateway="old"/);
  load = [];
  assert.doesNotMatch(await metrics.text(), /gateway="old"/);
});

test("tries of webhooks are counted, and what waits for them is read when it is asked", async () => {
  let load = { entries: 2, deliveries: 5 };
  const metrics = createMetrics(
    async () => [],
    async () => load,
  );
  metrics.webhookTry("delivered");
  metrics.webhookTry("failed");
  metrics.webhookTry("failed");
  const first = (await metrics.text()).split("\n");
  for (const line of [
    'trunkline_webhook_tries_total{outcome="delivered"} 1',
    'trunkline_webhook_tries_total{outcome="failed"} 2',
    "trunkline_webhook_deliveries_waiting 5",
    "trunkline_webhook_events_waiting 2",
  ]) {
    assert.ok(first.includes(line), line);
  }
  load = { entries: 0, deliveries: 0 };
  assert.match(await metrics.text(), /^trunkline_webhook_deliveries_waiting 0$/m);
});

test("calls of pool keys are counted by their status, each reading again, and so is usage that was dropped", async () => {
  const metrics = createMetrics(async () => []);
  for (const status of [200, 200, 499]) metrics.completion(status);
  metrics.usageDropped(3);
  const has = async (...lines: string[]) => {
    const text = (await metrics.text()).split("\n");
    for (const line of lines) assert.ok(text.includes(line), line);
  };
  const dropped = "trunkline_usage_dropped_total 3";
  await has(
    'trunkline_completions_total{status="200"} 2',
    'trunkline_completions_total{status="499"} 1',
    dropped,
  );
  metrics.completion(200);
  await has(
    'trunkline_completions_total{status="200"} 3',
    'trunkline_completions_total{status="499"} 1',
    dropped,
  );
});
