// Receipts against settlements, stamps, cancels and recoveries, from two processes at once. In any
// order, no lock conflict reaches a caller, nothing that was said is lost, and credit comes back once.

import assert from "node:assert/strict";
import test from "node:test";
import type { ReceiptStep } from "#contract/messages/states.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { settleMessages } from "#store/messages/attempts.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { recoverMessages } from "#store/messages/recover.ts";
import { onBothEngines } from "./conformance.ts";
import {
  claim,
  fresh,
  makeSending,
  messageRow,
  now,
  receiptOf,
  remaining,
  seeded,
  settlement,
  timeline,
} from "./rows.ts";

const seed = 20_270_115;

function shuffle<T>(list: T[], random: (below: number) => number): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

onBothEngines((open, engine) => {
  test("our record and the provider's report at once, in every interleaving that comes up", async () => {
    const store = open();
    const random = seeded(seed);
    for (let round = 0; round < (engine === "postgres" ? 25 : 8); round++) {
      const sending = await makeSending(store, { count: 20 });
      const steps: ReceiptStep[] = ["sent", "delivered", "undelivered", "failed"];
      const expected = new Map<string, string>();
      const work: (() => Promise<unknown>)[] = [];
      for (const id of sending.ids) {
        const reference = fresh("ref");
        const one = settlement({ ...sending, id }, "accepted", { details: { reference } });
        work.push(() => store.database.run(settleMessages, one));
        const reported = shuffle([...steps], random).slice(0, 1 + random(3));
        for (const status of reported) {
          const receipt = receiptOf(sending.gatewayId, status, { reference });
          const repeats = 1 + random(2);
          for (let i = 0; i < repeats; i++) {
            const database = random(2) === 0 ? store.other : store.database;
            work.push(() => database.run(storeReceipts, receipt));
          }
        }
        const order = ["delivered", "undelivered", "failed", "sent"];
        expected.set(id, order.find((status) => reported.includes(status as ReceiptStep))!);
      }
      await Promise.all(shuffle(work, random).map((start) => start()));
      for (const [id, status] of expected) {
        assert.equal((await messageRow(store, id)).status, status, `seed ${seed}, round ${round}, ${id}`);
      }
      const [waiting] = await store.query<{ count: number }>(
        "select count(*) as count from receipts where gateway_id = ? and applied = 0",
        sending.gatewayId,
      );
      assert.equal(waiting?.count, 0, "a receipt was left behind");
      const [failed] = await store.query<{ count: number }>(
        "select count(*) as count from messages where account_id = ? and refunded = 1",
        sending.accountId,
      );
      assert.equal(await remaining(store, sending.accountId), 980 + failed!.count);
    }
  });

  test("settling, reporting, recovering and cancelling the same messages at once", async () => {
    const store = open();
    const random = seeded(seed + 1);
    for (let round = 0; round < (engine === "postgres" ? 15 : 5); round++) {
      const sending = await makeSending(store, { count: 30 });
      const { accountId, gatewayId, ids } = sending;
      const fence = await claim(store, gatewayId, "prc_2");
      const details = { at: now + 30, detail: "Interrupted.", code: "interrupted", message: "?" };
      const work: (() => Promise<unknown>)[] = [
        () =>
          store.other.run(recoverMessages, {
            laneId: gatewayId,
            fence,
            limit: 100,
            first: { step: "outcome_unknown", details },
            again: { step: "outcome_unknown", details },
          }),
      ];
      for (const id of ids) {
        const reference = fresh("ref");
        const one = settlement({ ...sending, id }, random(2) === 0 ? "accepted" : "rejected", {
          details: { reference },
        });
        const status = random(2) === 0 ? "delivered" : "failed";
        const receipt = receiptOf(gatewayId, status, { reference, messageId: random(2) === 0 ? id : null });
        const cancel = { accountId, channel: "sms" as const, id, details };
        work.push(
          () => store.database.run(settleMessages, one),
          () => store.other.run(storeReceipts, receipt),
          () => store.other.run(cancelMessage, cancel),
        );
      }
      await Promise.all(shuffle(work, random).map((start) => start()));
      let returned = 0;
      for (const id of ids) {
        const row = await messageRow(store, id);
        assert.ok(["sent", "delivered", "failed", "unknown"].includes(row.status), `${row.status} (${seed})`);
        returned += row.refunded;
        const events = await timeline(store, id);
        assert.equal(events.length, row.version, "one entry a change");
        assert.equal(events.at(-1), row.status);
      }
      assert.equal(await remaining(store, accountId), 970 + returned);
    }
  });
});
