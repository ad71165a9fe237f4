// The suppression list by hand: in any spelling, it is the one that messages have.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import type { Channel } from "#contract/messages/channel.ts";
import { release, suppress, suppressions } from "#messaging/suppressions.ts";
import { storeInbound } from "#store/feedback/inbound.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
let account: { id: string; country: string | null };

before(async () => {
  it = await harness({ started: false });
  account = { id: (await it.account({ country: "DE" })).id, country: "DE" };
});
after(() => it?.close());

const add = (channel: Channel, recipients: string[], note: string | null = null) =>
  suppress({ database: it.system.database, clock: it.clock }, account, { channel, recipients, note });
const list = async (query: Partial<Parameters<typeof suppressions>[2]> = {}) =>
  suppressions(it.system.database, account, {
    channel: null,
    recipient: null,
    limit: 100,
    cursor: null,
    ...query,
  });
const off = (channel: Channel, written: string) => release(it.system.database, account, channel, written);

test("all are added, or none, with each fault at its place", async () => {
  assert.deepEqual(await add("sms", ["0151 23456789", "no number", "+4915123456789", ""]), {
    kind: "invalid",
    issues: [
      { path: ["recipients", 1], message: "is not a phone number" },
      { path: ["recipients", 3], message: "is not a phone number" },
    ],
  });
  const faulty = await add("email", ["jane"]);
  assert.ok(faulty.kind === "invalid" && faulty.issues[0]?.message === "is not an email address");
  assert.deepEqual((await list())?.suppressions, []);
  assert.deepEqual(await add("sms", ["0151 23456789", "+49 151 23456789", "12345"], "by phone"), {
    kind: "suppressed",
    added: 2,
    recipients: ["+4915123456789", "12345"],
  });
  const again = await add("sms", ["+4915123456789", "+4915123456780"]);
  assert.equal(again.kind === "suppressed" && again.added, 1);
});

test("a recipient is found in any spelling, page by page, and only with a cursor of ours", async () => {
  await add("whatsapp", ["0151 23456789"]);
  await add("email", ["Jane@Example.com"]);
  const found = async (recipient: string, channel: Channel | null = null) =>
    (await list({ recipient, channel }))?.suppressions.map((row) => `${row.channel} ${row.recipient}`);
  assert.deepEqual(await found("0151-23456789"), ["sms +4915123456789", "whatsapp +4915123456789"]);
  assert.deepEqual(await found("0151-23456789", "sms"), ["sms +4915123456789"]);
  assert.deepEqual(await found("JANE@example.com"), ["email jane@example.com"]);
  assert.deepEqual(await found("no number"), []);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 2, cursor });
    assert.ok(page);
    seen.push(...page.suppressions.map((row) => `${row.channel} ${row.recipient}`));
    cursor = page.nextCursor;
    if (cursor !== null) assert.match(cursor, /^[\w-]+$/, "it needs no escaping in a query");
  } while (cursor !== null);
  assert.deepEqual(seen, [
    "email jane@example.com",
    "sms +4915123456780",
    "sms +4915123456789",
    "sms 12345",
    "whatsapp +4915123456789",
  ]);
  for (const odd of ["nonsense", "", Buffer.from("fax 1").toString("base64url"), "c21zIAA"])
    assert.equal(await list({ cursor: odd }), null, odd);
});

test("one comes off in any spelling of it, also one that is no number", async () => {
  assert.equal(await off("sms", "0151 23456789"), true);
  assert.equal(await off("sms", "0151 23456789"), false);
  assert.equal(await off("sms", "nul\0"), false);
  assert.equal(await off("email", "JANE@EXAMPLE.COM"), true);
  const message = {
    id: "in_1",
    account_id: account.id,
    gateway_id: await it.gateway({ identifier: "main" }),
    channel: "sms" as const,
    reference: "r",
    sender: "0170 1",
    recipient: "+1",
    body: "stop",
    media: "[]",
    received_at: it.clock.now(),
    consent_keyword: "out" as const,
    details: null,
  };
  const incoming = { message, gatewayIdentifier: "main", replyTo: null, sentSince: 0 };
  await it.system.database.run(storeInbound, incoming);
  assert.equal(await off("sms", "0170 1"), true);
});
