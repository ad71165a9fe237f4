// Providers' reports as they are stored: the same word has the same key, and no text is too long or unfit for a column.

import assert from "node:assert/strict";
import test from "node:test";
import type { Engagement } from "#gateways/callback.ts";
import { engagementFrom, receiptFrom, toDbText } from "#messaging/feedback/normalise.ts";

const now = 1_800_000_000_000;
const opened: Engagement = {
  kind: "opened",
  reference: "p-1",
  at: now - 5,
  userAgent: "Thunderbird",
  ip: "192.0.2.1",
};
const keyOf = (engagement: Engagement) => engagementFrom("gw_1", engagement, now).key;

test("the same word has the same key, whenever it comes; another word another", () => {
  assert.equal(keyOf(opened), engagementFrom("gw_1", { ...opened }, now + 1).key);
  const others: Engagement[] = [
    { ...opened, kind: "clicked" },
    { ...opened, at: now },
    { ...opened, url: "https://a.test" },
    { ...opened, ip: "192.0.2.2" },
    { ...opened, key: "evt-1" },
    { ...opened, kind: "clicked", key: "evt-1" },
  ];
  assert.equal(new Set([opened, ...others].map(keyOf)).size, others.length + 1);
  assert.equal(keyOf({ ...opened, key: "evt-1" }), keyOf({ kind: "opened", reference: null, key: "evt-1" }));
});

test("who did it is what the provider says, or else what the program's name says", () => {
  const machineOf = (more: Partial<Engagement>) =>
    engagementFrom("gw_1", { ...opened, ...more }, now).machine;
  assert.equal(machineOf({}), false);
  assert.equal(machineOf({ userAgent: "GoogleImageProxy" }), true);
  assert.equal(machineOf({ userAgent: "GoogleImageProxy", machine: false }), false);
  assert.equal(machineOf({ machine: true }), true);
  const { userAgent: _, ...unnamed } = opened;
  assert.equal(engagementFrom("gw_1", unnamed, now).machine, false);
});

test("texts are cut and cleaned, and a time that is not valid is the report's", () => {
  const stored = engagementFrom(
    "gw_1",
    {
      ...opened,
      at: Number.NaN,
      url: `https://a.test/${"x".repeat(5000)}`,
      userAgent: "a\0b\r\nc",
      reason: "\ud800",
    },
    now,
  );
  assert.equal(stored.at, now);
  assert.equal(stored.url?.length, 2000);
  assert.equal(stored.userAgent, "a b c");
  assert.equal(stored.reason, "\ufffd");
  const receipt = receiptFrom("gw_1", { reference: "p-1", status: "bounced", reason: "x".repeat(4000) }, now);
  assert.equal(receipt.reason?.length, 500);
  assert.equal(toDbText("a\0b\ud800"), "ab\ufffd");
});

test("a receipt's bounce is stored for a bounce only", () => {
  const bounced = { reference: "p-1", status: "bounced", bounce: "hard" } as const;
  assert.equal(receiptFrom("gw_1", bounced, now).bounce, "hard");
  assert.equal(receiptFrom("gw_1", { ...bounced, status: "failed" }, now).bounce, null);
  assert.equal(receiptFrom("gw_1", { reference: "p-1", status: "bounced" }, now).bounce, null);
});

test("a bounce counts against its address only where its code does not name something else", () => {
  const verdict = (bounce: "hard" | "soft", refusal: { code?: string; reason?: string }) =>
    receiptFrom("gw_1", { reference: "p-1", status: "bounced", bounce, ...refusal }, now).bounce;
  assert.equal(verdict("hard", {}), "hard");
  assert.equal(verdict("hard", { code: "5.1.1" }), "hard");
  assert.equal(verdict("soft", { code: "5.2.2" }), "soft");
  assert.equal(verdict("hard", { code: "HardBounce", reason: "smtp;550 5.1.1 no such user" }), "hard");
  for (const code of ["5.7.1", "5.6.0", "5.3.4", "5.2.3", "5.1.8"]) {
    assert.equal(verdict("soft", { code }), null, code);
    assert.equal(verdict("hard", { code: "HardBounce", reason: `550 ${code} no` }), null, code);
  }
});
