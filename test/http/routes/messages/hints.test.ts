// What a beginner's wrong send is answered with: the contract's sentences in `errors`, and in `message` what was most likely meant.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sendHints } from "#http/routes/messages/hints.ts";
import { type Harness, harness } from "../../../harness.ts";
import { inject } from "../../../inject.ts";

let it: Harness;
let key: string;
before(async () => {
  it = await harness();
  ({ key } = await it.account({ country: null, time_zone: "Europe/Berlin" }));
  await it.gateway({ identifier: "sms-main", channel: "sms", kind: "sandbox", default: true });
  await it.gateway({ identifier: "sms-off", channel: "sms", kind: "sandbox", active: false });
  await it.gateway({ identifier: "wa-main", channel: "whatsapp", kind: "sandbox", default: true });
  await it.gateway({ identifier: "mail-main", channel: "email", kind: "sandbox", default: true });
});
after(() => it.close());

interface Answer {
  message: string;
  errors: Record<string, string[]>;
  data: { ignored?: string[] };
}

async function answer(channel: string, body: unknown) {
  const reply = await inject(it.system.app, {
    method: "POST",
    url: `/api/${channel}/send`,
    headers: { "api-key": key, "content-type": "application/json" },
    payload: JSON.stringify(body),
  });
  return { status: reply.statusCode, ...reply.json<Answer>() };
}

const good = { number: "+4915123456789", message: "Hi" };
const mail = { email: "ada@example.com", subject: "Hello", message: "Hi" };

const cases: [channel: string, body: unknown, hints: string][] = [
  ["sms", { contacts: [good] }, "contacts is no field of a send; the field is called contact."],
  [
    "sms",
    { to: "+4915123456789", body: "Hi" },
    "to is no field of a send; the field is called contact. body is no field of a send.",
  ],
  [
    "sms",
    { contact: [{ to: "+4915123456789", body: "Hi" }] },
    "to is no field of a contact; the field is called number. body is no field of a contact; the field is called message.",
  ],
  [
    "sms",
    { contact: [{ ...good, Number: 1, number: "" }] },
    "Number is no field of a contact; the field is called number.",
  ],
  [
    "sms",
    { contact: [{ ...good, schedule_at: "2026-12-01T10:00:00Z" }] },
    "schedule_at is a local time of the account (Europe/Berlin) without a zone, such as 2030-01-31 09:00:00.",
  ],
  [
    "sms",
    { contact: [{ ...good, schedule_at: "2026-02-30 10:00:00" }] },
    "2026-02-30 10:00:00 is not on the calendar.",
  ],
  ["sms", { contact: [{ ...good, schedule_at: "2026-03-29 02:30:00" }] }, ""],
  ["sms", { contact: [{ ...good, schedule_at: "tomorrow" }] }, ""],
  [
    "sms",
    { contact: [{ number: "0151 23456789", message: "Hi" }] },
    "The account has no country, so a number needs its international form, such as +4915123456789.",
  ],
  ["sms", { contact: [{ number: "+49", message: "Hi" }] }, ""],
  [
    "sms",
    { contact: [{ ...good, gateway_identifier: "twilio" }] },
    "The account has no gateway of that name.",
  ],
  ["sms", { contact: [{ ...good, gateway_identifier: "mail-main" }] }, "Gateway mail-main sends email."],
  ["sms", { contact: [{ ...good, gateway_identifier: "sms-off" }] }, "Gateway sms-off is switched off."],
  ["sms", { contact: [] }, ""],
  ["sms", [good], ""],
  [
    "email",
    { contact: [{ to: "ada@example.com", subject: "Hello", html: "<p>Hi</p>" }] },
    "html is no field of a contact; the field is called message.",
  ],
  [
    "email",
    { contact: [{ ...mail, email: "", reply_to: "bob@example.com" }] },
    "reply_to is no field of a contact; the field is called reply_to_email.",
  ],
  [
    "whatsapp",
    { recipients: ["+4915123456789"] },
    "recipients is no field of a send; the field is called contact.",
  ],
];

for (const [channel, body, hints] of cases)
  test(`${channel}: ${JSON.stringify(body)}`, async () => {
    const { status, message, errors } = await answer(channel, body);
    if (status === 200) return assert.equal(hints, "", "accepted");
    assert.equal(status, 422);
    assert.equal(message, `Validation failed.${hints === "" ? "" : ` ${hints}`}`);
    assert.ok(Object.keys(errors).length > 0);
  });

