// What a real SMSC delivers: receipts, and messages from people.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver, inboundOf, openSession, receiptsOf, turn, until } from "./open-session.ts";

test("receipts are reported in every form, and answered with 0 even when they say nothing", async (context) => {
  const it = await openSession(context, { settings: { message_id: { answer: "hex", receipt: "dec" } } });
  it.smsc.script((_pdu, answer) => answer({ message_id: "1F" }));
  assert.deepEqual(await it.send(), { kind: "accepted", reference: "31" });
  const [session] = it.smsc.bound;
  const from = { source_addr: "4915112345678", destination_addr: "ACME" };
  const forms = [
    { esm_class: 4, short_message: "id:0000000031 sub:001 dlvrd:001 stat:DELIVRD err:000 text:" },
    { esm_class: 4, receipted_message_id: "31", message_state: 5 },
    { esm_class: 0, short_message: "id:31 stat:REJECTD err:1" },
    { esm_class: 4, short_message: "id:31 stat:UNKNOWN" },
    { esm_class: 4, data_coding: 8, short_message: Buffer.from("id:31 stat:DELIVRD", "utf16le").swap16() },
    { esm_class: 4, short_message: "id:31 stat:PERHAPS" },
    { esm_class: 4, short_message: "nothing that names a message" },
  ];
  for (const form of forms) assert.equal(await deliver(session, { ...from, ...form }), 0);
  assert.deepEqual(
    receiptsOf(it).map(({ reference, status }) => [reference, status]),
    [
      ["31", "delivered"],
      ["31", "undelivered"],
      ["31", "undelivered"],
      ["31", "delivered"],
    ],
  );
  assert.match(it.log.text(), /names no message/);
  assert.deepEqual(
    it.reports.flatMap(({ unknownWords = [] }) => unknownWords),
    ["PERHAPS"],
  );
});

test("a spelling of ids that the settings do not have is learnt, told, and kept", async (context) => {
  const state = new Map<string, string>();
  const it = await openSession(context, { state });
  let next = 0;
  it.smsc.script((_pdu, answer) => {
    next += 1;
    answer({ message_id: next.toString(16) });
  });
  const recipient = "+4915112345678";
  const references: (string | null)[] = [];
  for (let sent = 0; sent < 40; sent += 1) {
    const outcome = await it.send("hi", { recipient });
    assert.ok(outcome.kind === "accepted");
    references.push(outcome.reference);
  }
  const [session] = it.smsc.bound;
  const receipt = (id: number) => ({
    esm_class: 4,
    source_addr: "4915112345678",
    destination_addr: "ACME",
    short_message: `id:${id} stat:DELIVRD`,
  });
  for (let id = 10; id <= 20; id += 1) assert.equal(await deliver(session, receipt(id)), 0);
  assert.ok(state.size > 1, "receipts that may mean two messages are kept");
  for (let id = 21; id <= 40; id += 1) assert.equal(await deliver(session, receipt(id)), 0);
  await until(() => state.size === 1, "the spelling alone is kept");
  const settled = receiptsOf(it).map(({ reference }) => reference);
  assert.deepEqual(settled.toSorted(), references.slice(9).toSorted(), "each message once, and no other");
  const [update, ...more] = it.reports.flatMap(({ accountUpdates = [] }) => accountUpdates);
  assert.match(update?.notice ?? "", /answer: hex, receipt: dec/);
  assert.equal(more.length, 0);
  assert.match(it.log.text(), /smpp\.ids_learnt/);
  const later = await openSession(context, { state });
  later.smsc.script((_pdu, answer) => answer({ message_id: "ff" }));
  assert.deepEqual(await later.send(), { kind: "accepted", reference: "255" });
});

