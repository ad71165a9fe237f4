// Received messages of several parts, which come in any order and on any connection. Parts are kept with the session's state
// until all are there or an hour is over. References are small numbers that soon come again, and some senders have one for all
// their messages. The same part number with another text is therefore the part of another message:
// - When every number has come equally often, the first ones of each are the first message, the second ones the second.
// - When the overlapping parts are followed by none for ten seconds, and the latest of each number make a whole message, they are one, and the
//   earlier messages lack what never came.

import { createHash } from "node:crypto";
import { type Delivery, tag } from "./pdu.ts";

/** A part's position in its message. */
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
  /** The same if its last part arrives again. */
  reference: string;
  /** Values of the state to remove once the message is stored. */
  keys: readonly string[];
}

/** Parts wait this long for the others, ms. Later ones with the same reference belong to another message. */
const waitMs = 3_600_000;
/** If messages overlap under one reference, their parts are awaited this long after the latest, ms. */
export const overlapMs = 10_000;
/** Messages that may overlap under one reference. Beyond it, the oldest is delivered incomplete. */
const maxOverlapping = 16;
/** Beyond this many parts, the oldest messages are delivered incomplete. */
const maxStoredParts = 5_000;
/** Joined messages that are remembered, because a part of them may arrive again. */
const maxRemembered = 1_000;
const userDataHeader = 0x40;

/** The user data header of a delivery, and the position that it or the parameters give; null for a message of one part. */
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
  /** Its position in the order of arrival; absent if an older release stored it. */
  order?: number;
}

/** A part and its key in the state. */
type KeptPart = StoredPart & { key: string };

export class JoiningMessages {
  /** By reference, people and number of parts: the existing parts, in the order of arrival. */
  readonly #groups = new Map<string, KeptPart[]>();
  /** Parts of messages that were joined, and when. */
  readonly #joined = new Map<string, number>();
  #storedParts = 0;
  #order = 0;

  /** The values that an earlier session stored. */
  static load(state: ReadonlyMap<string, string>): JoiningMessages {
    const joining = new JoiningMessages();
    const parts = [...state].map(([key, value]): KeptPart => ({ ...(JSON.parse(value) as StoredPart), key }));
    parts.sort((one, other) => one.at - other.at || (one.order ?? 0) - (other.order ?? 0));
    for (const part of parts) joining.#keep(part.key.slice(0, part.key.lastIndexOf("/")), part);
    joining.#order = Math.max(0, ...parts.map(({ order = 0 }) => order));
    return joining;
  }

  /**
   * Adds a part. `joined`: messages that are complete, or whose time is over; `stored`: what has to be stored before the part is
   * acknowledged. Without `stored`, the part completed a message, or is a repetition.
   */
  add(part: ReceivedPart, place: PartOf, at: number): { joined: JoinedMessage[]; stored?: [string, string] } {
    const group = groupOf(part, place);
    const key = `${group}/${partKey(group, place.number, part.text)}`;
    const joined = this.#takeLate(group, at);
    const isRepeat = this.#groups
      .get(group)
      ?.some(({ number, text }) => number === place.number && text === part.text);
    if (isRepeat || at - (this.#joined.get(key) ?? Number.NEGATIVE_INFINITY) < waitMs) return { joined };
    this.#order += 1;
    const stored: StoredPart = { ...part, ...place, at, order: this.#order };
    this.#keep(group, { ...stored, key });
    const messages = this.#messagesOf(group);
    if (messages.every((message) => message.length === place.total))
      return { joined: [...joined, ...messages.map((message) => this.#take(group, message))] };
    if (messages.length > maxOverlapping) joined.push(this.#take(group, messages[0] ?? []));
    return { joined, stored: [key, JSON.stringify(stored)] };
  }

  /** Messages whose other parts will not arrive: they are late, belong to an earlier message, or too many wait. */
  overdue(now: number): JoinedMessage[] {
    const messages: JoinedMessage[] = [];
    for (const group of [...this.#groups.keys()]) {
      const mustGo = this.#storedParts > maxStoredParts || this.#isSettled(group, now);
      if (mustGo) messages.push(...this.#messagesOf(group).map((message) => this.#take(group, message)));
      else messages.push(...this.#takeLate(group, now));
    }
    return messages;
  }

  /** Whether messages overlap under one reference: they may be overdue after `overlapMs`. */
  get areOverlapping(): boolean {
    return [...this.#groups].some(([group, parts]) => parts.length > 1 && this.#messagesOf(group).length > 1);
  }

  /** Whether the latest of several messages is complete, and no more of their parts can be expected. */
  #isSettled(group: string, now: number): boolean {
    const messages = this.#messagesOf(group);
    const latestAt = this.#groups.get(group)?.at(-1)?.at ?? now;
    const latest = messages.at(-1) ?? [];
    return messages.length > 1 && latest.length === latest[0]?.total && now - latestAt >= overlapMs;
  }

  /** The messages of a group, the latest of each number in the last. */
  #messagesOf(group: string): KeptPart[][] {
    const messages: KeptPart[][] = [];
    const counts = new Map<number, number>();
    for (const part of (this.#groups.get(group) ?? []).toReversed()) {
      const count = counts.get(part.number) ?? 0;
      counts.set(part.number, count + 1);
      const message = messages[count] ?? [];
      message.push(part);
      messages[count] = message;
    }
    return messages.reverse();
  }

  #takeLate(group: string, now: number): JoinedMessage[] {
    const late = this.#messagesOf(group).filter((message) => message.some(({ at }) => now - at >= waitMs));
    return late.map((message) => this.#take(group, message));
  }

  #take(group: string, message: readonly KeptPart[]): JoinedMessage {
    const rest = (this.#groups.get(group) ?? []).filter((part) => !message.includes(part));
    if (rest.length > 0) this.#groups.set(group, rest);
    else this.#groups.delete(group);
    this.#storedParts -= message.length;
    for (const { key, at } of message) {
      this.#joined.delete(key);
      this.#joined.set(key, at);
      if (this.#joined.size > maxRemembered) {
        const [oldest] = this.#joined.keys();
        if (oldest !== undefined) this.#joined.delete(oldest);
      }
    }
    return joinedOf(group, message);
  }

  #keep(group: string, part: KeptPart): void {
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), part]);
    this.#storedParts += 1;
  }
}

const digest = (values: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22);

const groupOf = ({ from, to }: ReceivedPart, { reference, total }: PartOf) =>
  digest([from, to, reference, total]);

const partKey = (group: string, number: number, text: string) => digest([group, number, text]);

/** In order; a missing part is marked. */
function joinedOf(group: string, message: readonly KeptPart[]): JoinedMessage {
  const parts = new Map(message.map((part) => [part.number, part]));
  const { from = "", to = "", total = 0 } = message[0] ?? {};
  let text = "";
  for (let number = 1; number <= total; number += 1)
    text += parts.get(number)?.text ?? `[part ${number} of ${total} is missing]`;
  // References of 8 bits are soon reused, so the time is part of it.
  const at = Math.min(...message.map((part) => part.at));
  return { from, to, text, reference: digest([group, at, text]), keys: message.map(({ key }) => key) };
}