test("a hint never changes the errors, and a field that is only unknown refuses nothing", async () => {
  const plain = await answer("sms", { contact: [{ number: "", message: "" }] });
  const hinted = await answer("sms", { contact: [{ number: "", message: "", phone: "+4915123456789" }] });
  assert.deepEqual(hinted.errors, plain.errors);
  assert.equal(plain.message, "Validation failed.");
  assert.equal((await answer("sms", { contact: [{ ...good, tag: "spring" }] })).status, 200);
});

test("an accepted send names the fields that it had and that were ignored, and others have no such list", async () => {
  const ignored = async (channel: string, body: unknown) => {
    const { status, data } = await answer(channel, body);
    assert.equal(status, 200);
    return data.ignored;
  };
  assert.equal(await ignored("sms", { contact: [good] }), undefined);
  assert.equal(
    await ignored("sms", { contact: [{ ...good, schedule_at: null, gateway_identifier: "" }] }),
    undefined,
  );
  assert.deepEqual(
    await ignored("sms", { contact: [good, { ...good, scheduled_at: "2030-01-31 09:00:00" }] }),
    ["scheduled_at is no field of a contact; the field is called schedule_at."],
  );
  assert.deepEqual(
    await ignored("email", { contact: [mail], schedule_at: "2030-01-31 09:00:00", tag: "spring" }),
    ["schedule_at is no field of a send; it is one of each contact.", "tag is no field of a send."],
  );
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`field_${at}`, at]));
  const named = (await ignored("whatsapp", {
    contact: [{ ...good, cc: "x", tags: [], from: "ACME", shedule_at: "2030-01-31 09:00:00", ...many }],
  }))!;
  assert.equal(named[0], "shedule_at is no field of a contact; the field is called schedule_at.");
  assert.equal(named.length, 65);
  assert.equal(named.at(-1), "And 10 more.");
  assert.ok(named.includes("from is no field of a contact."));
});

test("a key that names gateways hears of its own, and the fault of a field goes before unknown ones", () => {
  const known = { body: new Set(["contact"]), contact: new Set(["number", "gateway_identifier"]) };
  const account = { country: null, gateways: [], gatewayIds: ["gw_1"], timeZone: "UTC" } as never;
  const of = { known, account, channel: "sms" } as const;
  const contact = [{ gateway_identifier: "main", a: 1, b: 2, c: 3 }];
  const [first, ...more] = sendHints({ "contact.0.gateway_identifier": ["x"] }, { contact }, of);
  assert.equal(first, "This API key has no gateway of that name.");
  assert.deepEqual(more, ["a is no field of a contact.", "b is no field of a contact."]);
  const draining = [{ identifier: "main", channel: "sms", active: false, isDraining: true }];
  const going = { ...of, account: { country: null, gateways: draining, timeZone: "UTC" } as never };
  const leaving = { contact: [{ gateway_identifier: "main" }] };
  assert.deepEqual(sendHints({ "contact.0.gateway_identifier": ["x"] }, leaving, going), []);
});

test("a refused number says how to write it", () => {
  const known = { body: new Set(["contact"]), contact: new Set(["number"]) };
  const account = { country: "US", gateways: [], timeZone: "UTC" } as never;
  const of = { known, account, channel: "sms" } as const;
  assert.deepEqual(sendHints({ "contact.0.number": ["x"] }, { contact: [{ number: "6785912345" }] }, of), [
    "It can be +6785912345 or +16785912345: write it with a plus and its country code.",
  ]);
});

test("values in the place of names are not repeated, and three hints are enough", () => {
  const known = { body: new Set(["contact"]), contact: new Set(["number"]) };
  const of = {
    known,
    account: { country: null, gateways: [], timeZone: "UTC" } as never,
    channel: "sms",
  } as const;
  assert.deepEqual(sendHints({}, { "sk-secret value": 1, ["x".repeat(41)]: 2 }, of), []);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field${at}`, 1]));
  assert.equal(sendHints({}, many, of).length, 3);
  assert.deepEqual(sendHints({ "contact.0.number": ["x"], other: ["y"] }, null, of), []);
  assert.deepEqual(sendHints({ "contact.7.number": ["x"] }, { contact: [{ number: "1" }] }, of), []);
});
