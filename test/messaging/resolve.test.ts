// The three answers to an unknown outcome: what each makes of the message, whom it wakes, and who is named.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import type { Account } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import type { Resolution } from "#contract/messages/changes.ts";
import { resolve } from "#messaging/resolve.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { type Harness, harness } from "../harness.ts";
import { noAnswer, provider } from "../scenarios/provider.ts";

let it: Harness;
let account: Account;

before(async () => {
  it = await harness({ respond: () => noAnswer });
  const { id } = await it.account({ plan: { name: "basic", credit: { sms: 100 } } });
  await it.gateway({ identifier: "main", ...provider });
  const row = await it.system.database.run(findAccount, id);
  assert.ok(row);
  account = accountFromRow(row);
});
after(() => it?.close());

async function unknown(): Promise<string> {
  const [id = ""] = await it.accepted([{ number: "+4915123456789", message: "Hi" }]);
  await it.advance(600_000);
  assert.equal((await it.message(id)).status, "unknown");
  return id;
}

const answer = (id: string, what: Resolution, channel: "sms" | "email" | null = "sms", by = "the account") =>
  resolve(it.system.core, account, channel, id, what, by);

test("send again: due now, on a lane that is woken", async () => {
  const id = await unknown();
  const result = await answer(id, "send_again");
  assert.ok(result.kind === "resolved");
  const { record } = result;
  assert.deepEqual(
    [record.status, record.attempts, record.next_attempt_at],
    ["queued", 1, new Date(it.clock.now()).toISOString()],
  );
  assert.equal(record.events?.at(-1)?.detail, "Sent again by the account.");
  assert.equal(record.error?.code, "no_answer");
  await it.settle();
  assert.equal((await it.message(id)).attempts, 2);
});

test("mark sent, mark failed: ended, with the name of who said so", async () => {
  const sent = await answer(await unknown(), "mark_sent", null, "jane@example.com");
  assert.ok(sent.kind === "resolved");
  assert.deepEqual([sent.record.status, sent.record.error], ["sent", null]);
  assert.equal(sent.record.events?.at(-1)?.detail, "Marked as sent by jane@example.com.");
  const failed = await answer(await unknown(), "mark_failed");
  assert.ok(failed.kind === "resolved");
  assert.equal(failed.record.status, "failed");
  assert.deepEqual(failed.record.error, {
    code: "marked_failed",
    message: "Marked as failed by the account.",
  });
});

test("an outcome that is known stays; what is not there, or another's, is not found", async () => {
  const id = await unknown();
  await answer(id, "mark_sent");
  assert.deepEqual(await answer(id, "mark_failed"), { kind: "not_unknown", status: "sent" });
  const other = await unknown();
  assert.deepEqual(await answer(other, "mark_sent", "email"), { kind: "not_found" });
  assert.deepEqual(await answer("nonsense", "mark_sent"), { kind: "not_found" });
  const mine = account;
  account = { ...mine, id: "acc_other" };
  assert.deepEqual(await answer(other, "mark_sent"), { kind: "not_found" });
  account = mine;
});
