// The TypeScript client against a system that listens: sends, look-ups, and answers that were lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TrunklineError } from "../../clients/typescript/src/error.ts";
import { cuttingRelay, listening } from "./system.ts";

const contact = { number: "+15550000001", message: "Hello" };

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The error of a call that has to fail. */
async function failureOf(call: Promise<unknown>): Promise<TrunklineError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TrunklineError, String(error));
  return error;
}

test("it sends on every channel, to one and to several, and looks the messages up", async (t) => {
  const { it, client } = await listening(t);
  const trunkline = client();
  const one = await trunkline.sms.send(contact);
  assert.match(one.request_id, /^req_/);
  assert.deepEqual(
    one.contact.map(({ number, status }) => [number, status]),
    [["+15550000001", "queued"]],
  );
  const two = await trunkline.whatsapp.send([contact, { ...contact, schedule_at: "2030-01-31 09:00:00" }]);
  assert.deepEqual(
    two.contact.map(({ status }) => status),
    ["queued", "scheduled"],
  );
  await it.advance(10_000);
  const sms = await trunkline.messages.get("sms", one.contact[0]?.id ?? "");
  assert.deepEqual([sms.channel, sms.status, sms.segments, sms.message], ["sms", "delivered", 1, "Hello"]);
  assert.ok(sms.events?.some(({ type }) => type === "delivered"));
  const whatsapp = await trunkline.messages.get("whatsapp", two.contact[1]?.id ?? "");
  assert.equal(whatsapp.scheduled_for !== null, true);
});

test("it sends the bytes of files, and the same send twice once", async (t) => {
  const { client } = await listening(t);
  const trunkline = client();
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
  bytes.set(new TextEncoder().encode("%PDF-1.7\n"));
  const files = [
    { filename: "Rechnung 1 – Zoë.pdf", content: bytes },
    { filename: "note.txt", content: new Blob(["Hi"]), contentType: "text/plain" },
  ];
  const mail = { email: "delivered@example.com", subject: "Files", message: "<p>See</p>" };
  const send = () => trunkline.email.send(mail, { files, idempotencyKey: "order 7" });
  const sent = await send();
  assert.deepEqual(await send(), sent, "the second one has another boundary, and is the same send");
  const record = await trunkline.messages.get("email", sent.contact[0]?.id ?? "");
  assert.deepEqual(
    record.attachments.map(({ filename, size, content_type }) => [filename, size, content_type]),
    [
      ["Rechnung 1 – Zoë.pdf", 70_000, "application/pdf"],
      ["note.txt", 2, "text/plain"],
    ],
  );
  assert.equal((await all(trunkline.messages.list("email"))).length, 1);
});

test("it goes through all pages of a list, with a filter, and ends when the loop does", async (t) => {
  const { it, client } = await listening(t);
  let asked = 0;
  const trunkline = client({
    fetch: (...args) => {
      asked += 1;
      return fetch(...args);
    },
  });
  await trunkline.sms.send(Array.from({ length: 5 }, (_, at) => ({ ...contact, message: `${at}` })));
  await trunkline.sms.send({ number: "+15550000003", message: "refused" });
  await it.advance(10_000);
  asked = 0;
  const messages = await all(trunkline.messages.list("sms", { pageSize: 2 }));
  assert.deepEqual(
    messages.map(({ message }) => message),
    ["refused", "4", "3", "2", "1", "0"],
  );
  assert.equal(asked, 3);
  const failed = await all(trunkline.messages.list("sms", { status: "failed" }));
  assert.deepEqual(
    failed.map(({ message }) => message),
    ["refused"],
  );
  asked = 0;
  for await (const { message } of trunkline.messages.list("sms", { pageSize: 2 })) if (message === "4") break;
  assert.equal(asked, 1);
});

test("it sends lists and reads what people answered", async (t) => {
  const { it, client } = await listening(t);
  const trunkline = client();
  await trunkline.whatsapp.sendList({
    number: "+15550000007",
    message: "When?",
    button: "Choose",
    sections: [{ rows: [{ id: "morning", title: "08:00" }] }],
  });
  await it.advance(10_000);
  const [reply, ...others] = await all(trunkline.messages.received("whatsapp"));
  assert.deepEqual([reply?.from, reply?.reply?.id, others.length], ["+15550000007", "morning", 0]);
});

