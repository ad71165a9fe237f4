// The suppression list over the management API: added to, listed, searched, taken from; and it holds at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createdSuppressionsReply, suppressionsReply } from "#contract/manage/consent.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let id: string;
let path: string;
before(async () => {
  m = await managed();
  ({ id } = await m.it.account({ name: "acme", country: "DE" }));
  await m.it.gateway({ identifier: "main", default: true });
  path = `/accounts/${id}/suppressions`;
});
after(() => m.close());

const add = (body: object) => m.operator("POST", path, body);
const off = (channel: string, recipient: string) =>
  m.operator("DELETE", `${path}/${channel}/${encodeURIComponent(recipient)}`);
const listed = async (query = "") =>
  dataOf<{ channel: string; recipient: string }[]>(await m.operator("GET", `${path}${query}`)).map(
    ({ channel, recipient }) => `${channel} ${recipient}`,
  );

test("what is added is normalised, listed, and keeps messages from going out; taken off, they go again", async () => {
  const reply = await add({ channel: "sms", recipients: ["0151 23456789", "+49 (151) 23456789"], note: "n" });
  assert.equal(reply.statusCode, 201, reply.body);
  assert.deepEqual(createdSuppressionsReply.parse(reply.json()), reply.json());
  assert.deepEqual(reply.json().data, { added: 1, recipients: ["+4915123456789"] });
  const page = await m.operator("GET", path);
  assert.deepEqual(suppressionsReply.parse(page.json()), page.json());
  assert.deepEqual(page.json().data, [
    {
      channel: "sms",
      recipient: "+4915123456789",
      reason: "manual",
      note: "n",
      created_at: new Date(m.it.clock.now()).toISOString(),
    },
  ]);
  const ends = async () => {
    const [message] = await m.it.accepted([{ number: "+4915123456789", message: "Hi" }]);
    await m.it.advance(10_000);
    return (await m.it.message(message!)).status;
  };
  assert.equal(await ends(), "suppressed");
  const removed = await off("sms", "+4915123456789");
  assert.deepEqual([removed.statusCode, removed.body], [204, ""]);
  assert.equal(await ends(), "delivered");
});

test("pages and searches", async () => {
  dataOf(await add({ channel: "sms", recipients: ["+4915100000001", "+4915100000002", "+4915100000003"] }));
  dataOf(await add({ channel: "email", recipients: ["Jane+x@Example.com"] }));
  const all = ["email jane+x@example.com", ...[1, 2, 3].map((n) => `sms +491510000000${n}`)];
  assert.deepEqual(await listed(), all);
  assert.deepEqual(await listed("?channel=email"), all.slice(0, 1));
  assert.deepEqual(await listed("?recipient=0151-00000002"), [all[2]]);
  assert.deepEqual(await listed("?recipient=JANE%2Bx@example.com&channel=email"), all.slice(0, 1));
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const reply = await m.operator("GET", `${path}?limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...dataOf<{ recipient: string }[]>(reply).map(({ recipient }) => recipient));
    cursor = reply.json().next_cursor;
  }
  assert.deepEqual(
    seen,
    all.map((entry) => entry.split(" ")[1]),
  );
  assert.equal((await off("email", "jane+x@example.com")).statusCode, 204);
});

test("faults are reported at their place, and nothing is stored", async () => {
  const before = await listed();
  const mixed = await add({ channel: "sms", recipients: ["+4915100000009", "no number"] });
  assert.equal(mixed.statusCode, 422);
  assert.deepEqual(mixed.json().errors, { "recipients.1": ["is not a phone number"] });
  for (const [body, field] of [
    [{ recipients: ["+4915100000009"] }, "channel"],
    [{ channel: "fax", recipients: ["+4915100000009"] }, "channel"],
    [{ channel: "sms" }, "recipients"],
    [{ channel: "sms", recipients: [] }, "recipients"],
    [{ channel: "sms", recipients: Array(1001).fill("+4915100000009") }, "recipients"],
    [{ channel: "sms", recipients: ["+4915100000009"], reason: "bounce" }, "reason"],
    [{ channel: "sms", recipients: ["nul\0"] }, "recipients.0"],
    [{ channel: "sms", recipients: ["+4915100000009"], note: "x".repeat(501) }, "note"],
  ] as const) {
    const reply = await add(body);
    assert.equal(reply.statusCode, 422, field);
    assert.ok(field in reply.json().errors, reply.body);
  }
  for (const query of ["?channel=fax", "?limit=0", "?cursor=nonsense", "?unknown=1", "?recipient=%00"])
    assert.equal((await m.operator("GET", `${path}${query}`)).statusCode, 422, query);
  assert.deepEqual(await listed(), before);
});

test("a thousand at once are taken", async () => {
  const recipients = Array.from({ length: 1000 }, (_, i) => `+4916${String(i).padStart(9, "0")}`);
  const reply = await add({ channel: "whatsapp", recipients });
  assert.equal(dataOf<{ added: number }>(reply).added, 1000);
  assert.equal((await listed("?channel=whatsapp&limit=200")).length, 200);
});

test("who is not on the list is 404, and a member sees and changes their own list alone", async () => {
  for (const [channel, recipient] of [
    ["sms", "+4915999999999"],
    ["whatsapp", "+4915100000001"],
    ["fax", "+4915100000001"],
    ["sms", "\0"],
    ["sms", "no number"],
  ] as const)
    assert.equal((await off(channel, recipient)).statusCode, 404, `${channel} ${recipient}`);
  const other = await m.it.account({ name: "other" });
  const member = await m.member(other.id);
  const target = `${path}/sms/${encodeURIComponent("+4915100000001")}`;
  for (const [method, url, body] of [
    ["GET", path, undefined],
    ["POST", path, { channel: "sms", recipients: ["+4915100000001"] }],
    ["DELETE", target, undefined],
  ] as const)
    assert.equal((await member(method, url, body)).statusCode, 404, method);
  const own = await member("GET", `/accounts/${other.id}/suppressions`);
  assert.deepEqual(own.json().data, []);
  const theirs = target.replace(id, other.id);
  assert.equal((await member("DELETE", theirs)).statusCode, 404);
  assert.equal((await off("sms", "+4915100000001")).statusCode, 204);
});

test("what one reason put on the list within a time is taken off at once", async () => {
  const day = 86_400_000;
  const own = await m.it.account({ name: "mails" });
  const at = `/accounts/${own.id}/suppressions`;
  const start = m.it.clock.now();
  const put = (recipients: string[], note: string) =>
    m.operator("POST", at, { channel: "email", recipients, note });
  await put(["a@example.org", "b@example.org"], "550 Sender verify failed");
  await put(["c@example.org"], "by hand");
  await m.it.advance(day);
  await put(["d@example.org"], "550 Sender verify failed");
  const range = { from: new Date(start).toISOString(), to: new Date(start + day).toISOString() };
  const release = async (body: object) => m.operator("POST", `${at}/release`, { channel: "email", ...body });
  const removed = async (body: object) =>
    dataOf<{ removed: number }>(await release({ reason: "manual", ...range, ...body })).removed;
  assert.equal(await removed({ reason: "bounce" }), 0);
  assert.equal(await removed({ channel: "sms" }), 0);
  assert.equal(await removed({ note: "verify failed" }), 2);
  assert.equal(await removed({}), 1);
  const left = dataOf<{ recipient: string }[]>(await m.operator("GET", at));
  assert.deepEqual(
    left.map(({ recipient }) => recipient),
    ["d@example.org"],
  );
  const turned = await release({ reason: "manual", from: range.to, to: range.from });
  assert.equal(turned.statusCode, 422, turned.body);
});
