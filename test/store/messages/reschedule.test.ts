// Messages that wait and move to another time.

import assert from "node:assert/strict";
import test from "node:test";
import { beginAttempts } from "#store/messages/attempts.ts";
import { findMessage } from "#store/messages/lookup.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { type NewTime, rescheduleMessage } from "#store/messages/reschedule.ts";
import { onChanges } from "../../changes.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeMessages, messageRow, now, stamp, timeline } from "../rows.ts";

const hour = 3_600_000;
const to = (scheduledFor: number, at = now + 5): NewTime => ({
  at,
  detail: `Moved to ${scheduledFor - now}.`,
  scheduleAt: "2027-01-15 10:00:00",
  scheduledFor,
});

onBothEngines((open) => {
  const scheduled = (count = 1) =>
    makeMessages(open().database, {
      count,
      each: {
        status: "scheduled",
        due_at: now + hour,
        schedule_at: "2027-01-15 09:00:00",
        scheduled_for: now + hour,
      },
    });
  const reschedule = (accountId: string, id: string, time: NewTime, channel: "sms" | "email" | null = null) =>
    open().database.run(rescheduleMessage, { accountId, channel, id, to: time });

  test("it is due then, and its timeline keeps every time that it had", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await scheduled();
    const id = ids[0]!;
    const due: [laneId: string, dueAt: number][] = [];
    const end = onChanges(store.database, { due: (...one) => void due.push(one) });
    for (const time of [now + 2 * hour, now + 3 * hour])
      assert.deepEqual(await reschedule(accountId, id, to(time)), {
        kind: "rescheduled",
        channel: "sms",
      });
    end();
    assert.deepEqual(due, [
      [gatewayId, now + 2 * hour],
      [gatewayId, now + 3 * hour],
    ]);
    const row = await messageRow(store, id);
    assert.deepEqual(
      [row.status, row.due_at, row.scheduled_for, row.schedule_at],
      ["scheduled", now + 3 * hour, now + 3 * hour, "2027-01-15 10:00:00"],
    );
    const found = await store.database.run(findMessage, { accountId, channel: null, id });
    assert.deepEqual(
      found?.events.map(({ seq, type, detail }) => [seq, type, detail]),
      [
        [0, "scheduled", `Due at ${new Date(now + hour).toISOString()}.`],
        [1, "scheduled", "Moved to 7200000."],
        [2, "scheduled", "Moved to 10800000."],
      ],
    );
  });

  test("a time that is past means at once, and its lateness counts from the change", async () => {
    const { accountId, ids } = await scheduled();
    const moved = await reschedule(accountId, ids[0]!, to(now - hour));
    assert.equal(moved.kind, "rescheduled");
    assert.equal((await messageRow(open(), ids[0]!)).due_at, now + 5);
  });

  test("a lane that read it as due before does not send it", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    await reschedule(accountId, ids[0]!, to(now + hour));
    const fence = await claim(store, gatewayId);
    const batch = { laneId: gatewayId, fence, ids: [...ids], at: now + 10, lateBefore: 0, day: null };
    assert.deepEqual(await store.database.run(beginAttempts, batch), {
      kind: "begun",
      attempts: new Map([[ids[1]!, 1]]),
    });
    assert.equal((await messageRow(store, ids[0]!)).due_at, now + hour);
    const later = await stamp(store.database, gatewayId, fence, [ids[0]!], now + hour);
    assert.equal(later.get(ids[0]!), 1);
    assert.deepEqual(await timeline(store, ids[0]!), ["queued", "scheduled", "sending"]);
  });

  test("what goes out, has ended, or is another account's or channel's, stays as it is", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    const [sending, ended] = [ids[0]!, ids[1]!];
    await stamp(store.database, gatewayId, await claim(store, gatewayId), [sending]);
    const details = { at: now, detail: "Cancelled." };
    await store.database.run(cancelMessage, { accountId, channel: null, id: ended, details });
    assert.deepEqual(await reschedule(accountId, sending, to(now + hour)), {
      kind: "not_cancellable",
      status: "sending",
    });
    assert.deepEqual(await reschedule(accountId, ended, to(now + hour)), {
      kind: "not_cancellable",
      status: "cancelled",
    });
    assert.deepEqual(await reschedule("acc_0", ended, to(now + hour)), { kind: "not_found" });
    assert.deepEqual(await reschedule(accountId, ended, to(now + hour), "email"), { kind: "not_found" });
    assert.equal((await messageRow(store, sending)).schedule_at, null);
  });

  test("what a restore holds moves, and goes on being held", async () => {
    const store = open();
    const { accountId, ids } = await scheduled();
    const id = ids[0]!;
    await store.query("update messages set held_due_at = due_at, due_at = null where id = ?", id);
    const moved = await reschedule(accountId, id, to(now + 2 * hour));
    assert.equal(moved.kind, "rescheduled");
    const { due_at, held_due_at } = await messageRow(store, id);
    assert.deepEqual([due_at, held_due_at], [null, now + 2 * hour]);
  });
});
