// How an SMSC formats message ids in its answers and in its receipts. Some answer with hexadecimal ids and report with decimal ones, and
// then an id of digits only is also the id of another message. The settings say which; if they are wrong, this learns it from receipts that
// match both a message of this session and its recipient.

import { canonicalId, type IdFormat } from "./receipt.ts";

export interface IdFormats {
  answer: IdFormat;
  receipt: IdFormat;
}

/** A message, or a part of one, that the SMSC accepted. */
interface Taken {
  id: string;
  reference: string;
  recipient: string;
}

/**
 * What a receipt's id means.
 * - `reference`: the message with this reference
 * - `held`: one of several messages, or one to another recipient; it is clear once the spelling is. `isAbsent`: no message is known that
 *   it could mean, and read as the settings say it might name another one; it may be clear once more messages are known
 */
type Meaning = { kind: "reference"; reference: string } | { kind: "held"; isAbsent: boolean };

/** Messages that receipts are compared with. */
const maxTaken = 5_000;
/** The format is known when one has this many points, and four times as many as each of the others. */
const enoughPoints = 60;
const fullPoints = 20;
/** For a receipt that names a message to another recipient: some SMSCs write other addresses into receipts. */
const weakPoints = 3;
/** Trailing digits that two notations of a number have in common. */
const commonDigits = 6;

const others: readonly IdFormats[] = [
  { answer: "hex", receipt: "dec" },
  { answer: "dec", receipt: "hex" },
  { answer: "as-is", receipt: "as-is" },
];
/**
 * With leading zeros or capitals in one place and without them in the other. Compared if no other format matches a message to the
 * recipient.
 */
const lenient: IdFormats = { answer: "lenient", receipt: "lenient" };

const nameOf = ({ answer, receipt }: IdFormats) => `${answer}/${receipt}`;

export class IdSpelling {
  readonly #configured: IdFormats;
  #known: IdFormats | null = null;
  readonly #taken: Taken[] = [];
  /** By format: the messages by the id that a receipt would use. */
  readonly #byName = new Map<IdFormats, Map<string, Taken>>();
  /** By lenient id: two ids may differ only in zeros or capitals. */
  readonly #byLenientName = new Map<string, Taken[]>();
  readonly #points = new Map<IdFormats, number>();

  constructor(configured: IdFormats) {
    this.#configured = configured;
    for (const candidate of [configured, ...others.filter((other) => nameOf(other) !== nameOf(configured))])
      this.#byName.set(candidate, new Map());
  }

