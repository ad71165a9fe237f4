// The messages of one request as one thing.

import assert from "node:assert/strict";
import test from "node:test";
import {
  changeRequestMessages,
  findRequest,
  type RequestChange,
  sumRequest,
} from "#store/messages/requests.ts";
import { onChanges } from "../../changes.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeMessages, messageRow, now, remaining, stamp } from "../rows.ts";

const all = { from: "msg_", before: "msg_~" };
const cancel: RequestChange = { kind: "cancel", details: { at: now + 5, detail: "Cancelled." } };

onBothEngines((open) => {
  async function request(count: number) {
    const store = open();
    const each = { status: "scheduled", due_at: now + 1000, cost: 2 } as const;
    const made = await makeMessages(store.database, { count, each });
    const id = (await messageRow(store, made.ids[0]!)).request_id;
    return { ...made, id };
  }
  const change = (
    of: { accountId: string; id: string },
    limit: number,
    what: RequestChange = cancel,
    from = all.from,
  ) =>
    open().database.run(changeRequestMessages, {
      accountId: of.accountId,
      id: of.id,
      ...all,
      from,
      limit,
      change: what,
    });

  test("it is summed by status, with its credit and its due times, for its account alone", async () => {
    const store = open();
    const of = await request(3);
    assert.deepEqual(await store.database.run(findRequest, of), {
      id: of.id,
      channel: "sms",
      contacts: 3,
      created_at: now,
    });
    assert.equal(await store.database.run(findRequest, { ...of, accountId: "acc_0" }), null);
    await change(of, 1);
    assert.deepEqual(await store.database.run(sumRequest, { ...of, contacts: 3, ...all }), [
      { status: "cancelled", messages: 1, cost: 2, returned: 2, firstDueAt: null, lastDueAt: null },
      {
        status: "scheduled",
        messages: 2,
        cost: 4,
        returned: 0,
        firstDueAt: now + 1000,
        lastDueAt: now + 1000,
      },
    ]);
    assert.deepEqual(
      await store.database.run(sumRequest, { ...of, contacts: 3, ...all, accountId: "acc_0" }),
      [],
    );
  });

  test("what waits is cancelled part by part, credit comes back once, and other requests stay", async () => {
    const store = open();
    const of = await request(5);
    const other = await request(1);
    await stamp(store.database, of.gatewayId, await claim(store, of.gatewayId), [of.ids[1]!], now + 1000);
    const first = await change(of, 2);
    assert.deepEqual(first, { changed: 2, looked: 2, last: of.ids[2] });
    const second = await change(of, 9, cancel, first.last!);
    assert.deepEqual(second, { changed: 2, looked: 2, last: of.ids[4] });
    assert.deepEqual(await change(of, 9), { changed: 0, looked: 0, last: null });
    assert.equal((await messageRow(store, of.ids[1]!)).status, "sending");
    assert.equal((await messageRow(store, other.ids[0]!)).status, "scheduled");
    assert.equal(await remaining(store, of.accountId), 1000 - 2);
  });

  test("what waits moves to one time, and its lanes hear of it", async () => {
    const of = await request(3);
    const scheduledFor = now + 60_000;
    const to = { at: now + 5, detail: "Moved.", scheduleAt: "2027-01-15 08:01:00", scheduledFor };
    const due: [laneId: string, dueAt: number][] = [];
    const end = onChanges(open().database, { due: (...one) => void due.push(one) });
    assert.deepEqual(await change(of, 9, { kind: "reschedule", to }), {
      changed: 3,
      looked: 3,
      last: of.ids[2],
    });
    end();
    assert.deepEqual(due, [[of.gatewayId, scheduledFor]]);
    for (const id of of.ids) assert.equal((await messageRow(open(), id)).due_at, scheduledFor);
  });
});
