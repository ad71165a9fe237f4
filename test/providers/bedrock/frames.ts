// Events as frames of AWS's event streams, written down independently of what reads them: the checksum too.

import type { VendorEvent } from "#providers/provider.ts";

/** CRC-32 of ISO-HDLC, bit by bit. */
function checksum(bytes: Buffer): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return uint32((crc ^ 0xffffffff) >>> 0);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function textHeader(name: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(7, bytes.length >> 8, bytes.length & 255),
    bytes,
  ]);
}

/** One frame around these headers, which are bytes already, and this payload. */
export function frame(headers: Buffer, payload: Buffer): Buffer {
  const lengths = Buffer.concat([uint32(16 + headers.length + payload.length), uint32(headers.length)]);
  const body = Buffer.concat([lengths, checksum(lengths), headers, payload]);
  return Buffer.concat([body, checksum(body)]);
}

/** The frame of an event: `exception:` and `error:` in its name are what AWS has as a type of message. */
export function frameOf({ event, data }: VendorEvent): Buffer {
  const [, kind = "event", name = ""] = /^(?:(exception|error):)?(.*)$/s.exec(event ?? "") ?? [];
  const headers =
    kind === "error"
      ? [
          textHeader(":error-code", name),
          textHeader(":error-message", (JSON.parse(data) as { message: string }).message),
        ]
      : [textHeader(`:${kind}-type`, name), textHeader(":content-type", "application/json")];
  return frame(
    Buffer.concat([...headers, textHeader(":message-type", kind)]),
    Buffer.from(kind === "error" ? "" : data),
  );
}
