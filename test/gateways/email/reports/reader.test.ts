// Returned mails are read in the thread, to the same result, and those that cannot be are counted.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readReport } from "#gateways/email/reports/delivery-report.ts";
import { createReportReader } from "#gateways/email/reports/reader.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../../log.ts";
import { samples } from "../report-samples.ts";

const clock = movableClock();
let unreadable = 0;
const count = () => {
  unreadable += 1;
};

test("every sample says in the thread what it says here", async () => {
  const reader = createReportReader({ clock, log: memoryLog(), unreadable: count });
  after(() => reader.close());
  const all = Object.values(samples);
  const read = await Promise.all(all.map((raw) => reader.read(raw)));
  assert.deepEqual(
    read,
    all.map((raw) => ({ kind: "read", report: readReport(raw) })),
  );
  assert.equal(unreadable, 0);
});

test("a mail that breaks the thread is counted and logged; one that was not tried is not counted", async () => {
  const log = memoryLog();
  const module = new URL("../broken-thread.ts", import.meta.url);
  const broken = createReportReader({ clock, log, unreadable: count, module });
  assert.deepEqual(await broken.read(samples.gmail), { kind: "unreadable" });
  assert.equal(unreadable, 1);
  await broken.close();
  assert.deepEqual(await broken.read(samples.gmail), { kind: "busy" });
  assert.equal(unreadable, 1);
  assert.equal(log.lines().filter(({ level }) => level === "warn").length, 2);
});
