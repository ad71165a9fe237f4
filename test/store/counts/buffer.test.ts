// Counts of messages in memory: those of a transaction count when it commits, and what was taken to be stored waits again
// when storing fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CountBuffer, type CountedEvent } from "#store/counts/buffer.ts";

const sent: CountedEvent = {
  name: "sent",
  account_id: "acc",
  channel: "sms",
  gateway_id: "gw",
  at: 61_000,
  ms: 20,
};
const taken = (buffer: CountBuffer) => {
  const transaction = buffer.transaction();
  const counts = transaction.take();
  return { transaction, counts };
};

test("what a transaction adds is there when it commits, by minutes", () => {
  const buffer = new CountBuffer();
  const one = buffer.transaction();
  one.add(sent);
  one.add({ ...sent, at: 119_999, ms: null });
  one.add({ ...sent, name: "accepted", at: 120_000, n: 5, ms: null });
  assert.deepEqual(buffer.transaction().take(), []);
  one.commit();
  const { counts } = taken(buffer);
  assert.deepEqual(
    counts.map(({ at, sent: ofSent, accepted, waits }) => [at, ofSent, accepted, Object.values(waits)]),
    [
      [60_000, 2, 0, [1]],
      [120_000, 0, 5, []],
    ],
  );
});

test("what a transaction adds that is undone is not counted, and a transaction can be used again", () => {
  const buffer = new CountBuffer();
  const one = buffer.transaction();
  one.add(sent);
  one.discard();
  one.commit();
  assert.deepEqual(taken(buffer).counts, []);
  one.add(sent);
  one.commit();
  assert.equal(taken(buffer).counts.length, 1);
});

test("counts that could not be stored are added to those that came meanwhile", () => {
  const buffer = new CountBuffer();
  const add = () => {
    const one = buffer.transaction();
    one.add(sent);
    one.commit();
  };
  add();
  const { transaction } = taken(buffer);
  add();
  transaction.discard();
  const again = taken(buffer);
  assert.deepEqual(
    again.counts.map(({ sent: ofSent, waits }) => [ofSent, Object.values(waits)]),
    [[2, [2]]],
  );
  again.transaction.commit();
  assert.deepEqual(taken(buffer).counts, []);
});

const ended = (id: number) => ({
  id: `msg_${id}`,
  account_id: "acc",
  gateway_id: "gw",
  channel: "sms" as const,
  status: "failed" as const,
  code: null,
});

test("ended messages wait when their transaction commits, 1,000 at the most, and are taken once", () => {
  const buffer = new CountBuffer();
  const undone = buffer.transaction();
  undone.end(ended(0));
  undone.discard();
  const one = buffer.transaction();
  for (let id = 1; id <= 1_003; id++) one.end(ended(id));
  assert.deepEqual(buffer.transaction().takeEnded(), { ended: [], more: 0 });
  one.commit();
  const taken = buffer.transaction().takeEnded();
  assert.deepEqual([taken.ended.length, taken.ended[0]?.id, taken.more], [1_000, "msg_1", 3]);
  assert.deepEqual(buffer.transaction().takeEnded(), { ended: [], more: 0 });
});

test("ended messages whose counts could not be stored wait again, before those that came meanwhile", () => {
  const buffer = new CountBuffer();
  const end = (from: number, to: number) => {
    const one = buffer.transaction();
    for (let id = from; id <= to; id++) one.end(ended(id));
    one.commit();
  };
  end(1, 1_003);
  const failing = buffer.transaction();
  failing.takeEnded();
  end(1_004, 1_005);
  failing.discard();
  failing.discard();
  const again = buffer.transaction();
  const taken = again.takeEnded();
  assert.deepEqual([taken.ended.length, taken.ended.at(-1)?.id, taken.more], [1_000, "msg_1000", 5]);
  again.commit();
  again.discard();
  assert.deepEqual(buffer.transaction().takeEnded(), { ended: [], more: 0 });
  end(1, 2);
  const few = buffer.transaction();
  few.takeEnded();
  end(3, 4);
  few.discard();
  const ids = buffer.transaction().takeEnded();
  assert.deepEqual([ids.ended.map(({ id }) => id), ids.more], [["msg_1", "msg_2", "msg_3", "msg_4"], 0]);
});
