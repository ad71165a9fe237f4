// A preview says what a send would do, by the same rules, and does nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PreviewedContact } from "#contract/manage/preview.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: { id: string };
let member: Ask;
let path: string;
before(async () => {
  m = await managed();
  account = await m.it.account({
    name: "acme",
    time_zone: "Europe/Berlin",
    country: "DE",
    plan: { name: "small", credit: { sms: 10 } },
  });
  path = `/accounts/${account.id}/messages`;
  await m.it.gateway({ identifier: "one", default: true, kind: "http-api", settings: providerSettings });
  member = await m.member(account.id);
});
after(() => m.close());

interface Preview {
  contact: PreviewedContact[];
  faults: { path: string; message: string }[];
  cost: number;
  remaining: number | null;
}
const contact = { number: "0151 0000 0001", message: "hi" };
const preview = async (contacts: object[], more: object = {}) =>
  dataOf<Preview>(await member("POST", `${path}/preview`, { channel: "sms", contact: contacts, ...more }));

test("each contact has its recipient, gateway, instant, segments and cost, and what refuses it", async () => {
  const now = new Date(m.it.clock.now()).toISOString();
  const {
    contact: shown,
    faults,
    cost,
    remaining,
  } = await preview([
    { ...contact, message: "’".repeat(71) },
    { number: "x", message: "" },
  ]);
  assert.deepEqual(shown[0], {
    recipient: "+4915100000001",
    gateway: "one",
    gateway_state: "active",
    due_at: now,
    moved: null,
    segments: 2,
    encoding: "ucs2",
    cost: 2,
    suppressed: null,
    faults: [],
  });
  assert.equal(shown[1]?.recipient, null);
  assert.deepEqual(shown[1]?.faults.map((fault) => fault.path).sort(), [
    "contact.1.message",
    "contact.1.number",
  ]);
  assert.deepEqual([faults, cost, remaining], [[], 2, 10]);
  // The sentences are those of the send itself.
  const sent = await member("POST", path, {
    channel: "sms",
    contact: [contact, { number: "x", message: "" }],
  });
  const errors = sent.json().errors as Record<string, string[]>;
  for (const fault of shown[1]?.faults ?? []) assert.deepEqual(errors[fault.path], [fault.message]);
});

test("an instant that a clock change, the gateway's hours or the past moves says so", async () => {
  await m.it.gateway({ identifier: "office", pace: { hours: "08:00-20:00" } });
  const at = async (schedule_at: string, gateway_identifier?: string) => {
    const [shown] = (await preview([{ ...contact, schedule_at, gateway_identifier }])).contact;
    return [shown?.due_at, shown?.moved];
  };
  assert.deepEqual(await at("2027-03-28 02:30:00"), ["2027-03-28T01:30:00.000Z", "clock_change"]);
  assert.deepEqual(await at("2027-03-28 03:30:00"), ["2027-03-28T01:30:00.000Z", null]);
  assert.deepEqual(await at("2020-01-01 00:00:00"), [new Date(m.it.clock.now()).toISOString(), "past"]);
  assert.deepEqual(await at("2027-01-05 21:00:00", "office"), ["2027-01-06T07:00:00.000Z", "hours"]);
  assert.deepEqual(await at("2027-01-05 19:59:59", "office"), ["2027-01-05T18:59:59.000Z", null]);
});

test("a gateway that does not send and a suppressed recipient are named", async () => {
  await m.it.gateway({ identifier: "phone", kind: "android", settings: { sim: 1 } });
  await m.it.gateway({ identifier: "still" });
  await member("POST", `/accounts/${account.id}/gateways/still/pause`);
  await member("POST", `/accounts/${account.id}/suppressions`, {
    channel: "sms",
    recipients: ["+4915100000009"],
  });
  const through = (gateway_identifier: string) => ({ ...contact, gateway_identifier });
  const { contact: shown } = await preview([
    through("phone"),
    through("still"),
    through("none"),
    { ...contact, number: "0151 00000009" },
  ]);
  assert.deepEqual(
    shown.map(({ gateway_state, suppressed, faults }) => [gateway_state, suppressed, faults[0]?.path]),
    [
      ["not_linked", null, undefined],
      ["stopped", null, undefined],
      [null, null, "contact.2.gateway_identifier"],
      ["active", "manual", undefined],
    ],
  );
});

test("files are judged and none is kept; a list and a sandbox cost nothing", async () => {
  for (const channel of ["whatsapp", "email"] as const)
    await m.it.gateway({
      identifier: `${channel}-box`,
      channel,
      kind: "sandbox",
      settings: {},
      default: true,
    });
  const mail = { email: "delivered@example.com", subject: "Hi", message: "Hello" };
  const file = { filename: "a.exe", content: "AAAA" };
  const mailed = await preview([mail], { channel: "email", attachments: [file] });
  assert.deepEqual(
    [mailed.faults.map((fault) => fault.path), mailed.contact[0]?.faults],
    [["attachments.0"], []],
  );
  assert.deepEqual(
    (await preview([contact], { attachments: [file] })).faults.map((fault) => fault.path),
    ["attachments"],
  );
  const list = {
    number: "+15550000001",
    message: "When?",
    button: "Choose",
    sections: [{ rows: [{ id: "a" }] }],
  };
  const listed = await preview([list], { channel: "whatsapp" });
  assert.deepEqual(
    listed.contact[0]?.faults.map((fault) => fault.path),
    ["contact.0.sections.0.rows.0.title"],
  );
  const sections = [{ rows: [{ id: "a", title: "A" }] }];
  const { contact: shown, cost, remaining } = await preview([{ ...list, sections }], { channel: "whatsapp" });
  assert.deepEqual([shown[0]?.gateway, shown[0]?.cost, cost, remaining], ["whatsapp-box", 0, 0, null]);
});

test("nothing was stored, charged or audited; a body of more contacts than a person looks at is refused", async () => {
  assert.deepEqual(dataOf(await member("GET", path)), []);
  const credit = dataOf<{ channel: string; remaining: number }[]>(
    await member("GET", `/accounts/${account.id}/credit`),
  );
  assert.equal((await preview([contact])).remaining, 10);
  assert.ok(JSON.stringify(credit).includes("10"));
  const audit = dataOf<{ action: string }[]>(await m.operator("GET", "/audit?limit=100"));
  assert.ok(audit.length > 0 && audit.every(({ action }) => action !== "previewAccountMessages"));
  for (const body of [
    { channel: "sms", contact: Array(101).fill(contact) },
    { channel: "sms", contact: [] },
    { channel: "fax", contact: [contact] },
  ])
    assert.equal((await member("POST", `${path}/preview`, body)).statusCode, 422);
  const other = await m.it.account({
    name: "other",
    plan: { name: "old", expires_at: "2025-01-01T00:00:00Z", credit: {} },
  });
  const body = { channel: "sms", contact: [contact] };
  assert.equal((await member("POST", `/accounts/${other.id}/messages/preview`, body)).statusCode, 404);
  assert.equal((await m.operator("POST", `/accounts/${other.id}/messages/preview`, body)).statusCode, 409);
});
