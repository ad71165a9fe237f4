// The stored counts of messages: they add up to what the messages came to, over minutes, hours and the account's days.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { StatisticsSum } from "#contract/manage/statistics.ts";
import { statuses } from "#contract/messages/channel.ts";
import { type CountName, countNames } from "#store/counts/buffer.ts";
import { type CountStep, deleteMessageCounts, readMessageCounts } from "#store/counts/message-counts.ts";
import { findMessage } from "#store/messages/lookup.ts";
import { engines, type Harness, harness } from "../../harness.ts";

const hourMs = 3_600_000;

test("what is counted is acceptance, deferred attempts and every state beyond waiting, and the API shows all of it", () => {
  const waiting: readonly string[] = ["queued", "scheduled", "sending"];
  const states = statuses.filter((status) => !waiting.includes(status));
  assert.deepEqual([...countNames].sort(), ["accepted", "deferred", ...states].sort());
  // The two compile only while both sides have the same names.
  type Shown = Exclude<keyof StatisticsSum, "wait_ms" | "delivery_ms">;
  const shown: readonly Shown[] = countNames;
  const counted = shown satisfies readonly CountName[];
  assert.equal(counted.length, countNames.length);
});

for (const engine of engines) {
  describe(`counts of messages on ${engine}`, () => {
    let it: Harness;
    let accountId: string;
    before(async () => {
      it = await harness({ engine });
      ({ id: accountId } = await it.account({ time_zone: "Asia/Kolkata" }));
      await it.gateway({ identifier: "box", default: true });
    });
    after(() => it?.close());

    const read = (step: CountStep) =>
      it.system.database.run(readMessageCounts, {
        accountId,
        step,
        from: 0,
        before: Number.MAX_SAFE_INTEGER,
        gatewayId: null,
        channel: null,
      });
    const sums = async (step: CountStep) => {
      const rows = await read(step);
      const sum = (name: (typeof countNames)[number]) => rows.reduce((n, row) => n + row[name], 0);
      return Object.fromEntries(countNames.map((name) => [name, sum(name)]).filter(([, n]) => n !== 0));
    };

    test("each message counts where it was accepted, sent and ended, in every step", async () => {
      const numbers = ["+15550000001", "+15550000001", "+15550000002", "+15550000003", "+15550000005"];
      const ids = await it.accepted(numbers.map((number) => ({ number, message: "hi" })));
      const [later] = await it.accepted([
        { number: "+15550000001", message: "hi", schedule_at: "2100-01-01 00:00:00" },
      ]);
      await it.advance(60_000);
      await it.post(`/api/cancel/sms/${later}`);
      await it.advance(2_000);
      const records = await Promise.all(ids.map((id) => it.get(`/api/get/sms/${id}`)));
      const statuses = records.map((reply) => reply.json().data.status as string);
      const ended = (status: string) => statuses.filter((one) => one === status).length;
      const found = await sums("minute");
      assert.equal(found.accepted, 6);
      assert.equal(found.cancelled, 1);
      for (const name of ["delivered", "failed", "undelivered", "unknown"] as const)
        assert.equal(found[name] ?? 0, ended(name), name);
      assert.ok((found.sent ?? 0) >= 2);
      assert.deepEqual(await sums("hour"), found);
      assert.deepEqual(await sums("day"), found);
      const waits = (await read("hour")).flatMap((row) => Object.values(row.waits));
      assert.equal(
        waits.reduce((a, b) => a + b, 0),
        found.sent,
        "the wait of each message that was sent",
      );
    });

    test("each deferred attempt counts, in every step", async () => {
      const [id] = await it.accepted([{ number: "+15550000004", message: "hi" }]);
      await it.advance(60_000);
      const found = await it.system.database.run(findMessage, { accountId, channel: "sms", id: id! });
      const deferred = (found?.events ?? []).filter(({ attempt }) => attempt?.includes('"deferred"'));
      assert.ok(deferred.length > 0);
      for (const step of ["minute", "hour", "day"] as const)
        assert.equal((await sums(step)).deferred, deferred.length, step);
    });

    test("days are those of the account's zone", async () => {
      const [row] = await read("day");
      assert.equal((row!.at + 5.5 * hourMs) % (24 * hourMs), 0);
    });

    test("minutes are removed after two days and hours after 92, days are not", async () => {
      const remove = (step: CountStep, before: number) =>
        it.system.database.run(deleteMessageCounts, { step, before, limit: 1_000 });
      const rows = await read("minute");
      const last = rows.at(-1)!.at;
      assert.equal(await remove("minute", last), rows.filter(({ at }) => at < last).length);
      assert.equal((await read("minute")).length, 1);
      await it.advance(49 * hourMs);
      assert.deepEqual(await read("minute"), []);
      assert.notDeepEqual(await read("hour"), []);
    });
  });
}
