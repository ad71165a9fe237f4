// Received messages of several parts, which come in any order, on any connection and hours apart. Parts are kept with the
// session's state until all are there or a day is over.

import { createHash } from "node:crypto";
import { type Delivery, tag } from "./pdu.ts";

/** A part's place in its message. */
interface PartOf {
  reference: number;
  total: number;
  number: number;
}

/** A received text and who wrote it to whom. */
interface ReceivedPart {
  from: string;
  to: string;
  text: string;
}

export interface JoinedMessage extends ReceivedPart {
  /** The same when its last part comes again. */
  reference: string;
}

/** Parts wait this long for the others, ms. */
const waitMs = 24 * 3_600_000;
/** Beyond so many parts, the oldest messages go as they are. */
const maxStoredParts = 5_000;
/** Joined messages that are remembered, because a part of them may come again. */
const maxRemembered = 1_000;
const userDataHeader = 0x40;

/** The user data header of a delivery, and the place that it or the parameters name; null: it is a message of one part. */
export function splitHeader({ esmClass, text, tlvs }: Delivery): {
  place: PartOf | null;
  octets: Buffer;
  headerBytes: number;
} {
  const headerBytes = (esmClass & userDataHeader) === 0 || text.length === 0 ? 0 : (text[0] ?? 0) + 1;
  const octets = text.subarray(Math.min(headerBytes, text.length));
  const named = headerBytes === 0 ? sarPlace(tlvs) : headerPlace(text.subarray(1, headerBytes));
  const isPlace = named !== null && named.total > 1 && named.number >= 1 && named.number <= named.total;
  return { place: isPlace ? named : null, octets, headerBytes };
}

/** Information elements 0 and 8 (TS 23.040, 9.2.3.24.1 and .8). */
function headerPlace(elements: Buffer): PartOf | null {
  for (let at = 0; at + 2 <= elements.length; at += 2 + (elements[at + 1] ?? 0)) {
    const value = elements.subarray(at + 2, at + 2 + (elements[at + 1] ?? 0));
    if (elements[at] === 0x00 && value.length === 3)
      return { reference: value[0] ?? 0, total: value[1] ?? 0, number: value[2] ?? 0 };
    if (elements[at] === 0x08 && value.length === 4)
      return { reference: value.readUInt16BE(0), total: value[2] ?? 0, number: value[3] ?? 0 };
  }
  return null;
}

function sarPlace(tlvs: Delivery["tlvs"]): PartOf | null {
  const reference = tlvs.get(tag.sarReference);
  const total = tlvs.get(tag.sarTotal)?.[0];
  const number = tlvs.get(tag.sarNumber)?.[0];
  if (reference?.length !== 2 || total === undefined || number === undefined) return null;
  return { reference: reference.readUInt16BE(0), total, number };
}

interface StoredPart extends ReceivedPart, PartOf {
  /** Epoch ms of its arrival. */
  at: number;
}

interface Incomplete {
  at: number;
  total: number;
  parts: Map<number, StoredPart>;
}

export class JoiningMessages {
  readonly #incomplete = new Map<string, Incomplete>();
  readonly #joined = new Set<string>();
  #storedParts = 0;

  /** What an earlier session kept. */
  static load(state: ReadonlyMap<string, string>): JoiningMessages {
    const joining = new JoiningMessages();
    for (const [key, value] of state) {
      const part: StoredPart = JSON.parse(value);
      joining.#keep(key.slice(0, key.lastIndexOf("/")), part);
    }
    return joining;
  }

  /**
   * Takes a part. `joined`: its message is complete; `stored`: what has to be stored before the part is acknowledged.
   * Neither: the part has come before.
   */
  add(part: ReceivedPart, place: PartOf, at: number): { joined?: JoinedMessage; stored?: [string, string] } {
    const group = groupOf(part, place);
    const known = this.#incomplete.get(group);
    if (known?.parts.has(place.number) || this.#joined.has(partKey(group, place.number, part.text)))
      return {};
    const stored: StoredPart = { ...part, ...place, at };
    const incomplete = this.#keep(group, stored);
    if (incomplete.parts.size === place.total) return { joined: joinedOf(group, incomplete) };
    return { stored: [`${group}/${place.number}`, JSON.stringify(stored)] };
  }

  /** Messages whose other parts are not coming: they are late, or too many wait. */
  overdue(now: number): JoinedMessage[] {
    const messages: JoinedMessage[] = [];
    let parts = this.#storedParts;
    for (const [group, incomplete] of this.#incomplete) {
      if (now - incomplete.at < waitMs && parts <= maxStoredParts) break;
      parts -= incomplete.parts.size;
      messages.push(joinedOf(group, incomplete));
    }
    return messages;
  }

  /** A joined message was stored: forgets its parts. Returns what has to be removed from the state. */
  forget({ reference }: JoinedMessage): string[] {
    const group = reference.slice(0, reference.indexOf("."));
    const incomplete = this.#incomplete.get(group);
    if (incomplete === undefined) return [];
    this.#incomplete.delete(group);
    this.#storedParts -= incomplete.parts.size;
    for (const { number, text } of incomplete.parts.values()) {
      this.#joined.add(partKey(group, number, text));
      if (this.#joined.size > maxRemembered) {
        const [oldest] = this.#joined;
        if (oldest !== undefined) this.#joined.delete(oldest);
      }
    }
    return [...incomplete.parts.keys()].map((number) => `${group}/${number}`);
  }

  #keep(group: string, part: StoredPart): Incomplete {
    const incomplete = this.#incomplete.get(group) ?? { at: part.at, total: part.total, parts: new Map() };
    this.#incomplete.set(group, incomplete);
    incomplete.parts.set(part.number, part);
    this.#storedParts += 1;
    return incomplete;
  }
}

const digest = (values: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22);

const groupOf = ({ from, to }: ReceivedPart, { reference, total }: PartOf) =>
  digest([from, to, reference, total]);

const partKey = (group: string, number: number, text: string) => digest([group, number, text]);

/** In order; a part that never came is named. */
function joinedOf(group: string, { at, total, parts }: Incomplete): JoinedMessage {
  const [first] = parts.values();
  let text = "";
  for (let number = 1; number <= total; number += 1)
    text += parts.get(number)?.text ?? `[part ${number} of ${total} is missing]`;
  // References of 8 bits come again soon, so the time belongs to it.
  return { from: first?.from ?? "", to: first?.to ?? "", text, reference: `${group}.${at}` };
}