test("after a restart, before the spelling is known, a receipt settles its own message and no other", async (context) => {
  const state = new Map<string, string>();
  const [one, two] = ["+4915112345678", "+4915187654321"];
  const receipt = (id: string, recipient: string) => ({
    esm_class: 4,
    source_addr: recipient.slice(1),
    destination_addr: "ACME",
    short_message: `id:${id} stat:DELIVRD`,
  });
  const first = await openSession(context, { state });
  const ids = ["10", "16"];
  first.smsc.script((_pdu, answer) => answer({ message_id: ids.shift() ?? "" }));
  for (const recipient of [one, two]) assert.equal((await first.send("hi", { recipient })).kind, "accepted");
  await until(() => state.size === 2, "both are kept");

  // It answers with hexadecimal ids and reports with decimal ones: 16 is its message 10.
  const next = await openSession(context, { state });
  const [session] = next.smsc.bound;
  assert.equal(await deliver(session, receipt("16", one)), 0);
  assert.deepEqual(
    receiptsOf(next).map(({ reference }) => reference),
    ["10"],
  );
  assert.equal(await deliver(session, receipt("22", two)), 0);
  assert.equal(await deliver(session, receipt("4711", one)), 0);
  assert.deepEqual(
    receiptsOf(next).map(({ reference }) => reference),
    ["10", "16"],
    "one that names no message that is known waits",
  );
  // 4711 is 0x1267, and its answer comes after its receipt.
  next.smsc.script((_pdu, answer) => answer({ message_id: "1267" }));
  assert.equal((await next.send("hi", { recipient: one })).kind, "accepted");
  await until(() => receiptsOf(next).length === 3, "it is clear now");
  assert.equal(receiptsOf(next)[2]?.reference, "1267");
  await until(() => state.size === 1, "of all that, the spelling is kept");
});

test("with `receipts: text` the parameters of a receipt are not read", async (context) => {
  const it = await openSession(context, { settings: { receipts: "text" } });
  const fields = { source_addr: "4915112345678", destination_addr: "ACME", esm_class: 4 };
  const both = { receipted_message_id: "another", message_state: 5, short_message: "id:7 stat:DELIVRD" };
  assert.equal(await deliver(it.smsc.bound[0], { ...fields, ...both }), 0);
  assert.partialDeepStrictEqual(receiptsOf(it), [{ reference: "7", status: "delivered" }]);
});

test("a message from a person is reported with its number, once for each time it was sent", async (context) => {
  const it = await openSession(context);
  const [session] = it.smsc.bound;
  const text = {
    source_addr: "4915112345678",
    source_addr_ton: 1,
    destination_addr: "4915100000000",
    dest_addr_ton: 1,
    data_coding: 8,
    short_message: "ça va?",
  };
  assert.deepEqual([await deliver(session, text), await deliver(session, text)], [0, 0]);
  const [first, second] = inboundOf(it);
  assert.partialDeepStrictEqual(first, { from: "+4915112345678", to: "+4915100000000", message: "ça va?" });
  assert.notEqual(first?.reference, second?.reference);
});

test("parts that arrive in another session are joined, and leave nothing behind", async (context) => {
  const state = new Map<string, string>();
  const part = (number: number, text: string) => ({
    source_addr: "4915112345678",
    source_addr_ton: 1,
    destination_addr: "22333",
    esm_class: 0x40,
    short_message: { udh: Buffer.from([5, 0, 3, 9, 2, number]), message: text },
  });
  const one = await openSession(context, { state });
  assert.equal(await deliver(one.smsc.bound[0], part(2, "world")), 0);
  assert.deepEqual([inboundOf(one).length, state.size], [0, 1]);
  const two = await openSession(context, { state });
  assert.equal(await deliver(two.smsc.bound[0], part(1, "hello ")), 0);
  assert.equal(inboundOf(two)[0]?.message, "hello world");
  await until(() => state.size === 0, "nothing is kept");
});

test("while storage is slow a flood is held back, nothing is lost, and each is answered once", async (context) => {
  const it = await openSession(context, { reportsWait: true });
  const [session] = it.smsc.bound;
  const answers: Promise<number>[] = [];
  for (let number = 0; number < 3_000; number += 1)
    answers.push(
      deliver(session, {
        esm_class: 4,
        source_addr: "1",
        destination_addr: "2",
        // Of one digit or with a letter no id is that of another message in another spelling.
        short_message: `id:m${number} stat:DELIVRD`,
      }),
    );
  const answered = Promise.all(answers);
  for (let looks = 0; looks < 50; looks += 1) await turn();
  assert.equal(receiptsOf(it).length, 0);
  it.storeReports();
  assert.deepEqual(new Set(await answered), new Set([0]));
  assert.deepEqual(
    receiptsOf(it).map(({ reference }) => reference),
    Array.from({ length: 3_000 }, (_, number) => `m${number}`),
  );
});

test("a session whose state cannot be read ends, and is not silent about it", async (context) => {
  const it = await openSession(context, { state: new Map([["group/1", "no JSON"]]) });
  await until(() => it.failures.length === 1, "ended");
  assert.match(it.log.text(), /smpp\.deliveries_failed/);
});
