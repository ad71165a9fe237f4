// Which gateway takes a message that names none, and when a plan has ended.

import assert from "node:assert/strict";
import test from "node:test";
import { type Account, type AccountGateway, defaultGateway, planExpired } from "#accounts/account.ts";

const gateway = (id: string, more: Partial<AccountGateway> = {}): AccountGateway => ({
  id,
  identifier: id,
  channel: "sms",
  kind: "sandbox",
  contents: ["text"],
  active: true,
  isDefault: false,
  test: true,
  ...more,
});
const account = (gateways: AccountGateway[], expiresAt: number | null = null): Account => ({
  id: "acc_1",
  name: "acme",
  timeZone: "UTC",
  country: null,
  plan: { name: "basic", expiresAt },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways,
});
const chosen = (...gateways: AccountGateway[]) =>
  defaultGateway(account(gateways), "sms", "text")?.id ?? null;

test("the default gateway takes it, however young", () => {
  assert.equal(chosen(gateway("old"), gateway("young", { isDefault: true })), "young");
});

test("an inactive default, or none marked: the oldest active one", () => {
  assert.equal(chosen(gateway("old"), gateway("off", { isDefault: true, active: false })), "old");
  assert.equal(chosen(gateway("off", { active: false }), gateway("second"), gateway("third")), "second");
});

test("other channels' gateways take nothing", () => {
  assert.equal(chosen(gateway("mail", { channel: "email", isDefault: true })), null);
  assert.equal(chosen(gateway("mail", { channel: "email", isDefault: true }), gateway("text")), "text");
  assert.equal(chosen(), null);
  assert.equal(chosen(gateway("off", { active: false })), null);
});

test("gateways that cannot send the content take nothing", () => {
  const mail = (id: string) => gateway(id, { contents: ["email"], isDefault: true });
  assert.equal(chosen(mail("a"), gateway("second"), gateway("third")), "second");
  assert.equal(chosen(mail("a"), gateway("gone", { contents: [] })), null);
});

test("a plan ends at its instant, and without one never", () => {
  assert.equal(planExpired(account([], 1000), 999), false);
  assert.equal(planExpired(account([], 1000), 1000), true);
  assert.equal(planExpired(account([]), Number.MAX_SAFE_INTEGER), false);
});
