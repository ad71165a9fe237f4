// Parses the bytes of AWS's event streams (application/vnd.amazon.eventstream): frames with a prelude, headers, a payload and
// two checksums. Source: docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html (the frame) and
// smithy.io/2.0/aws/amazon-eventstream.html (the headers)

import { crc32 } from "node:zlib";
import type { VendorEvent } from "#providers/provider.ts";
import type { FrameReader } from "./event-reader.ts";

/** Whether a body of this type is such a stream. */
export const isAwsStream = (contentType: string): boolean =>
  /^application\/vnd\.amazon\.eventstream\b/i.test(contentType);

/** Maximum frame size, bytes: no model's answer has a longer one. */
const maxFrameBytes = 16 * 1024 * 1024;
/** Total length, length of the headers, and the checksum of both. */
const preludeBytes = 12;
const checksumBytes = 4;

/** Size in bytes of a header's value by its type; 6 and 7, bytes and text, are preceded by their length. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const textType = 7;

/**
 * An event is named by its `:event-type`; an exception is `exception:` and its `:exception-type`, and an error without its own type is
 * `error:` and its code, with the message as JSON.
 */
export class AwsEventReader implements FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes that are needed before anything can be read. */
  #needed = preludeBytes;
  #damaged = false;
  #overflowed = false;

  push(bytes: Buffer): VendorEvent[] | null {
    if (this.#overflowed) return null;
    if (this.#damaged || bytes.length === 0) return [];
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#needed) return [];
    const all = Buffer.concat(this.#pieces);
    const events: VendorEvent[] = [];
    let at = 0;
    this.#needed = preludeBytes;
    while (all.length - at >= this.#needed) {
      const total = this.#frameBytes(all.subarray(at, at + preludeBytes));
      if (total === null) return this.#overflowed && events.length === 0 ? null : events;
      if (all.length - at < total) {
        this.#needed = total;
        break;
      }
      const event = eventOf(all.subarray(at, at + total));
      if (event === null) {
        this.#damaged = true;
        return events;
      }
      events.push(event);
      at += total;
    }
    // A copy of the rest: otherwise the whole piece would be kept for it.
    this.#pieces = at === all.length ? [] : [Buffer.from(all.subarray(at))];
    this.#length = all.length - at;
    return events;
  }

  /** Such streams have no comments. */
  takeComment(): boolean {
    return false;
  }

  end(): VendorEvent[] | null {
    if (this.#overflowed) return null;
    if (this.#length > 0) this.#damaged = true;
    return [];
  }

  isDamaged(): boolean {
    return this.#damaged;
  }

  /** The length of the frame with this beginning; null if it cannot be read. */
  #frameBytes(prelude: Buffer): number | null {
    const total = prelude.readUInt32BE(0);
    const isWhole =
      crc32(prelude.subarray(0, 8)) === prelude.readUInt32BE(8) &&
      total >= preludeBytes + prelude.readUInt32BE(4) + checksumBytes;
    if (!isWhole) this.#damaged = true;
    else if (total > maxFrameBytes) this.#overflowed = true;
    return isWhole && total <= maxFrameBytes ? total : null;
  }
}

/** The event of a whole frame; null if the frame is damaged. */
function eventOf(frame: Buffer): VendorEvent | null {
  const end = frame.length - checksumBytes;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) return null;
  const payloadAt = preludeBytes + frame.readUInt32BE(4);
  const headers = headersOf(frame.subarray(preludeBytes, payloadAt));
  if (headers === null) return null;
  const data = frame.toString("utf8", payloadAt, end);
  switch (headers.get(":message-type")) {
    case "exception":
      return { event: `exception:${headers.get(":exception-type") ?? ""}`, data };
    case "error":
      return {
        event: `error:${headers.get(":error-code") ?? ""}`,
        data: JSON.stringify({ message: headers.get(":error-message") ?? "" }),
      };
    default:
      return { event: headers.get(":event-type") ?? null, data };
  }
}

/** The headers that are texts; null if they do not end where they should. */
function headersOf(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = bytes[nameEnd];
    if (type === undefined) return null;
    let valueAt = nameEnd + 1;
    let length = valueBytes[type];
    if (length === undefined) {
      if (type !== 6 && type !== textType) return null;
      if (valueAt + 2 > bytes.length) return null;
      length = bytes.readUInt16BE(valueAt);
      valueAt += 2;
    }
    if (valueAt + length > bytes.length) return null;
    if (type === textType)
      headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", valueAt, valueAt + length));
    at = valueAt + length;
  }
  return headers;
}
