// A send by a person: as with the key, for the account alone that the person may manage, and never twice.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inject } from "../../../../inject.ts";
import { bearer, tokenFor } from "../../../managing.ts";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let account: { id: string };
let member: Ask;
let path: string;
before(async () => {
  m = await managed();
  account = await m.it.account({ name: "acme", country: "DE", plan: { name: "small", credit: { sms: 10 } } });
  path = `/accounts/${account.id}/messages`;
  await m.it.gateway({ identifier: "one", default: true });
  member = await m.member(account.id);
});
after(() => m.close());

interface Sent {
  request_id: string;
  contact: { recipient: string; status: string; id: string }[];
}
const contact = { number: "0151 0000 0001", message: "hi" };

test("what a member sends is accepted like any send, and found by its request", async () => {
  const schedule_at = "2027-01-01 00:00:00";
  const reply = await member("POST", path, {
    channel: "sms",
    contact: [contact, { ...contact, schedule_at }],
  });
  const { request_id, contact: sent } = dataOf<Sent>(reply);
  assert.deepEqual(
    sent.map(({ recipient, status }) => [recipient, status]),
    [
      [contact.number, "queued"],
      [contact.number, "scheduled"],
    ],
  );
  const listed = dataOf<{ id: string }[]>(await member("GET", `${path}?request=${request_id}`));
  assert.deepEqual(listed.map(({ id }) => id).sort(), sent.map(({ id }) => id).sort());
});

test("faults stand at their fields, and nothing is accepted", async () => {
  await m.it.advance(2_000);
  const reply = await member("POST", path, {
    channel: "sms",
    contact: [contact, { number: "x", message: "" }],
  });
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(Object.keys(reply.json().errors).sort(), ["contact.1.message", "contact.1.number"]);
  for (const body of [
    { channel: "fax", contact: [contact] },
    { channel: "sms" },
    { channel: "sms", contact: [] },
  ])
    assert.equal((await member("POST", path, body)).statusCode, 422, JSON.stringify(body));
  assert.deepEqual(dataOf(await member("GET", `${path}?created_from=2026-01-01T00:00:01Z`)), []);
});

test("WhatsApp lists and the files of a mail go along", async () => {
  for (const channel of ["whatsapp", "email"] as const)
    await m.it.gateway({
      identifier: `${channel}-box`,
      channel,
      kind: "sandbox",
      settings: {},
      default: true,
    });
  const recipient = { number: "+15550000001", message: "When shall we deliver?" };
  const rows = [{ id: "morning", title: "08:00 to 12:00" }];
  const list = { ...recipient, button: "Choose", sections: [{ rows }] };
  const sent = dataOf<Sent>(await member("POST", path, { channel: "whatsapp", contact: [list] }));
  const record = async (id: string) =>
    dataOf<{ record: { list?: unknown; attachments?: unknown } }>(await member("GET", `${path}/${id}`))
      .record;
  assert.deepEqual((await record(sent.contact[0]?.id ?? "")).list, {
    header: null,
    footer: null,
    button: "Choose",
    sections: [{ title: null, rows: [{ ...rows[0], description: null }] }],
  });
  const mixed = await member("POST", path, { channel: "whatsapp", contact: [list, recipient] });
  assert.deepEqual(Object.keys(mixed.json().errors).sort(), ["contact.1.button", "contact.1.sections"]);

  const mail = { email: "delivered@example.com", subject: "Hi", message: "Hello" };
  const text = "x".repeat(2 * 1024 * 1024);
  const attachments = [{ filename: "a.txt", content: Buffer.from(text).toString("base64") }];
  const mailed = dataOf<Sent>(await member("POST", path, { channel: "email", contact: [mail], attachments }));
  assert.deepEqual((await record(mailed.contact[0]?.id ?? "")).attachments, [
    { filename: "a.txt", size: text.length, content_type: "text/plain" },
  ]);
  for (const [channel, contact, files, path] of [
    ["email", mail, [{ filename: "a.exe", content: "AAAA" }], "attachments.0"],
    ["email", mail, [{ filename: "a.txt", content: "?" }], "attachments.0.content"],
    ["sms", { number: "+15550000001", message: "hi" }, attachments, "attachments"],
  ] as const) {
    const refused = await member("POST", `/accounts/${account.id}/messages`, {
      channel,
      contact: [contact],
      attachments: files,
    });
    assert.deepEqual(Object.keys(refused.json().errors), [path]);
  }
});

test("a repeated request with its key sends nothing more", async () => {
  const token = await tokenFor(m.it, account.id);
  const ask = () =>
    inject(m.it.system.app, {
      method: "POST",
      url: `/api/manage/v1${path}`,
      headers: { ...bearer(token), "idempotency-key": "once", "content-type": "application/json" },
      payload: JSON.stringify({ channel: "sms", contact: [contact] }),
    });
  const [first, second] = [await ask(), await ask()];
  assert.equal(second.headers["idempotent-replayed"], "true");
  assert.equal(dataOf<Sent>(second).request_id, dataOf<Sent>(first).request_id);
});

test("not for another account, and not with a plan that has ended", async () => {
  const other = await m.it.account({
    name: "other",
    plan: { name: "old", expires_at: "2025-01-01T00:00:00Z", credit: {} },
  });
  const body = { channel: "sms", contact: [contact] };
  assert.equal((await member("POST", `/accounts/${other.id}/messages`, body)).statusCode, 404);
  const ended = await m.operator("POST", `/accounts/${other.id}/messages`, body);
  assert.deepEqual([ended.statusCode, ended.json().code], [409, "conflict"], ended.body);
});
