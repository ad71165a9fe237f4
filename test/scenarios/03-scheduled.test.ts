// A message for later: at the account's local time, never before its instant, and on time.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Harness, harness, seededRandom } from "../harness.ts";
import { provider, story, takes } from "./provider.ts";

async function opened(zone: string, start: string): Promise<Harness> {
  const it = await harness({ clock: movableClock(Date.parse(start)), respond: takes });
  await it.account({ time_zone: zone });
  await it.gateway({ identifier: "main", ...provider });
  return it;
}

const contact = (schedule_at?: string) => ({ number: "+4915123456789", message: "Hi", schedule_at });

/** Sends for a local time and returns the instant at which it went out. */
async function leftAt(it: Harness, schedule_at: string): Promise<string | null> {
  const [id] = await it.accepted([contact(schedule_at)]);
  const { scheduled_for } = await it.message(id!);
  await it.clock.advanceTo(Math.max(it.clock.now(), Date.parse(scheduled_for!) - 1));
  assert.equal(it.requests.length, 0, "before its instant");
  assert.equal((await it.message(id!)).status, "scheduled");
  await it.advance(2000);
  assert.equal(it.requests.length, 1);
  return (await it.message(id!)).sent_at;
}

test("a scheduled message waits in sight, and leaves at its local time", async () => {
  const it = await opened("Europe/Berlin", "2026-06-30T22:00:00Z");
  const reply = await it.send([contact("2026-07-01 09:00:00")]);
  const { id, status } = reply.json().data.contact[0];
  assert.equal(status, "scheduled");
  const listed = (await it.get("/api/get/sms")).json().data[0];
  assert.equal(listed.id, id);
  assert.equal(listed.status, "scheduled");
  assert.equal(listed.schedule_at, "2026-07-01 09:00:00");
  assert.equal(listed.scheduled_for, "2026-07-01T07:00:00.000Z");
  assert.equal(listed.next_attempt_at, "2026-07-01T07:00:00.000Z");
  await it.clock.advanceTo(Date.parse("2026-07-01T06:59:59.999Z"));
  assert.equal(it.requests.length, 0);
  await it.advance(1);
  assert.equal((await it.message(id)).sent_at, "2026-07-01T07:00:00.000Z");
  assert.deepEqual(await story(it, id), ["scheduled", "sending", "sent"]);
  await it.close();
});

test("a local time that a clock change skips moves forward by the gap", async () => {
  const it = await opened("America/New_York", "2026-03-08T06:00:00Z");
  assert.equal(await leftAt(it, "2026-03-08 02:30:00"), "2026-03-08T07:30:00.000Z");
  await it.close();
});

test("a local time that occurs twice means the first", async () => {
  const it = await opened("America/New_York", "2026-11-01T04:00:00Z");
  assert.equal(await leftAt(it, "2026-11-01 01:30:00"), "2026-11-01T05:30:00.000Z");
  await it.close();
});

test("a past time is accepted as scheduled and leaves at once", async () => {
  const it = await opened("UTC", "2026-06-01T00:00:00Z");
  const [id] = await it.accepted([contact("2020-01-01 00:00:00")]);
  await it.settle();
  const record = await it.message(id!);
  assert.equal(record.status, "sent");
  assert.equal(record.scheduled_for, "2020-01-01T00:00:00.000Z");
  assert.equal(record.sent_at, "2026-06-01T00:00:00.000Z");
  await it.close();
});

test("null and empty mean now", async () => {
  const it = await opened("UTC", "2026-06-01T00:00:00Z");
  const reply = await it.send([
    { ...contact(), schedule_at: null },
    { ...contact(), schedule_at: " " },
  ]);
  assert.deepEqual(
    reply.json().data.contact.map(({ status }: { status: string }) => status),
    ["queued", "queued"],
  );
  await it.close();
});

test("a later change of the account's zone does not move the instant", async () => {
  const it = await opened("Asia/Tokyo", "2026-06-01T00:00:00Z");
  const [id] = await it.accepted([contact("2026-06-01 12:00:00")]);
  await it.account({ time_zone: "America/Los_Angeles" });
  await it.advance(86_400_000);
  assert.equal((await it.message(id!)).sent_at, "2026-06-01T03:00:00.000Z");
  await it.close();
});

test("two hundred messages over an hour each leave within two seconds of their instant, none before", async () => {
  const it = await opened("UTC", "2026-06-01T00:00:00Z");
  const { random } = seededRandom(17);
  const local = () =>
    new Date(it.clock.now() + Math.floor(random() * 3600) * 1000)
      .toISOString()
      .slice(0, 19)
      .replace("T", " ");
  const ids: string[] = [];
  for (let i = 0; i < 20; i++)
    ids.push(...(await it.accepted(Array.from({ length: 10 }, () => contact(local())))));
  await it.advance(3_602_000);
  for (const id of ids) {
    const record = await it.message(id);
    const late = Date.parse(record.sent_at!) - Date.parse(record.scheduled_for!);
    assert.ok(late >= 0 && late <= 2000, `${late} ms`);
  }
  await it.close();
});
