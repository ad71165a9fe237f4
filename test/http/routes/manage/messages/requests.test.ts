// GET …/requests/{request}, and one change of all its messages that wait.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let member: Ask;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme" });
  await m.it.gateway({ identifier: "one", default: true });
  path = `/accounts/${account.id}/requests`;
  member = await m.member(account.id);
});
after(() => m.close());

const later = { number: "+15550000001", message: "hi", schedule_at: "2030-01-31 09:00:00" };
const requestOf = async (contacts: object[]) => {
  const [id = ""] = await m.it.accepted(contacts);
  return (await m.it.message(id)).request_id;
};
interface Shown {
  by_status: Record<string, number>;
  waiting: number;
  due: { first: string; last: string } | null;
}

test("a request shows its messages by status, and when what waits is due", async () => {
  const id = await requestOf([{ number: "+15550000001", message: "hi" }, later, later]);
  await m.it.advance(60_000);
  const shown = dataOf<Shown>(await member("GET", `${path}/${id}`));
  assert.deepEqual(shown, {
    ...shown,
    id,
    channel: "sms",
    messages: 3,
    by_status: { delivered: 1, scheduled: 2 },
    waiting: 2,
    due: { first: "2030-01-31T09:00:00.000Z", last: "2030-01-31T09:00:00.000Z" },
    cost: 0,
    cost_returned: 0,
  });
});

test("what waits moves together and is cancelled together; what went out stays", async () => {
  const id = await requestOf([{ number: "+15550000001", message: "hi" }, later, later]);
  await m.it.advance(60_000);
  const moved = dataOf<{ changed: number; request: Shown }>(
    await member("POST", `${path}/${id}/reschedule`, { schedule_at: "2031-01-31 09:00:00" }),
  );
  assert.equal(moved.changed, 2);
  assert.equal(moved.request.due?.first, "2031-01-31T09:00:00.000Z");
  const cancelled = dataOf<{ changed: number; request: Shown }>(await member("POST", `${path}/${id}/cancel`));
  assert.equal(cancelled.changed, 2);
  assert.deepEqual(cancelled.request.by_status, { cancelled: 2, delivered: 1 });
  assert.deepEqual([cancelled.request.waiting, cancelled.request.due], [0, null]);
  assert.equal(dataOf<{ changed: number }>(await member("POST", `${path}/${id}/cancel`)).changed, 0);
});

test("a faulty time changes nothing; an unknown request is not found", async () => {
  const id = await requestOf([later]);
  for (const body of [{}, { schedule_at: "soon" }])
    assert.equal((await member("POST", `${path}/${id}/reschedule`, body)).statusCode, 422);
  assert.equal(dataOf<Shown>(await member("GET", `${path}/${id}`)).waiting, 1);
  for (const unknown of ["nonsense", `req_${"0".repeat(26)}`]) {
    assert.equal((await member("GET", `${path}/${unknown}`)).statusCode, 404);
    assert.equal((await member("POST", `${path}/${unknown}/cancel`)).statusCode, 404);
  }
});