  /** `stored`: `stored` of an earlier session. Knowledge learned under other settings is dropped. */
  restore(stored: string): void {
    const [settings, learnt] = stored.split(" ");
    if (settings !== nameOf(this.#configured)) return;
    for (const candidate of [...this.#byName.keys(), lenient])
      if (nameOf(candidate) === learnt) this.#known = candidate;
  }

  /** The format, if it differs from the settings; null if it does not, or is unknown. */
  get learnt(): IdFormats | null {
    return this.#known === this.#configured ? null : this.#known;
  }

  /** Whether receipts have shown the format. */
  get isKnown(): boolean {
    return this.#known !== null;
  }

  /** The settings, for what is kept of messages: under others they have other references. */
  get settings(): string {
    return nameOf(this.#configured);
  }

  /** For `restore`; null if it is unknown. */
  get stored(): string | null {
    return this.#known === null ? null : `${nameOf(this.#configured)} ${nameOf(this.#known)}`;
  }

  /** The SMSC accepted a message. Returns the reference by which its receipts find it. */
  taken(id: string, recipient: string): string {
    const { answer } = this.#known ?? this.#configured;
    const reference = canonicalId(id, answer);
    // If ids are the same in both places, those of a later day may have leading zeros.
    if (this.#known !== null && answer !== "as-is") return reference;
    const taken: Taken = { id, reference, recipient };
    for (const [candidate, byName] of this.#byName) byName.set(canonicalId(id, candidate.answer), taken);
    const name = canonicalId(id, "lenient");
    this.#byLenientName.set(name, [...(this.#byLenientName.get(name) ?? []), taken]);
    this.#taken.push(taken);
    if (this.#taken.length > maxTaken) this.#forget(this.#taken.shift());
    return reference;
  }

  /** `addresses`: the receipt's source and destination. */
  read(id: string, addresses: readonly string[]): Meaning {
    if (this.#known !== null)
      return { kind: "reference", reference: this.#knownMeaning(this.#known, id, addresses) };
    const hits = new Map<Taken, IdFormats[]>();
    for (const [candidate, byName] of this.#byName) {
      const taken = byName.get(canonicalId(id, candidate.receipt));
      if (taken !== undefined) hits.set(taken, [...(hits.get(taken) ?? []), candidate]);
    }
    const [only, ...more] = [...hits].filter(([{ recipient }]) => isAmong(recipient, addresses));
    if (only !== undefined && more.length === 0) return this.#settle(only, fullPoints);
    const [alike, ...others] = only === undefined ? this.#alike(id, addresses) : [];
    if (alike !== undefined)
      return others.length === 0
        ? this.#settle([alike, [lenient]], fullPoints)
        : { kind: "held", isAbsent: false };
    const [first, ...rest] = hits;
    if (first === undefined)
      return isOfOneSpelling(id)
        ? { kind: "reference", reference: this.#nameIn(this.#likeliest(), id) }
        : { kind: "held", isAbsent: true };
    if (rest.length > 0) return { kind: "held", isAbsent: false };
    const settled = this.#settle(first, weakPoints);
    return first[1].length === this.#byName.size || this.isKnown
      ? settled
      : { kind: "held", isAbsent: false };
  }

  /** The reference of an id in the known format. An id that matches no message exactly is compared without leading zeros and case. */
  #knownMeaning(known: IdFormats, id: string, addresses: readonly string[]): string {
    const exact = this.#nameIn(known, id);
    if (known.receipt !== "as-is" || this.#byName.get(known)?.has(id.trim())) return exact;
    const [alike, ...more] = this.#alike(id, addresses);
    if (alike === undefined || more.length > 0) return exact;
    const points = this.#pointsOf(lenient) + fullPoints;
    this.#points.set(lenient, points);
    if (points >= enoughPoints) this.#known = lenient;
    return alike.reference;
  }

  /** Messages to one of the addresses whose ids differ from the given one only in leading zeros and case. */
  #alike(id: string, addresses: readonly string[]): Taken[] {
    const taken = this.#byLenientName.get(canonicalId(id, "lenient")) ?? [];
    return taken.filter(({ recipient }) => isAmong(recipient, addresses));
  }

  #settle([{ reference }, candidates]: [Taken, readonly IdFormats[]], points: number): Meaning {
    // An id that is the same in every format is no evidence for any.
    if (candidates.length === this.#byName.size) return { kind: "reference", reference };
    for (const candidate of candidates) this.#points.set(candidate, this.#pointsOf(candidate) + points);
    for (const candidate of candidates) {
      // A lenient format also covers ids that are the same in both places.
      const rivals = [...this.#byName.keys(), lenient].filter(
        (other) =>
          other !== candidate &&
          !(candidate === lenient && other.answer === "as-is" && other.receipt === "as-is"),
      );
      const strongest = Math.max(...rivals.map((other) => this.#pointsOf(other)));
      const own = this.#pointsOf(candidate);
      if (own >= enoughPoints && own >= 4 * strongest) this.#known = candidate;
    }
    return { kind: "reference", reference };
  }

  #pointsOf(candidate: IdFormats): number {
    return this.#points.get(candidate) ?? 0;
  }

  /** The reference of a message that the SMSC accepted in this session or before. */
  #nameIn({ receipt }: IdFormats, id: string): string {
    const name = canonicalId(id, receipt);
    // Messages accepted before the format was known have the reference of the settings.
    if (this.#known === lenient) return this.#byLenientName.get(name)?.at(-1)?.reference ?? name;
    return (this.#known && this.#byName.get(this.#known)?.get(name)?.reference) ?? name;
  }

  /** The format with the most evidence; the settings, unless another one has more. */
  #likeliest(): IdFormats {
    let best = this.#configured;
    for (const candidate of [...this.#byName.keys(), lenient])
      if (this.#pointsOf(candidate) > this.#pointsOf(best)) best = candidate;
    return best;
  }

  #forget(taken: Taken | undefined): void {
    if (taken === undefined) return;
    for (const [candidate, byName] of this.#byName) {
      const name = canonicalId(taken.id, candidate.answer);
      if (byName.get(name) === taken) byName.delete(name);
    }
    const name = canonicalId(taken.id, "lenient");
    const rest = (this.#byLenientName.get(name) ?? []).filter((other) => other !== taken);
    if (rest.length > 0) this.#byLenientName.set(name, rest);
    else this.#byLenientName.delete(name);
  }
}

/**
 * Whether an id cannot be that of another message in another format: one of digits only is decimal, or hexadecimal without letters, unless
 * it has only one digit.
 */
const isOfOneSpelling = (id: string) => !/^[0-9]{2,}$/.test(id.trim());

/** Whether a number is one of the addresses, which may be national. Addresses that are not numbers prove nothing. */
function isAmong(recipient: string, addresses: readonly string[]): boolean {
  const numbers = addresses.map(digitsOf).filter((digits) => digits.length >= commonDigits);
  const own = digitsOf(recipient);
  if (numbers.length === 0 || own.length < commonDigits) return true;
  return numbers.some((digits) => digits.slice(-commonDigits) === own.slice(-commonDigits));
}

const digitsOf = (text: string) => text.replace(/[^0-9]/g, "");
