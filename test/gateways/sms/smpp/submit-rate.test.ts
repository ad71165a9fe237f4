// The rate after `ESME_RTHROTTLED`: a pause that doubles, half the rate, and the throttled PDU first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SubmitRate } from "#gateways/sms/smpp/submit-rate.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("without throttling nothing waits", () => {
  const rate = new SubmitRate(movableClock(), 1000);
  for (let sent = 0; sent < 100; sent += 1) {
    assert.equal(rate.admit(false), null);
    rate.accepted();
  }
});

test("after a throttling nothing goes for a while, and the refused one goes first", async () => {
  const clock = movableClock();
  const rate = new SubmitRate(clock, 1000);
  for (let sent = 0; sent < 10; sent += 1) rate.accepted();
  assert.equal(rate.throttled(), 1000);
  const order: string[] = [];
  const wait = (name: string, isFirst: boolean) => rate.admit(isFirst)?.then(() => void order.push(name));
  void wait("other", false);
  void wait("refused", true);
  await clock.advance(999);
  assert.deepEqual(order, []);
  await clock.advance(1);
  assert.deepEqual(order, ["refused"]);
  // Half of the ten that were refused: one in 200 ms.
  await clock.advance(199);
  assert.deepEqual(order, ["refused"]);
  await clock.advance(1);
  assert.deepEqual(order, ["refused", "other"]);
});

test("the pause doubles to 30 s, and several refusals at once are one", async () => {
  const clock = movableClock();
  const rate = new SubmitRate(clock, 1000);
  const pauses: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    pauses.push(rate.throttled());
    assert.equal(rate.throttled(), pauses.at(-1));
    await clock.advance(pauses.at(-1) ?? 0);
  }
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("without further refusals the limit is given back", async () => {
  const clock = movableClock();
  const rate = new SubmitRate(clock, 1000);
  for (let sent = 0; sent < 100; sent += 1) rate.accepted();
  rate.throttled();
  await clock.advance(1000);
  assert.notEqual(rate.admit(false), null);
  for (let steps = 0; steps < 20; steps += 1) {
    await clock.advance(5_000);
    rate.accepted();
  }
  await clock.advance(1_000);
  assert.equal(rate.admit(false), null);
});

test("stopping lets everything go on", async () => {
  const clock = movableClock();
  const rate = new SubmitRate(clock, 1000);
  rate.throttled();
  let admitted = false;
  const waiting = rate.admit(false)?.then(() => {
    admitted = true;
  });
  assert.notEqual(waiting, undefined);
  rate.stop();
  await clock.settle();
  assert.ok(admitted, "what waited goes on although no time passed");
});
