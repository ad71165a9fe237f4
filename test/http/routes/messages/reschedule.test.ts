// POST /api/reschedule/{channel}/{id}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness } from "../../../harness.ts";

let it: Harness;
before(async () => {
  it = await harness();
  await it.account({ name: "acme", time_zone: "Europe/Berlin" });
  await it.gateway({ identifier: "box" });
});
after(() => it?.close());

const scheduled = async () =>
  (await it.accepted([{ number: "+15550000001", message: "Hi", schedule_at: "2030-01-31 09:00:00" }]))[0]!;

test("a message moves, and its timeline names the account", async () => {
  const id = await scheduled();
  const reply = await it.post(`/api/reschedule/sms/${id}`, { schedule_at: "2030-02-01 10:30:00" });
  assert.equal(reply.statusCode, 200, reply.body);
  const { message, data } = reply.json();
  assert.equal(message, "The message has been moved.");
  assert.deepEqual(
    [data.status, data.schedule_at, data.scheduled_for, data.next_attempt_at],
    ["scheduled", "2030-02-01 10:30:00", "2030-02-01T09:30:00.000Z", "2030-02-01T09:30:00.000Z"],
  );
  assert.deepEqual(
    data.events.map(({ detail }: { detail: string }) => detail),
    ["Due at 2030-01-31T08:00:00.000Z.", "Moved to 2030-02-01T09:30:00.000Z by the account."],
  );
});

test("what cannot be moved, and what is no time, says so", async () => {
  const id = await scheduled();
  const move = (path: string, body: object) => it.post(`/api/reschedule/${path}`, body);
  for (const [body, sentence] of [
    [{}, "The schedule at field is required."],
    [{ schedule_at: "2030-02-30 10:30:00" }, "The schedule at field must match the format Y-m-d H:i:s."],
  ] as const) {
    const reply = await move(`sms/${id}`, body);
    assert.deepEqual([reply.statusCode, reply.json().errors], [422, { schedule_at: [sentence] }]);
  }
  const now = { schedule_at: null };
  for (const path of [`email/${id}`, `fax/${id}`, "sms/nonsense"])
    assert.equal((await move(path, now)).statusCode, 404, path);
  assert.equal((await move(`sms/${id}`, now)).statusCode, 200);
  await it.advance(30_000);
  const late = await move(`sms/${id}`, now);
  assert.deepEqual(
    [late.statusCode, late.json().code, late.json().message],
    [409, "not_cancellable", "The message can no longer be moved: its status is delivered."],
  );
});
