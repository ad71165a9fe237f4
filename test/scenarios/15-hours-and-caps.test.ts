// A gateway's pace: its rate, its hours of the day, its cap a day, all in the account's zone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Harness, harness } from "../harness.ts";
import { provider, takes } from "./provider.ts";

const hour = 3_600_000;
const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ number: `+49151234${10_000 + i}`, message: "Hi" }));

async function opened(
  time_zone: string,
  start: string,
  pace: object,
): Promise<Harness & { at: () => string[] }> {
  const it = await harness({ clock: movableClock(Date.parse(start)) });
  const at: number[] = [];
  it.respond((request) => {
    at.push(it.clock.now());
    return takes(request);
  });
  await it.account({ time_zone });
  await it.gateway({ identifier: "main", ...provider, pace });
  return { ...it, at: () => at.map((time) => new Date(time).toISOString().slice(0, 19)) };
}

test("outside its hours messages wait, and go when they open", async () => {
  // 21:00 in Kolkata.
  const it = await opened("Asia/Kolkata", "2026-05-01T15:30:00Z", { hours: "08:00-20:00" });
  await it.accepted(contacts(3));
  await it.advance(10.5 * hour);
  assert.equal(it.requests.length, 0);
  await it.advance(hour);
  assert.deepEqual(it.at(), Array(3).fill("2026-05-02T02:30:00"));
  await it.close();
});

test("hours that wrap midnight", async () => {
  const it = await opened("UTC", "2026-05-01T21:00:00Z", { hours: "22:00-02:00", per_second: 0.001 });
  await it.accepted(contacts(30));
  await it.advance(12 * hour);
  const hours = new Set(it.at().map((text) => text.slice(11, 13)));
  assert.deepEqual([...hours].sort(), ["00", "01", "22", "23"]);
  await it.close();
});

test("the cap a day starts again at local midnight, not before, and holds through a restart of the lane", async () => {
  // 22:00 in Berlin on the first of May.
  const it = await opened("Europe/Berlin", "2026-05-01T20:00:00Z", { per_day: 4 });
  const ids = await it.accepted(contacts(11));
  await it.settle();
  assert.equal(it.requests.length, 4);
  await it.gateway({ identifier: "main", ...provider, pace: { per_day: 4, concurrency: 2 } });
  await it.advance(2 * hour - 1);
  assert.equal(it.requests.length, 4);
  await it.advance(1);
  assert.equal(it.requests.length, 8);
  await it.advance(24 * hour);
  assert.equal(it.requests.length, 11);
  assert.deepEqual(
    it.at().map((text) => text.slice(0, 16)),
    [
      ...Array(4).fill("2026-05-01T20:00"),
      ...Array(4).fill("2026-05-01T22:00"),
      ...Array(3).fill("2026-05-02T22:00"),
    ],
  );
  for (const id of ids) assert.equal((await it.message(id)).status, "sent");
  await it.close();
});

test("a rate is kept to the message", async () => {
  const it = await opened("UTC", "2026-05-01T00:00:00Z", { per_second: 5 });
  await it.accepted(contacts(200));
  await it.advance(20_000);
  assert.ok(it.requests.length >= 100 && it.requests.length <= 102, `${it.requests.length}`);
  const seconds = Map.groupBy(it.at(), (text) => text);
  for (const [second, sent] of seconds) assert.ok(sent.length <= 6, `${sent.length} at ${second}`);
  await it.close();
});

test("no more than its concurrency is with the provider at once", async () => {
  const it = await opened("UTC", "2026-05-01T00:00:00Z", { concurrency: 3 });
  let now = 0;
  let max = 0;
  it.respond(async (request) => {
    now += 1;
    max = Math.max(max, now);
    await it.clock.sleep(500);
    now -= 1;
    return takes(request);
  });
  await it.accepted(contacts(20));
  await it.advance(10_000);
  assert.equal(it.requests.length, 20);
  assert.equal(max, 3);
  await it.close();
});
