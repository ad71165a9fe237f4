// The log of requests that meet unavailable storage: bounded in lines, and no request is left uncounted.

import assert from "node:assert/strict";
import test from "node:test";
import { createStorageLog } from "#http/storage-log.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { StorageError } from "#store/database.ts";
import { memoryLog } from "../log.ts";

test("3,000 requests in an outage of 12 s make a handful of log lines, whose counts add up", async () => {
  const clock = movableClock();
  const log = memoryLog();
  const storageLog = createStorageLog(clock, log);
  for (let second = 0; second < 12; second++) {
    for (let index = 0; index < 250; index++) {
      const error = new StorageError("unavailable", "away");
      storageLog.record({ requestId: `req_${second}_${index}`, route: "/api/sms/send", error });
    }
    await clock.advance(1_000);
  }
  await clock.advance(10_000);
  storageLog.stop();
  const lines = log.lines();
  assert.ok(lines.length >= 2 && lines.length <= 5, `${lines.length} lines`);
  assert.equal(lines[0]?.requests, 1, "the first failure is logged at once");
  const logged = lines.reduce((sum, { requests }) => sum + Number(requests), 0);
  assert.equal(logged, 3_000);
  for (const line of lines) {
    assert.equal(line.msg, "Requests failed because the storage failed.");
    assert.equal(line.event, "storage.failed");
  }
  assert.equal(clock.sleeping(), 0, "no timer is left");
});

test("stop logs what is left, and the first failure of the next outage is logged at once", async () => {
  const clock = movableClock();
  const log = memoryLog();
  const storageLog = createStorageLog(clock, log);
  const fail = () =>
    storageLog.record({ requestId: "req_1", route: "/x", error: new StorageError("io", "broken") });
  fail();
  await clock.advance(60_000);
  fail();
  assert.equal(log.lines().length, 2);
  fail();
  fail();
  storageLog.stop();
  assert.deepEqual(
    log.lines().map(({ requests }) => requests),
    [1, 1, 2],
  );
});
