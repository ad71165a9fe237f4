// PDUs as bytes, read by another implementation, and read from streams that are cut anywhere.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  command,
  decodeDelivery,
  decodeSubmitResponse,
  encodePdu,
  encodeSubmit,
  MalformedPdu,
  PduReader,
  UnreadableStream,
} from "#gateways/sms/smpp/pdu.ts";
import { smppPackage } from "./smsc.ts";

test("a stream is cut into the same PDUs wherever its chunks end", () => {
  const pdus = [
    encodePdu(command.enquireLink, 0, 1),
    encodePdu(command.deliverSm, 0, 2, Buffer.alloc(300, 7)),
    encodePdu(0x80000004, 0x58, 3, Buffer.from("id\0")),
  ];
  const stream = Buffer.concat(pdus);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length })), (cuts) => {
      const ends = [...new Set([...cuts, stream.length])].sort((a, b) => a - b);
      const reader = new PduReader();
      const read = ends.flatMap((end, at) => reader.push(stream.subarray(ends[at - 1] ?? 0, end)));
      assert.deepEqual(
        read.map(({ command: id, status, sequence, body }) => [id, status, sequence, body.length]),
        [
          [0x15, 0, 1, 0],
          [5, 0, 2, 300],
          [0x80000004, 0x58, 3, 3],
        ],
      );
    }),
  );
});

test("a length that no PDU has ends the stream", () => {
  for (const length of [0, 15, 70_001, 0xffffffff]) {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length);
    assert.throws(() => new PduReader().push(bytes), UnreadableStream);
  }
});

test("a delivery is read as another implementation writes it", () => {
  const pdu = new smppPackage.PDU("deliver_sm", {
    source_addr: "4915112345678",
    source_addr_ton: 1,
    destination_addr: "ACME",
    dest_addr_ton: 5,
    esm_class: 4,
    data_coding: 3,
    short_message: Buffer.from("id:1 stat:DELIVRD"),
    receipted_message_id: "7f",
    message_state: 2,
  });
  const [read] = new PduReader().push(pdu.toBuffer());
  assert.ok(read);
  const { source, destination, esmClass, dataCoding, text, tlvs } = decodeDelivery(read);
  assert.deepEqual(
    [source.addr, source.ton, destination.addr, destination.ton],
    ["4915112345678", 1, "ACME", 5],
  );
  assert.deepEqual(
    [esmClass, dataCoding, text.toString(), tlvs.get(0x427)?.[0]],
    [4, 3, "id:1 stat:DELIVRD", 2],
  );
});

test("no bytes make it do anything but read or refuse", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(command.deliverSm, command.dataSm),
      (bytes, id) => {
        for (const read of [
          () => decodeDelivery({ command: id, status: 0, sequence: 1, body: Buffer.from(bytes) }),
          () => decodeSubmitResponse(Buffer.from(bytes)),
        ]) {
          try {
            read();
          } catch (error) {
            assert.ok(error instanceof MalformedPdu);
          }
        }
      },
    ),
  );
});

test("an answer without an id, and one without a body, are answers", () => {
  assert.deepEqual(decodeSubmitResponse(Buffer.alloc(0)), { messageId: null, congestion: null });
  assert.deepEqual(decodeSubmitResponse(Buffer.from("\0")), { messageId: null, congestion: null });
  const busy = Buffer.concat([Buffer.from("7f\0"), Buffer.from([0x04, 0x28, 0, 1, 95])]);
  assert.deepEqual(decodeSubmitResponse(busy), { messageId: "7f", congestion: 95 });
});

test("strings of a submit are as long as they say", () => {
  const body = encodeSubmit({
    serviceType: "",
    source: { ton: 5, npi: 0, addr: "ACME" },
    destination: { ton: 1, npi: 1, addr: "4915112345678" },
    esmClass: 0,
    protocolId: 0,
    validity: "",
    registeredDelivery: 1,
    dataCoding: 0,
    text: Buffer.from("hi"),
    tlvs: [[0x1400, Buffer.from("77")]],
  });
  const expected =
    "000500" +
    Buffer.from("ACME\0").toString("hex") +
    "0101" +
    Buffer.from("4915112345678\0").toString("hex");
  assert.equal(body.toString("hex"), `${expected}0000000000010000000268691400000237${"37"}`);
});
