// A request as one thing: its sums, and changes of more messages than one transaction takes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { changeRequest, findRequestSummary, messagesAround } from "#messaging/requests.ts";
import { newTimeOf } from "#messaging/reschedule.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
let account: { id: string };
before(async () => {
  it = await harness();
  account = await it.account({ name: "acme" });
  await it.gateway({ identifier: "box" });
});
after(() => it?.close());

async function requestOf(count: number) {
  const contact = { number: "+15550000001", message: "Hi", schedule_at: "2030-01-31 09:00:00" };
  const [first] = await it.accepted(Array.from({ length: count }, () => contact));
  return (await it.message(first!)).request_id;
}

test("1,200 messages move and are cancelled with one call each", async () => {
  const { core, database } = it.system;
  const id = await requestOf(1_200);
  const at = core.clock.now();
  const to = newTimeOf({ timeZone: "UTC" }, "2031-01-31 09:00:00", at, "ada");
  assert.equal(await changeRequest(core, account, id, { kind: "reschedule", to }), 1_200);
  const moved = await findRequestSummary(database, account, id);
  assert.deepEqual(
    moved?.parts.map(({ status, messages, firstDueAt, lastDueAt }) => [
      status,
      messages,
      firstDueAt,
      lastDueAt,
    ]),
    [["scheduled", 1_200, to.scheduledFor, to.scheduledFor]],
  );
  const details = { at, detail: "Cancelled by ada." };
  assert.equal(await changeRequest(core, account, id, { kind: "cancel", details }), 1_200);
  assert.equal(await changeRequest(core, account, id, { kind: "cancel", details }), 0);
});

test("another account has no such request", async () => {
  const { core, database } = it.system;
  const id = await requestOf(1);
  const details = { at: core.clock.now(), detail: "Cancelled." };
  for (const [of, which] of [
    [{ id: "acc_0" }, id],
    [account, "nonsense"],
  ] as const) {
    assert.equal(await findRequestSummary(database, of, which), null);
    assert.equal(await changeRequest(core, of, which, { kind: "cancel", details }), null);
  }
  assert.equal((await findRequestSummary(database, account, id))?.parts[0]?.status, "scheduled");
});

test("ids of a request's messages lie around its instant", () => {
  const { from, before: end } = messagesAround(1_800_000_000_000);
  assert.ok(from < end);
  assert.ok(messagesAround(0).from.startsWith("msg_0"));
});
