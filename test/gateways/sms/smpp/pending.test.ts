// Answers find their PDUs, in time or late, and numbers are not used twice while an answer may come.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingAnswers, type SubmitAnswer } from "#gateways/sms/smpp/pending.ts";

const taken: SubmitAnswer = { kind: "answered", status: 0, messageId: "7f", congestion: null };

test("an answer in time, too late, and to nothing", async () => {
  const pending = new PendingAnswers(1);
  const first = pending.wait(2, 100, "msg_1");
  const second = pending.wait(3, 200, null);
  assert.equal(pending.deadline, 100);
  assert.equal(pending.settle(3, taken), null);
  assert.deepEqual(await second, taken);
  pending.expire(100);
  assert.deepEqual([await first, pending.deadline], [{ kind: "silent" }, null]);
  assert.deepEqual(
    [pending.settle(2, taken), pending.settle(2, taken), pending.settle(99, taken)],
    ["msg_1", null, null],
  );
});

test("a number that may still be answered is not given out, and numbers begin again at 1", () => {
  const pending = new PendingAnswers(0x7fff_fffe);
  assert.equal(pending.nextSequence(), 0x7fff_ffff);
  void pending.wait(1, 5, "msg_1");
  pending.expire(5);
  void pending.wait(2, 50, null);
  assert.equal(pending.nextSequence(), 3);
});

test("when the connection ends, what waits is lost", async () => {
  const pending = new PendingAnswers(1);
  const waiting = pending.wait(2, 100, "msg_1");
  pending.lose();
  assert.deepEqual([await waiting, pending.deadline], [{ kind: "lost" }, null]);
});
