// A message that waits goes out at the time to which it was moved.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Account } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { newTimeOf, reschedule } from "#messaging/reschedule.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { type Harness, harness, someEngines } from "../harness.ts";

test("the time is the account's own, and at once is the present", () => {
  const at = Date.parse("2026-11-26T12:34:56.789Z");
  const account = { timeZone: "Europe/Berlin" };
  assert.deepEqual(newTimeOf(account, "2027-01-31 09:00:00", at, "ada"), {
    at,
    detail: "Moved to 2027-01-31T08:00:00.000Z by ada.",
    scheduleAt: "2027-01-31 09:00:00",
    scheduledFor: Date.parse("2027-01-31T08:00:00Z"),
  });
  assert.deepEqual(newTimeOf(account, null, at, "ada"), {
    at,
    detail: "Moved to 2026-11-26T12:34:56.789Z by ada.",
    scheduleAt: "2026-11-26 13:34:56",
    scheduledFor: at,
  });
});

for (const engine of someEngines(import.meta.filename)) {
  describe(`moving on ${engine}`, () => {
    let it: Harness;
    let account: Account;
    before(async () => {
      it = await harness({ engine });
      const { id } = await it.account({ name: "acme", time_zone: "Europe/Berlin" });
      await it.gateway({ identifier: "box" });
      account = accountFromRow((await it.system.database.run(findAccount, id))!);
    });
    after(() => it?.close());
    const move = (id: string, at: string | null) => reschedule(it.system.core, account, null, id, at, "ada");
    const scheduled = async (schedule_at: string) =>
      (await it.accepted([{ number: "+15550000001", message: "Hi", schedule_at }]))[0]!;

    test("later, then sooner: it goes out once, then", async () => {
      const now = it.system.core.clock.now();
      const local = (ms: number) => newTimeOf(account, null, now + ms, "").scheduleAt;
      const id = await scheduled(local(600_000));
      assert.equal((await move(id, local(7_200_000))).kind, "rescheduled");
      await it.advance(1_200_000);
      assert.equal((await it.message(id)).status, "scheduled");
      assert.equal((await move(id, local(1_800_000))).kind, "rescheduled");
      await it.advance(540_000);
      assert.equal((await it.message(id)).status, "scheduled");
      await it.advance(120_000);
      const { status, attempts, events } = await it.message(id);
      assert.deepEqual([status, attempts], ["delivered", 1]);
      assert.deepEqual(
        events?.map(({ type }) => type),
        ["scheduled", "scheduled", "scheduled", "sending", "sent", "delivered"],
      );
      assert.equal((await move(id, null)).kind, "not_cancellable");
    });

    test("at once; not another account's, and no id", async () => {
      const id = await scheduled("2030-01-31 09:00:00");
      const other = { ...account, id: "acc_0" };
      for (const [of, which] of [
        [other, id],
        [account, "nonsense"],
      ] as const) {
        const moved = await reschedule(it.system.core, of, null, which, null, "ada");
        assert.equal(moved.kind, "not_found");
      }
      const moved = await move(id, null);
      // Its lane is woken by the change itself, and may have begun by the time the record is read.
      assert.ok(moved.kind === "rescheduled" && ["scheduled", "sending"].includes(moved.record.status));
      await it.advance(30_000);
      assert.equal((await it.message(id)).status, "delivered");
    });
  });
}
