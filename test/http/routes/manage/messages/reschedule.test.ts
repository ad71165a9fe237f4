// POST …/messages/{message}/reschedule, and the same of many messages by …/bulk.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let member: Ask;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme", time_zone: "Europe/Berlin" });
  await m.it.gateway({ identifier: "one", default: true });
  path = `/accounts/${account.id}/messages`;
  member = await m.member(account.id);
});
after(() => m.close());

const contact = { number: "+15550000001", message: "hi", schedule_at: "2030-01-31 09:00:00" };

test("one message moves; a faulty time and a faulty field are refused", async () => {
  const [id = ""] = await m.it.accepted([contact]);
  const move = (body: object) => member("POST", `${path}/${id}/reschedule`, body);
  const record = dataOf<Record<string, unknown>>(await move({ schedule_at: "2030-02-01 09:00:00" }));
  assert.equal(record.scheduled_for, "2030-02-01T08:00:00.000Z");
  for (const body of [{}, { schedule_at: "soon" }, { schedule_at: null, more: 1 }])
    assert.equal((await move(body)).statusCode, 422, JSON.stringify(body));
});

test("many move with one call, each with its result", async () => {
  const ids = await m.it.accepted(Array.from({ length: 3 }, () => contact));
  const many = (body: object) => member("POST", `${path}/bulk`, { action: "reschedule", ids, ...body });
  const { done, refused } = dataOf<{ done: string[]; refused: { id: string; code: string }[] }>(
    await many({ ids: [...ids, "x"], schedule_at: "2030-02-01 09:00:00" }),
  );
  assert.deepEqual(done, ids);
  assert.deepEqual(
    refused.map(({ id, code }) => [id, code]),
    [["x", "not_found"]],
  );
  assert.equal((await m.it.message(ids[2]!)).schedule_at, "2030-02-01 09:00:00");
  for (const body of [{}, { action: "cancel", schedule_at: null }]) {
    const reply = await many(body);
    assert.equal(reply.statusCode, 422);
    assert.deepEqual(Object.keys(reply.json().errors), ["schedule_at"]);
  }
});
