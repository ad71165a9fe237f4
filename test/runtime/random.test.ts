// Randomness: right lengths across the pool's edges, nothing handed out twice, the whole range used.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemRandom, xorshift32 } from "#runtime/random.ts";

test("every length is exact, at the pool's edges too", () => {
  const random = systemRandom();
  for (const count of [0, 1, 10, 16, 255, 256, 257, 4096, 5000, 10, 250, 256]) {
    for (let i = 0; i < 20; i++) assert.equal(random.bytes(count).length, count);
  }
});

test("no 16 bytes come twice, and what was handed out stays the caller's", () => {
  const random = systemRandom();
  const first = random.bytes(16);
  const kept = Buffer.from(first).toString("hex");
  const seen = new Set<string>([kept]);
  for (let i = 0; i < 20_000; i++) seen.add(Buffer.from(random.bytes(16)).toString("hex"));
  assert.equal(seen.size, 20_001);
  assert.equal(Buffer.from(first).toString("hex"), kept);
});

test("bytes cover all values; fractions lie in [0, 1) on both sides of the middle", () => {
  const random = systemRandom();
  const values = new Set<number>();
  for (let i = 0; i < 200; i++) for (const byte of random.bytes(200)) values.add(byte);
  assert.equal(values.size, 256);
  const fractions = Array.from({ length: 1000 }, () => random.random());
  assert.ok(fractions.every((one) => one >= 0 && one < 1));
  assert.ok(fractions.some((one) => one < 0.5) && fractions.some((one) => one >= 0.5));
});

test("xorshift32: a seed's integers are its own, and 0 is a seed like others", () => {
  const take = (seed: number) => {
    const next = xorshift32(seed);
    return Array.from({ length: 1_000 }, next);
  };
  assert.deepEqual(take(7), take(7));
  assert.notDeepEqual(take(7), take(8));
  // By the paper's recurrence with the shifts 13, 17 and 5.
  assert.deepEqual(take(1).slice(0, 3), [270_369, 67_634_689, 2_647_435_461]);
  for (const seed of [0, -5, 2 ** 40])
    assert.ok(take(seed).every((one) => Number.isInteger(one) && one > 0 && one < 2 ** 32));
});
