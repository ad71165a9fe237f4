// The rules of an SMS that need its account.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account, AccountGateway } from "#accounts/account.ts";
import { readSms, type SmsSend } from "#contract/messages/sms.ts";
import { smppCounting } from "#gateways/sms/smpp/parts.ts";
import { prepareSms } from "#messaging/accept/sms.ts";
import { columnsOf } from "../../store/rows.ts";

const now = Date.UTC(2026, 2, 1, 12);

const gateway = (change: Partial<AccountGateway> & { identifier: string }): AccountGateway => ({
  id: `gw_${change.identifier}`,
  channel: "sms",
  kind: "http-api",
  contents: ["text"],
  active: true,
  isDefault: false,
  test: false,
  ...change,
});

const account = (change: Partial<Account> = {}): Account => ({
  id: "acc_1",
  name: "acme",
  timeZone: "Europe/Berlin",
  country: "DE",
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways: [gateway({ identifier: "old" }), gateway({ identifier: "main", isDefault: true })],
  ...change,
});

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}_${i}`);
const read = (...contact: object[]): SmsSend => readSms({ contact }, { maxContacts: 10_000 });
const prepare = (send: SmsSend, of = account()) =>
  prepareSms(of, send, { now, newIds: ids, yieldToEventLoop: async () => {} });

async function faults(send: SmsSend, of = account()): Promise<string[]> {
  const prepared = await prepare(send, of);
  assert.equal(prepared.kind, "invalid");
  return prepared.kind === "invalid"
    ? prepared.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
    : [];
}

/** The messages of a send without a fault, by column. */
async function ready(send: SmsSend, of = account()) {
  const prepared = await prepare(send, of);
  if (prepared.kind !== "ready") throw new Error(JSON.stringify(prepared.issues));
  return columnsOf(prepared.messages);
}

const plain = { number: "+4915123456789", message: "Hello" };

test("a plain contact becomes a queued message on the default gateway, due now", async () => {
  assert.deepEqual(await ready(read(plain)), {
    id: ["msg_0"],
    gateway_id: ["gw_main"],
    gateway_pinned: [0],
    recipient_raw: ["+4915123456789"],
    recipient: ["+4915123456789"],
    content: ["text"],
    body: ["Hello"],
    test: [0],
    status: ["queued"],
    due_at: [now],
    schedule_at: [null],
    scheduled_for: [null],
    encoding: ["gsm7"],
    segments: [1],
    cost: [1],
    reference: [null],
    metadata: [null],
  });
});

test("the number is kept as given, the recipient is E.164 by the account's country", async () => {
  const messages = await ready(
    read(
      { ...plain, number: "0151 234-567 89" },
      { ...plain, number: 4915123456789 },
      { ...plain, number: "0044 20 7946 0000" },
      { ...plain, number: "12345" },
    ),
    account(),
  );
  assert.deepEqual(messages.recipient_raw, [
    "0151 234-567 89",
    "4915123456789",
    "0044 20 7946 0000",
    "12345",
  ]);
  assert.equal(messages.recipient[0], "+4915123456789");
  assert.equal(messages.recipient[2], "+442079460000");
  assert.equal(messages.recipient[3], "12345");
});

test("a national number without a country, and what is no number at all, is refused in these words", async () => {
  const homeless = account({ country: null });
  const wrong = (index: number) =>
    `contact.${index}.number: The contact.${index}.number field must be a valid phone number.`;
  assert.deepEqual(await faults(read({ ...plain, number: "0151 23456789" }), homeless), [wrong(0)]);
  for (const number of ["abc", "+", "12", "+1234567890123456", "+49 151 23456789 ext 3"]) {
    assert.deepEqual(await faults(read(plain, { ...plain, number })), [wrong(1)], number);
  }
});

test("a named gateway must be an active SMS gateway of the account", async () => {
  const of = account({
    gateways: [
      gateway({ identifier: "on" }),
      gateway({ identifier: "off", active: false }),
      gateway({ identifier: "mail", channel: "email" }),
    ],
  });
  const messages = await ready(read({ ...plain, gateway_identifier: "on" }), of);
  assert.deepEqual([messages.gateway_id, messages.gateway_pinned], [["gw_on"], [1]]);
  for (const gateway_identifier of ["off", "mail", "another's", "ON"]) {
    assert.deepEqual(await faults(read({ ...plain, gateway_identifier }), of), [
      "contact.0.gateway_identifier: The selected contact.0.gateway_identifier is invalid.",
    ]);
  }
});

test("without a name: the default one, or when it is off the oldest active one", async () => {
  const first = gateway({ identifier: "first" });
  const second = gateway({ identifier: "second" });
  const chosen = async (gateways: AccountGateway[]) =>
    (await ready(read(plain), account({ gateways }))).gateway_id[0];
  assert.equal(await chosen([first, { ...second, isDefault: true }]), "gw_second");
  assert.equal(await chosen([first, { ...second, isDefault: true, active: false }]), "gw_first");
  assert.equal(await chosen([{ ...first, active: false }, second]), "gw_second");
});

test("without any active gateway every contact that names none says so", async () => {
  const none = account({ gateways: [gateway({ identifier: "off", active: false, isDefault: true })] });
  assert.deepEqual(await faults(read(plain, plain), none), [
    "contact.0.gateway_identifier: No active sms gateway is configured.",
    "contact.1.gateway_identifier: No active sms gateway is configured.",
  ]);
});

test("a sandbox marks its messages as test and costs nothing; others cost their segments", async () => {
  const of = account({
    gateways: [gateway({ identifier: "real", isDefault: true }), gateway({ identifier: "box", test: true })],
  });
  const long = "x".repeat(161);
  const messages = await ready(
    read(
      { ...plain, message: long },
      { ...plain, message: long, gateway_identifier: "box" },
      { ...plain, message: "ü€" },
      { ...plain, message: "日本" },
    ),
    of,
  );
  assert.deepEqual(messages.segments, [2, 2, 1, 1]);
  assert.deepEqual(messages.cost, [2, 0, 1, 1]);
  assert.deepEqual(messages.test, [0, 1, 0, 0]);
  assert.deepEqual(messages.encoding, ["gsm7", "gsm7", "gsm7", "ucs2"]);
});

test("parts are charged as the gateway sends them", async () => {
  const of = account({
    gateways: [
      gateway({ identifier: "plain", kind: "smpp" }),
      gateway({ identifier: "wide", kind: "smpp", counting: smppCounting.of({ long: "udh16" }) ?? "" }),
      gateway({
        identifier: "latin",
        kind: "smpp",
        counting: smppCounting.of({ default_alphabet: "latin1" }) ?? "",
      }),
    ],
  });
  const texts = ["a".repeat(306), "a".repeat(306), "ç".repeat(120), "ç".repeat(120)];
  const names = ["plain", "wide", "plain", "latin"];
  const contacts = texts.map((message, at) => ({ ...plain, message, gateway_identifier: names[at] }));
  const messages = await ready(read(...contacts), of);
  assert.deepEqual(messages.segments, [2, 3, 2, 1]);
  assert.deepEqual(messages.cost, [2, 3, 2, 1]);
  assert.deepEqual(messages.encoding, ["gsm7", "gsm7", "ucs2", "ucs2"]);
});

test("a scheduled message is due at its local time; a past one at once; null and empty mean now", async () => {
  const messages = await ready(
    read(
      { ...plain, schedule_at: "2026-07-01 09:00:00" },
      { ...plain, schedule_at: "2026-01-01 09:00:00" },
      { ...plain, schedule_at: null },
      { ...plain, schedule_at: "" },
    ),
  );
  assert.deepEqual(messages.status, ["scheduled", "scheduled", "queued", "queued"]);
  const later = Date.UTC(2026, 6, 1, 7);
  assert.deepEqual(messages.due_at, [later, now, now, now]);
  assert.deepEqual(messages.scheduled_for, [later, Date.UTC(2026, 0, 1, 8), null, null]);
  assert.deepEqual(messages.schedule_at, ["2026-07-01 09:00:00", "2026-01-01 09:00:00", null, null]);
});

test("a date that does not exist is refused", async () => {
  for (const schedule_at of ["2026-02-30 10:00:00", "2026-07-01T10:00:00", "2026-7-1 10:00:00", "tomorrow"]) {
    assert.deepEqual(await faults(read({ ...plain, schedule_at })), [
      "contact.0.schedule_at: The contact.0.schedule_at field must match the format Y-m-d H:i:s.",
    ]);
  }
});

test("all faults of all contacts come together: the body's own and those that need the account", async () => {
  const found = await faults(
    read({ message: "no number" }, { number: "abc", message: "", gateway_identifier: "another's" }, plain, {
      ...plain,
      schedule_at: "soon",
    }),
  );
  assert.deepEqual([...found].sort(), [
    "contact.0.number: The contact.0.number field is required.",
    "contact.1.gateway_identifier: The selected contact.1.gateway_identifier is invalid.",
    "contact.1.message: The contact.1.message field is required.",
    "contact.1.number: The contact.1.number field must be a valid phone number.",
    "contact.3.schedule_at: The contact.3.schedule_at field must match the format Y-m-d H:i:s.",
  ]);
});

test("others get a turn between slices of a large request", async () => {
  let turns = 0;
  const send = readSms({ contact: Array.from({ length: 3500 }, () => plain) }, { maxContacts: 10_000 });
  const yieldToEventLoop = async () => {
    turns += 1;
  };
  const prepared = await prepareSms(account(), send, { now, newIds: ids, yieldToEventLoop });
  assert.equal(prepared.kind, "ready");
  assert.equal(turns, 3);
});
