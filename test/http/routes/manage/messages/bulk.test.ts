// One decision about many messages: each by itself, with a reason for each that it did not change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let member: Ask;
let path: string;
let foreign: string;
before(async () => {
  m = await managed();
  await m.it.account({ name: "other" });
  await m.it.gateway({ identifier: "of-other", default: true });
  [foreign = ""] = await m.it.accepted([
    { number: "+15550000001", message: "hi", schedule_at: "2027-01-01 00:00:00" },
  ]);
  const account = await m.it.account({ name: "acme" });
  await m.it.gateway({ identifier: "one", default: true });
  path = `/accounts/${account.id}/messages`;
  member = await m.member(account.id);
});
after(() => m.close());

interface Changed {
  done: string[];
  refused: { id: string; code: string }[];
}
const change = async (action: string, ids: string[]) =>
  dataOf<Changed>(await member("POST", `${path}/bulk`, { action, ids }));
const statusOf = async (id: string) =>
  dataOf<{ record: { status: string } }>(await member("GET", `${path}/${id}`)).record.status;

test("what waits is cancelled; what went out, another account's and what is no id is reported", async () => {
  const later = { number: "+15550000001", message: "hi", schedule_at: "2027-01-01 00:00:00" };
  const waiting = await m.it.accepted(Array.from({ length: 45 }, () => later));
  const [sent = ""] = await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  await m.it.advance(60_000);
  const { done, refused } = await change("cancel", [...waiting, sent, foreign, "x", sent]);
  assert.deepEqual(done, waiting);
  assert.deepEqual(
    refused.map(({ id, code }) => [id, code]),
    [
      [sent, "not_cancellable"],
      [foreign, "not_found"],
      ["x", "not_found"],
    ],
  );
  assert.equal(await statusOf(waiting[44] ?? ""), "cancelled");
  assert.deepEqual((await change("cancel", waiting)).done, waiting, "asking again changes nothing");
});

test("unknown outcomes are answered together", async () => {
  const ids = await m.it.accepted(
    Array.from({ length: 3 }, () => ({ number: "+15550000005", message: "hi" })),
  );
  await m.it.advance(60_000);
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ["unknown", "unknown", "unknown"]);
  assert.deepEqual(await change("mark_sent", ids.slice(0, 2)), { done: ids.slice(0, 2), refused: [] });
  const { done, refused } = await change("mark_failed", ids);
  assert.deepEqual(done, ids.slice(2));
  assert.deepEqual(
    refused.map(({ code }) => code),
    ["not_unknown", "not_unknown"],
  );
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ["sent", "sent", "failed"]);
});

test("faulty requests are reported at their fields", async () => {
  for (const [body, field] of [
    [{ action: "burn", ids: ["a"] }, "action"],
    [{ action: "cancel", ids: [] }, "ids"],
    [{ action: "cancel", ids: Array.from({ length: 501 }, () => "a") }, "ids"],
  ] as const) {
    const reply = await member("POST", `${path}/bulk`, body);
    assert.equal(reply.statusCode, 422);
    assert.deepEqual(Object.keys(reply.json().errors), [field]);
  }
});
