// Where and when a contact goes, for a channel of its own: gateways of others do not count.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account, AccountGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { SharedDraft } from "#contract/messages/contacts.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import { createRouter } from "#messaging/accept/route.ts";

const now = Date.UTC(2026, 2, 1, 12);

const gateway = (identifier: string, change: Partial<AccountGateway> = {}): AccountGateway => ({
  id: `gw_${identifier}`,
  identifier,
  channel: "email",
  kind: "smtp",
  contents: ["email"],
  active: true,
  isDefault: false,
  test: false,
  ...change,
});

const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "Europe/Berlin",
  country: null,
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways: [
    gateway("sms", { channel: "sms", isDefault: true }),
    gateway("off", { active: false }),
    gateway("leaving", { active: false, isDraining: true }),
    gateway("one", { test: true }),
    gateway("two", { isDefault: true }),
  ],
};

function place(contact: Partial<SharedDraft>, of = account, content: ContentKind = "email") {
  const issues: Issue[] = [];
  const found = createRouter(
    of,
    "email",
    now,
    issues,
  )({ gateway_identifier: null, schedule_at: null, reference: null, metadata: null, ...contact }, 4, content);
  return { found, errors: issues.map(({ path, message }) => `${path.join(".")}: ${message}`) };
}

test("without a name: the channel's default gateway, now", () => {
  assert.deepEqual(place({}).found, {
    gateway: account.gateways[4],
    timing: { status: "queued", dueAt: now, scheduleAt: null, scheduledFor: null },
  });
});

test("one that is being deleted takes nothing new, and says so", () => {
  assert.deepEqual(place({ gateway_identifier: "leaving" }).errors, [
    "contact.4.gateway_identifier: Gateway leaving is being deleted and takes no new messages.",
  ]);
});

test("a gateway may be named", () => {
  assert.equal(place({ gateway_identifier: "one" }).found.gateway?.id, "gw_one");
});

test("a local time is an instant; a past one is due at once", () => {
  const later = place({ schedule_at: "2026-03-02 09:00:00" }).found.timing;
  const at = Date.UTC(2026, 2, 2, 8);
  assert.deepEqual([later?.status, later?.dueAt, later?.scheduledFor], ["scheduled", at, at]);
  const past = place({ schedule_at: "2026-01-01 00:00:00" }).found.timing;
  assert.deepEqual([past?.status, past?.dueAt], ["scheduled", now]);
});

test("what is no active gateway of the channel is a fault of its contact", () => {
  for (const identifier of ["sms", "off", "unknown"]) {
    const { found, errors } = place({ gateway_identifier: identifier });
    assert.equal(found.gateway, null);
    assert.deepEqual(errors, [
      "contact.4.gateway_identifier: The selected contact.4.gateway_identifier is invalid.",
    ]);
  }
  const none = place({}, { ...account, gateways: account.gateways.slice(0, 2) });
  assert.deepEqual(none.errors, ["contact.4.gateway_identifier: No active email gateway is configured."]);
});

test("a gateway that cannot send the content is refused by name, and passed over without one", () => {
  const mixed = { ...account, gateways: [...account.gateways, gateway("able", { contents: ["text"] })] };
  const named = place({ gateway_identifier: "two" }, mixed, "text");
  assert.equal(named.found.gateway, null);
  assert.deepEqual(named.errors, [
    "contact.4.gateway_identifier: Gateway two of kind smtp cannot send text messages.",
  ]);
  assert.equal(place({}, mixed).found.gateway?.id, "gw_two");
  assert.equal(place({}, mixed, "text").found.gateway?.id, "gw_able", "not the default one");
  assert.equal(place({ gateway_identifier: "able" }, mixed, "text").found.gateway?.id, "gw_able");
  const none = place({}, account, "text");
  assert.equal(none.found.gateway, null);
  assert.deepEqual(none.errors, [
    "contact.4.gateway_identifier: No active email gateway can send text messages.",
  ]);
});

test("contacts of one send with different contents may go to different gateways", () => {
  const mixed = { ...account, gateways: [...account.gateways, gateway("able", { contents: ["text"] })] };
  const routeOf = createRouter(mixed, "email", now, []);
  const contact = { gateway_identifier: null, schedule_at: null, reference: null, metadata: null };
  const chosen = (["email", "text", "email"] as const).map((content, i) => routeOf(contact, i, content));
  assert.deepEqual(
    chosen.map((route) => route.gateway?.identifier),
    ["two", "able", "two"],
  );
});

test("a field with an issue of its own gets no second one", () => {
  const ofGateway = place({ gateway_identifier: undefined });
  assert.deepEqual([ofGateway.found.gateway, ofGateway.errors], [null, []]);
  const ofTime = place({ schedule_at: undefined });
  assert.deepEqual([ofTime.found.timing, ofTime.errors], [null, []]);
  assert.equal(ofTime.found.gateway?.id, "gw_two", "the rules of its gateway still count");
});
