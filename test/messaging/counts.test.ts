// Counts of messages are stored about a second after something was recorded, and at a stop; a failed write is tried again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCountWriter } from "#messaging/counts.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { EndedMessage } from "#store/counts/buffer.ts";
import type { Database } from "#store/database.ts";
import { memoryLog } from "../log.ts";

const failed: EndedMessage = {
  id: "msg_1",
  account_id: "acc_1",
  gateway_id: "gw_1",
  channel: "sms",
  status: "failed",
  code: "refused",
};

function writer({ failing = 0, ended = [] as EndedMessage[], more = 0 } = {}) {
  const clock = movableClock();
  let [calls, failures] = [0, failing];
  const run = async () => {
    calls += 1;
    if (failures === 0) return { ended: ended.splice(0), more };
    failures -= 1;
    throw new Error("down");
  };
  const database = { run } as unknown as Database;
  const log = memoryLog();
  const counts = createCountWriter({ clock, database, log });
  return { clock, counts, log, record: counts.start, calls: () => calls };
}

test("nothing is written while nothing happens, and what happens within a second is written once", async () => {
  const { clock, record, calls, counts } = writer();
  await clock.advance(10_000);
  assert.equal(calls(), 0);
  record();
  record();
  await clock.advance(1_000);
  assert.equal(calls(), 1);
  await clock.advance(10_000);
  assert.deepEqual([calls(), clock.sleeping()], [1, 0]);
  await counts.stop();
});

test("a write that fails is tried again until it succeeds", async () => {
  const { clock, record, calls, counts } = writer({ failing: 2 });
  record();
  await clock.advance(10_000);
  assert.equal(calls(), 3);
  await counts.stop();
});

test("a stop writes what waits, and does not fail when the storage is away", async () => {
  const well = writer();
  well.record();
  await well.counts.stop();
  assert.ok(well.calls() > 0);
  const away = writer({ failing: 10 });
  away.record();
  await away.counts.stop();
  assert.ok(away.calls() > 0);
});

test("messages that ended otherwise than delivered have a line each, without texts and numbers", async () => {
  const { clock, record, log, counts } = writer({ ended: [failed], more: 7 });
  record();
  await clock.advance(1_000);
  const [line, rest] = log.lines().filter(({ event }) => event === "message.ended");
  const { time: _, ...fields } = line ?? { time: "" };
  assert.deepEqual(fields, {
    level: "info",
    event: "message.ended",
    id: "msg_1",
    account: "acc_1",
    gateway: "gw_1",
    channel: "sms",
    status: "failed",
    code: "refused",
    msg: "A message is failed.",
  });
  assert.equal(rest?.more, 7);
  await counts.stop();
});
