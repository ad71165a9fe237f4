// Ids: text order is the order of making, with every move of the clock and every random part.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIds, idAt, idTime } from "#runtime/ids.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Clock, Random } from "#runtime/runtime.ts";

const latest = 2 ** 48 - 1;
const shape = /^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A clock that reads the given instants one after the other, and stays at the last. */
function clockOf(...instants: number[]): Clock {
  let read = 0;
  return {
    now: () => instants[Math.min(read++, instants.length - 1)]!,
    monotonic: () => 0,
    steady: () => 0,
    sleep: () => Promise.resolve(),
  };
}

const bytesOf = (...values: number[]): Random => ({
  bytes: () => Uint8Array.from(values),
  random: () => 0,
});

/** An independent reading of the 130 bits. */
function numberOf(id: string): bigint {
  let value = 0n;
  for (const digit of id.slice(id.indexOf("_") + 1)) {
    value = value * 32n + BigInt("0123456789abcdefghjkmnpqrstvwxyz".indexOf(digit));
  }
  return value;
}

test("layout: 48 bits of time, then the 80 random bits in order", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: latest }),
      fc.uint8Array({ minLength: 10, maxLength: 10 }),
      (time, bytes) => {
        const id = createIds(clockOf(time), bytesOf(...bytes))("msg");
        assert.match(id, shape);
        const random = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
        assert.equal(numberOf(id), (BigInt(time) << 80n) | random);
        assert.equal(idTime(id), time);
      },
    ),
    { numRuns: 500 },
  );
});

test("the published ULID example reads back", () => {
  // https://github.com/ulid/javascript#seed-time: ulid(1469918176385) begins with 01ARYZ6S41.
  assert.equal(idTime("msg_01aryz6s41tsv4rrffq69g5fav"), 1469918176385);
});

test("order and uniqueness under any clock: standing, jumping, going back, fractional, negative", () => {
  const instant = fc.oneof(
    fc.integer({ min: -5, max: 40 }),
    fc.double({ min: 0, max: 50, noNaN: true }),
    fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_010 }),
  );
  fc.assert(
    fc.property(
      fc.array(instant, { minLength: 1, maxLength: 60 }),
      fc.infiniteStream(fc.nat(255)),
      (instants, stream) => {
        const random: Random = {
          bytes: (count) => Uint8Array.from({ length: count }, () => stream.next().value),
          random: () => 0,
        };
        const ids = createIds(clockOf(...instants), random);
        const made = instants.flatMap((_, i) => (i % 5 === 4 ? ids.many("msg", 4) : [ids("msg")]));
        for (let i = 1; i < made.length; i++)
          assert.ok(made[i - 1]! < made[i]!, `${made[i - 1]} before ${made[i]}`);
        for (const id of made) assert.match(id, shape);
      },
    ),
    { numRuns: 500 },
  );
});

test("counting up carries through every place", () => {
  const limbs = fc.constantFrom(0x00000n, 0x00001n, 0xffffen, 0xfffffn);
  fc.assert(
    fc.property(fc.tuple(limbs, limbs, limbs, limbs), ([a, b, c, d]) => {
      const random = (a << 60n) | (b << 40n) | (c << 20n) | d;
      const bytes = Buffer.from(random.toString(16).padStart(20, "0"), "hex");
      const made = createIds(clockOf(77), bytesOf(...bytes))
        .many("msg", 4)
        .map(numberOf);
      const start = (77n << 80n) | random;
      // Past 80 bits the next millisecond begins with a fresh draw, which here is the same one.
      let expected = start;
      for (const id of made) {
        assert.equal(id, expected);
        const up = expected + 1n;
        expected = up >> 80n === expected >> 80n ? up : ((up >> 80n) << 80n) | random;
      }
    }),
    { numRuns: 256 },
  );
});

test("a borrowed millisecond is not given back by the clock", () => {
  const ids = createIds(clockOf(5, 5, 6, 7), bytesOf(...Array<number>(10).fill(0xff)));
  const made = [ids("msg"), ids("msg"), ids("msg"), ids("msg")];
  assert.deepEqual(made.map(idTime), [5, 6, 7, 8]);
  assert.deepEqual([...made].sort(), made);
});

test("the very last id is followed by an error, not by a smaller id", () => {
  const ids = createIds(clockOf(latest), bytesOf(...Array<number>(10).fill(0xff)));
  assert.equal(idTime(ids("msg")), latest);
  assert.throws(() => ids("msg"), /used up/);
});

test("a batch of 100,000 is unique and in order, and the singles after it follow it", () => {
  const ids = createIds(clockOf(1_767_225_600_000), systemRandom());
  const made = [ids("msg"), ...ids.many("msg", 100_000), ids("msg")];
  assert.equal(new Set(made).size, 100_002);
  for (let i = 1; i < made.length; i++) assert.ok(made[i - 1]! < made[i]!);
  assert.deepEqual(ids.many("msg", 0), []);
});

test("two processes do not meet: 20,000 makers in one millisecond differ", () => {
  const random = systemRandom();
  const made = new Set(Array.from({ length: 20_000 }, () => createIds(clockOf(1), random)("msg")));
  assert.equal(made.size, 20_000);
});

test("what is not an id has no time", () => {
  const good = "msg_01aryz6s41tsv4rrffq69g5fav";
  const bad = [
    "",
    "msg",
    "msg_",
    good.slice(4),
    good.toUpperCase(),
    `${good}0`,
    good.slice(0, -1),
    ` ${good}`,
    `${good}\n`,
  ];
  bad.push(
    good.replace("_0", "_8"),
    good.replace("a", "u"),
    good.replace("a", "l"),
    good.replace("_", "-"),
    `x_${good}`,
  );
  for (const text of bad) assert.equal(idTime(text), null, JSON.stringify(text));
  assert.equal(idTime(good), 1469918176385);
  assert.equal(idTime(good.replace("msg", "gw2")), 1469918176385);
});

test("the lowest id of an instant sorts behind those made before it, and not behind those made since", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: latest }), (at) => {
      const bound = idAt("msg", at);
      assert.match(bound, shape);
      assert.equal(idTime(bound), at);
      assert.ok(createIds(clockOf(at - 1), systemRandom())("msg") < bound);
      assert.ok(createIds(clockOf(at), bytesOf(0, 0, 0, 0, 0, 0, 0, 0, 0, 0))("msg") >= bound);
    }),
  );
  assert.equal(idTime(idAt("msg", -5)), 0);
});
