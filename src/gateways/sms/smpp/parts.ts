// A text as the short messages that carry it: its encoding, its octets, and how its parts refer to each other. The number of parts is the
// one counted at acceptance: by `segments.ts`, or by `smppCounting`.

import type { z } from "zod";
import { measure } from "#contract/messages/segments.ts";
import type { PartCounting } from "#gateways/gateway.ts";
import { tag } from "./pdu.ts";
import { type SmppSettings, smppSettings } from "./settings.ts";
import { pack, toGsm, toSingleOctets, toUcs2 } from "./text.ts";

/** One part of a message: the text fields of its `submit_sm`. */
export interface Part {
  dataCoding: number;
  /** 0x40: the text begins with a user data header. */
  esmClass: number;
  text: Buffer;
  tlvs: readonly (readonly [tag: number, value: Buffer])[];
}

/** A part's number is one octet. */
export const maxParts = 255;
/** Octets of a short message. A header takes six octets of them, or seven with a 16-bit reference. */
const messageOctets = 140;
const userDataHeader = 0x40;

interface Encoded {
  dataCoding: number;
  /** Septets if `isGsm`, otherwise octets; at most as many as a short message holds. */
  pieces: readonly Buffer[];
  isGsm: boolean;
}

/** `reference`: identifies the parts of one message. Null if there would be more than 255 parts. */
export function partsOf(text: string, settings: SmppSettings, reference: number): Part[] | null {
  const { dataCoding, pieces, isGsm } = encode(text, settings);
  if (pieces.length > maxParts) return null;
  const packed = (octets: Buffer, headerBytes: number) =>
    isGsm && settings.packed ? pack(octets, (7 - ((headerBytes * 8) % 7)) % 7) : octets;
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1)
    return [{ dataCoding, esmClass: 0, text: packed(only, 0), tlvs: [] }];
  if (settings.long === "payload") {
    const payload = packed(Buffer.concat(pieces), 0);
    return [{ dataCoding, esmClass: 0, text: Buffer.alloc(0), tlvs: [[tag.messagePayload, payload]] }];
  }
  return pieces.map((piece, at): Part => {
    const number = at + 1;
    if (settings.long === "sar") {
      const tlvs = [
        [tag.sarReference, Buffer.from([(reference >> 8) & 0xff, reference & 0xff])],
        [tag.sarTotal, Buffer.from([pieces.length])],
        [tag.sarNumber, Buffer.from([number])],
      ] as const;
      return { dataCoding, esmClass: 0, text: packed(piece, 0), tlvs };
    }
    const header =
      settings.long === "udh16"
        ? [6, 0x08, 4, (reference >> 8) & 0xff, reference & 0xff, pieces.length, number]
        : [5, 0x00, 3, reference & 0xff, pieces.length, number];
    const octets = Buffer.concat([Buffer.from(header), packed(piece, header.length)]);
    return { dataCoding, esmClass: userDataHeader, text: octets, tlvs: [] };
  });
}

/** Settings that determine how many parts a text has. */
const counted = smppSettings.pick({ default_alphabet: true, long: true, data_coding: true });
type Counted = z.output<typeof counted>;

/** How acceptance counts the parts of a text if the SMSC does not use GSM and UCS-2 with 8-bit references. */
export const smppCounting: PartCounting = {
  of(settings) {
    const { default_alphabet, long, data_coding } = settings as Record<keyof Counted, unknown>;
    const read = counted.safeParse({ default_alphabet, long, data_coding }).data;
    if (read === undefined) return null;
    const isUsual =
      read.default_alphabet === "gsm7" && read.long !== "udh16" && read.data_coding.latin1 === null;
    return isUsual ? null : JSON.stringify(read);
  },
  parts: (text, counting) => encode(text, JSON.parse(counting) as Counted).pieces.length,
};

/** The smallest encoding that the SMSC accepts. Text outside the GSM alphabet is Latin-1 only if the settings say so. */
function encode(text: string, settings: Counted): Encoded {
  const { gsm7, latin1, ucs2 } = settings.data_coding;
  const { default_alphabet: alphabet, long } = settings;
  if (alphabet === "gsm7") {
    if (measure(text).encoding === "gsm7") {
      // 152 septets remain after a header of seven octets, 153 after one of six.
      const pieces = cutGsm(text, long === "udh16" ? 152 : 153);
      return { dataCoding: gsm7, pieces, isGsm: true };
    }
  } else {
    const octets = toSingleOctets(text, alphabet);
    if (octets !== null) return { dataCoding: gsm7, pieces: cut(octets, long), isGsm: false };
  }
  const octets = latin1 === null ? null : toSingleOctets(text, "latin1");
  if (latin1 !== null && octets !== null) {
    return { dataCoding: latin1, pieces: cut(octets, long), isGsm: false };
  }
  return { dataCoding: ucs2, pieces: cutUcs2(text, long === "udh16" ? 66 : 67), isGsm: false };
}

function cut(octets: Buffer, long: SmppSettings["long"]): Buffer[] {
  if (octets.length <= messageOctets) return [octets];
  const room = messageOctets - (long === "udh16" ? 7 : 6);
  const pieces: Buffer[] = [];
  for (let at = 0; at < octets.length; at += room) pieces.push(octets.subarray(at, at + room));
  return pieces;
}

/** Cut so that no escape sequence is split. */
function cutGsm(text: string, room: number): Buffer[] {
  const octets = toGsm(text) ?? Buffer.alloc(0);
  if (octets.length <= 160) return [octets];
  const pieces: Buffer[] = [];
  for (let at = 0; at < octets.length; ) {
    let end = Math.min(octets.length, at + room);
    if (end < octets.length && octets[end - 1] === 0x1b) end -= 1;
    pieces.push(octets.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** Cut so that no surrogate pair is split. */
function cutUcs2(text: string, room: number): Buffer[] {
  if (text.length <= 70) return [toUcs2(text)];
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + room);
    const before = text.charCodeAt(end - 1);
    if (end < text.length && before >= 0xd800 && before <= 0xdbff) end -= 1;
    pieces.push(toUcs2(text.slice(at, end)));
    at = end;
  }
  return pieces;
}
