// What goes over the wire to a real SMSC, and what became of each message.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "#gateways/outcome.ts";
import { openSession, receiptsOf, until } from "./open-session.ts";
import { type SmscPdu, textOf } from "./smsc.ts";

test("a text goes as one PDU, to the letter", async (context) => {
  const settings = { source: { addr: "ACME" }, validity_s: 90_061, service_type: "CMT" };
  const it = await openSession(context, { settings });
  assert.deepEqual(await it.send("Grüße @_[€]"), { kind: "accepted", reference: "id1" });
  const [pdu] = it.smsc.submitted;
  assert.equal(textOf(pdu as SmscPdu), "Grüße @_[€]");
  const fields = {
    service_type: "CMT",
    source_addr: "ACME",
    source_addr_ton: 5,
    source_addr_npi: 0,
    destination_addr: "4915112345678",
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    esm_class: 0,
    registered_delivery: 1,
    data_coding: 0,
  };
  for (const [name, value] of Object.entries(fields)) assert.equal(pdu?.[name], value, name);
  const [bind] = it.smsc.binds;
  assert.deepEqual(
    [bind?.command, bind?.system_id, bind?.interface_version],
    ["bind_transceiver", "acme", 0x34],
  );
});

test("what the GSM alphabet lacks goes as UCS-2", async (context) => {
  const it = await openSession(context);
  await it.send("ça va 🎉");
  assert.equal(it.smsc.submitted[0]?.data_coding, 8);
  assert.equal(textOf(it.smsc.submitted[0] as SmscPdu), "ça va 🎉");
});

test("senders are typed by their form, and short codes as recipients have no type", async (context) => {
  for (const [addr, ton, npi, sent] of [
    ["+4915100000000", 1, 1, "4915100000000"],
    ["4915100000000", 1, 1, "4915100000000"],
    ["12345", 3, 0, "12345"],
    ["ACME Inc", 5, 0, "ACME Inc"],
  ] as const) {
    const it = await openSession(context, { settings: { source: { addr } } });
    await it.send("hi", { recipient: "22333" });
    const [pdu] = it.smsc.submitted;
    assert.deepEqual([pdu?.source_addr_ton, pdu?.source_addr_npi, pdu?.source_addr], [ton, npi, sent]);
    assert.deepEqual([pdu?.dest_addr_ton, pdu?.destination_addr], [0, "22333"]);
  }
});

test("a long text goes in parts with one reference, and counts references", async (context) => {
  const it = await openSession(context);
  const text = "ab".repeat(200);
  assert.deepEqual(await it.send(text), {
    kind: "accepted",
    reference: "id1",
    parts: { references: ["id1", "id2", "id3"], each: true },
  });
  await it.send(text);
  const udhs = it.smsc.submitted.map(
    (pdu) => (pdu.short_message as { udh: Buffer[] }).udh[0]?.toString("hex") ?? "",
  );
  assert.equal(it.smsc.submitted.map(textOf).slice(0, 3).join(""), text);
  const [first, second, third, fourth] = udhs.map((udh) => [udh.slice(0, 4), udh.slice(4, 6), udh.slice(6)]);
  assert.deepEqual([first?.[0], first?.[2], second?.[2], third?.[2]], ["0003", "0301", "0302", "0303"]);
  assert.equal(second?.[1], first?.[1]);
  assert.notEqual(fourth?.[1], first?.[1]);
});

test("an SMSC that reports once for all is not asked for every part", async (context) => {
  const it = await openSession(context, { settings: { receipts_per: "message", long: "sar" } });
  const outcome = await it.send("x".repeat(200));
  assert.deepEqual(outcome, {
    kind: "accepted",
    reference: "id1",
    parts: { references: ["id1", "id2"], each: false },
  });
  assert.deepEqual(
    it.smsc.submitted.map((pdu) => [pdu.sar_total_segments, pdu.sar_segment_seqnum]),
    [
      [2, 1],
      [2, 2],
    ],
  );
});

for (const [code, attempt, expected] of [
  [0x0b, 1, { kind: "rejected", code: "smpp.0x0B" }],
  [0x0a, 1, { kind: "deferred", gatewayFault: "refused" }],
  [0x08, 1, { kind: "deferred" }],
  [0xff, 1, { kind: "deferred" }],
  [0xff, 3, { kind: "rejected" }],
  [0x411, 1, { kind: "rejected", mayBeGatewayFault: true }],
  [0x410, 1, { kind: "deferred", gatewayFault: "refused" }],
] as const) {
  test(`status 0x${code.toString(16)} at attempt ${attempt}: ${JSON.stringify(expected)}`, async (context) => {
    const it = await openSession(context, {
      smsc: { onSubmit: (_pdu, answer) => answer({ command_status: code }) },
      settings: { codes: { "0x0410": "gateway" } },
    });
    const outcome = await it.send("hi", { attempt });
    assert.partialDeepStrictEqual(outcome, expected);
    for (const field of ["gatewayFault", "mayBeGatewayFault"])
      assert.equal(field in outcome, field in expected);
  });
}