test("it moves a message and cancels it, once", async (t) => {
  const { it, client } = await listening(t);
  const trunkline = client();
  const sent = await trunkline.sms.send({ ...contact, schedule_at: "2030-01-31 09:00:00" });
  const id = sent.contact[0]?.id ?? "";
  const moved = await trunkline.messages.reschedule("sms", id, "2030-01-31 10:00:00");
  assert.deepEqual([moved.status, moved.schedule_at], ["scheduled", "2030-01-31 10:00:00"]);
  assert.equal((await trunkline.messages.cancel("sms", id)).status, "cancelled");
  assert.equal((await trunkline.messages.cancel("sms", id)).status, "cancelled");
  const late = await trunkline.sms.send(contact);
  await it.advance(10_000);
  const error = await failureOf(trunkline.messages.cancel("sms", late.contact[0]?.id ?? ""));
  assert.deepEqual([error.status, error.code], [409, "not_cancellable"]);
});

test("it decides a message whose outcome is unknown, once", async (t) => {
  const { it, client } = await listening(t);
  const trunkline = client();
  const sent = await trunkline.sms.send({ ...contact, number: "+15550000005" });
  const id = sent.contact[0]?.id ?? "";
  await it.advance(7 * 86_400_000);
  assert.equal((await trunkline.messages.get("sms", id)).status, "unknown");
  assert.equal((await trunkline.messages.resolve("sms", id, "mark_sent")).status, "sent");
  const error = await failureOf(trunkline.messages.resolve("sms", id, "send_again"));
  assert.deepEqual([error.status, error.code], [409, "not_unknown"]);
});

test("its errors say what was wrong, and never the key", async (t) => {
  const { account, client } = await listening(t);
  const invalid = await failureOf(client().sms.send([contact, { number: "none", message: "" }]));
  assert.equal(invalid.status, 422);
  assert.deepEqual(Object.keys(invalid.errors ?? {}), ["contact.1.message", "contact.1.number"]);
  assert.match(invalid.requestId ?? "", /^req_/);
  const refused = await failureOf(client({ apiKey: `${account.key}x` }).sms.send(contact));
  assert.deepEqual([refused.status, refused.message, refused.errors], [403, "Invalid Api Key", null]);
  assert.ok(!JSON.stringify([refused, refused.stack, String(refused)]).includes(account.key));
  const missing = await failureOf(client().messages.get("sms", "msg_1"));
  assert.deepEqual([missing.status, missing.code], [404, "not_found"]);
  for (const id of ["", "..", "a/b"])
    await assert.rejects(client().messages.get("sms", id), new TypeError("id is not the id of a message."));
});

test("a connection that breaks after the send was accepted sends nothing twice", async (t) => {
  const { url, client } = await listening(t);
  const relay = await cuttingRelay(t, url, 2);
  const trunkline = client({ url: relay.url });
  const sent = await trunkline.sms.send(contact);
  assert.equal(relay.connections(), 3);
  const messages = await all(client().messages.list("sms"));
  assert.deepEqual(
    messages.map(({ id, request_id }) => [id, request_id]),
    [[sent.contact[0]?.id, sent.request_id]],
  );
  const again = await cuttingRelay(t, url, 1);
  const mail = { email: "delivered@example.com", subject: "A file", message: "See" };
  const files = [{ filename: "note.txt", content: new TextEncoder().encode("Hi") }];
  await client({ url: again.url }).email.send(mail, { files });
  assert.equal(again.connections(), 2);
  assert.equal((await all(client().messages.list("email"))).length, 1);
});

test("after four tries without an answer the error says that none came", async (t) => {
  const { url, client } = await listening(t);
  const relay = await cuttingRelay(t, url, 9);
  const error = await failureOf(client({ url: relay.url }).sms.send(contact));
  assert.deepEqual([error.status, error.code, relay.connections()], [null, "network", 4]);
  assert.equal((await all(client().messages.list("sms"))).length, 1, "accepted, by the first of them");
});

test("a 503 is repeated until the storage is back", async (t) => {
  const { it, client } = await listening(t);
  let pauses = 0;
  const trunkline = client({
    wait: async () => {
      pauses += 1;
      if (pauses === 2) it.storageFault(null);
    },
  });
  it.storageFault("unavailable");
  await trunkline.sms.send(contact);
  assert.equal(pauses, 2);
  assert.equal((await all(trunkline.messages.list("sms"))).length, 1);
});

test("a 429 is repeated when Retry-After says", async (t) => {
  const { it, client } = await listening(t, { account: { rate_limit: { requests_per_minute: 60 } } });
  const pauses: number[] = [];
  const trunkline = client({
    wait: async (ms) => {
      pauses.push(ms);
      await it.advance(ms);
    },
  });
  for (let sent = 0; pauses.length === 0; sent++) {
    assert.ok(sent < 200, "the limit was never met");
    await trunkline.sms.send(contact);
  }
  assert.deepEqual(
    pauses.map((ms) => ms >= 1000),
    [true],
  );
});