test("a throttled message is submitted again, before those behind it", async (context) => {
  let throttle = true;
  const it = await openSession(context, {
    settings: { window: 1 },
    smsc: {
      onSubmit: (pdu, answer) => {
        if (!throttle) return answer({ message_id: textOf(pdu) });
        throttle = false;
        answer({ command_status: 0x58 });
      },
    },
  });
  const sending = [it.send("one"), it.send("two"), it.send("three")];
  await until(() => it.smsc.submitted.length === 1, "refused");
  await it.clock.advance(999);
  assert.equal(it.smsc.submitted.length, 1);
  await it.later(() => it.smsc.submitted.length === 4, "all submitted");
  const outcomes = await Promise.all(sending);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["accepted", "accepted", "accepted"],
  );
  assert.deepEqual(it.smsc.submitted.map(textOf), ["one", "one", "two", "three"]);
});

test("an SMSC that throttles for ever gets the message later", async (context) => {
  const it = await openSession(context, {
    smsc: { onSubmit: (_pdu, answer) => answer({ command_status: 0x14 }) },
  });
  let outcome: Outcome | null = null;
  void it.send().then((result) => {
    outcome = result;
  });
  await it.later(() => outcome !== null, "an outcome");
  assert.partialDeepStrictEqual(outcome, { kind: "deferred", code: "smpp.0x14" });
});

test("a part that is refused after others were taken is not repeated as a whole", async (context) => {
  let parts = 0;
  const it = await openSession(context, {
    smsc: {
      onSubmit: (_pdu, answer) => {
        parts += 1;
        if (parts < 3) answer({ message_id: `p${parts}` });
        else answer({ command_status: 0x0b });
      },
    },
  });
  assert.partialDeepStrictEqual(await it.send("x".repeat(400)), {
    kind: "accepted",
    reference: "p1",
    parts: { references: ["p1", "p2"], each: true },
    receipt: { status: "undelivered", code: "partial" },
  });
});

for (const [receipts_per, each] of [
  ["part", true],
  ["message", false],
] as const) {
  test(`a part in doubt leaves the references of those that were taken, receipts per ${receipts_per}`, async (context) => {
    let parts = 0;
    const it = await openSession(context, {
      settings: { receipts_per },
      smsc: {
        onSubmit: (_pdu, answer) => {
          parts += 1;
          if (parts < 3) answer({ message_id: `p${parts}` });
        },
      },
    });
    const sending = it.send("x".repeat(400));
    await until(() => it.smsc.submitted.length === 3, "submitted");
    it.smsc.bound[0]?.socket.destroy();
    assert.partialDeepStrictEqual(await sending, {
      kind: "unknown",
      code: "connection_lost",
      parts: { references: ["p1", "p2"], each, of: 3 },
    });
  });
}

test("without an answer it is unknown, and a late answer settles it", async (context) => {
  let late: (() => void) | null = null;
  const it = await openSession(context, {
    smsc: {
      onSubmit: (_pdu, answer) => {
        late = () => answer({ message_id: "late" });
      },
    },
  });
  let outcome: Outcome | null = null;
  void it.send().then((result) => {
    outcome = result;
  });
  await until(() => late !== null, "submitted");
  await it.later(() => outcome !== null, "an outcome");
  assert.partialDeepStrictEqual(outcome, { kind: "unknown", code: "timeout" });
  (late as (() => void) | null)?.();
  await until(() => receiptsOf(it).length === 1, "settled");
  assert.deepEqual(receiptsOf(it), [{ reference: "late", messageId: "msg_01test", status: "sent" }]);
  await until(() => it.late.length > 0, "the lane knows");
  assert.deepEqual(it.late, ["msg_01test"]);
});

test("what was written when the connection went is unknown; what was not is not sent", async (context) => {
  const it = await openSession(context, { settings: { window: 1 }, smsc: { onSubmit: () => {} } });
  const written = it.send("written");
  const waiting = it.send("waiting");
  await until(() => it.smsc.submitted.length === 1, "submitted");
  it.smsc.bound[0]?.socket.destroy();
  assert.partialDeepStrictEqual(await written, { kind: "unknown", code: "connection_lost" });
  assert.partialDeepStrictEqual(await waiting, { kind: "deferred", gatewayFault: "unreachable" });
  assert.notEqual(it.statuses.at(-1)?.kind, "connected");
  it.smsc.script((_pdu, answer) => answer({ message_id: "again" }));
  await it.later(() => it.statuses.at(-1)?.kind === "connected", "connected again");
  assert.deepEqual(await it.send(), { kind: "accepted", reference: "again" });
});
