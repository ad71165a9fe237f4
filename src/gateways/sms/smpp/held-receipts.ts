// Receipts that cannot be matched to a message until the format of ids is known (`spelling.ts`). They are stored with the session's state
// until then, and so are the format and the first messages: the receipts that reveal the format may arrive after a restart.

import type { AccountUpdate, Receipt } from "#gateways/callback.ts";
import type { ReceiptStatus } from "#gateways/outcome.ts";
import { type SessionHost, unmatchedAfter } from "#gateways/session.ts";
import type { IdFormats, IdSpelling } from "./spelling.ts";

interface ReadId {
  id: string;
  /** The receipt's source and destination. */
  addresses: readonly string[];
  status: ReceiptStatus;
  code: string | null;
}

/** The result of receipts that were read: all of it is stored before they are answered. */
interface Settled {
  receipts: Receipt[];
  accountUpdates: AccountUpdate[];
  /** Receipts match no message of the gateway. */
  unmatched?: true;
  toKeep: ReadonlyMap<string, string>;
  /** Keys of the state, once `receipts` are stored. */
  toForget: string[];
}

/** Maximum number of held receipts; the oldest are dropped. */
const maxHeld = 1_000;
const heldPrefix = "receipt/";
/** Messages kept for the receipts that reveal the format: three to different numbers are enough. */
const maxNoted = 200;
const notedPrefix = "taken/";
const spellingKey = "spelling";

export class HeldReceipts {
  readonly #host: Pick<SessionHost, "clock" | "log">;
  readonly #spelling: IdSpelling;
  readonly #held = new Map<string, ReadId>();
  /** Keys of those that match no message known so far. */
  readonly #absent = new Set<string>();
  /** Keys of the messages that are kept. */
  readonly #noted = new Set<string>();
  #toKeep = new Map<string, string>();
  #toForget: string[] = [];
  #number = 0;
  /** Receipts in a row that match no known message. */
  #absentInRow = 0;
  /** What is stored of the spelling. */
  #stored: string | null = null;

  constructor(host: Pick<SessionHost, "clock" | "log">, spelling: IdSpelling) {
    this.#host = host;
    this.#spelling = spelling;
  }

  /** Takes the values of an earlier session out of its state; returns the rest. */
  load(state: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const rest = new Map(state);
    for (const [key, value] of state) {
      if (key === spellingKey) this.#spelling.restore(value);
      else if (key.startsWith(heldPrefix)) {
        this.#held.set(key, JSON.parse(value));
        this.#absent.add(key);
      } else if (key.startsWith(notedPrefix)) this.#restore(key, JSON.parse(value));
      else continue;
      rest.delete(key);
    }
    this.#stored = this.#spelling.stored;
    return rest;
  }

  #restore(key: string, { settings, recipient }: { settings: string; recipient: string }): void {
    this.#noted.add(key);
    if (settings === this.#spelling.settings) this.#spelling.taken(key.slice(notedPrefix.length), recipient);
  }

  /** What to keep of a message that the SMSC accepted; null if nothing. */
  note(id: string, recipient: string): ReadonlyMap<string, string> | null {
    if (this.#spelling.isKnown || this.#noted.size >= maxNoted) return null;
    const key = `${notedPrefix}${id}`;
    this.#noted.add(key);
    return new Map([[key, JSON.stringify({ settings: this.#spelling.settings, recipient })]]);
  }

  /** Whether another message may resolve a receipt. */
  get awaitsMessages(): boolean {
    return this.#absent.size > 0;
  }

  /** The receipts to report now. */
  read(receipt: ReadId): Receipt[] {
    const meaning = this.#spelling.read(receipt.id, receipt.addresses);
    this.#absentInRow = meaning.kind === "held" && meaning.isAbsent ? this.#absentInRow + 1 : 0;
    if (meaning.kind === "reference") return [receiptOf(receipt, meaning.reference)];
    this.#number += 1;
    const key = `${heldPrefix}${this.#host.clock.now()}.${this.#number}`;
    this.#held.set(key, receipt);
    if (meaning.isAbsent) this.#absent.add(key);
    this.#toKeep.set(key, JSON.stringify(receipt));
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeld && oldest !== undefined) this.#drop(oldest);
    return [];
  }

  /** What has been resolved since the last call. */
  settle(): Settled {
    const receipts: Receipt[] = [];
    const accountUpdates: AccountUpdate[] = [];
    // The others are not read again before the format is known: each time they would count as evidence for one.
    for (const key of this.#absent) {
      const receipt = this.#held.get(key);
      if (receipt === undefined || this.#spelling.isKnown) continue;
      const meaning = this.#spelling.read(receipt.id, receipt.addresses);
      if (meaning.kind === "held" && meaning.isAbsent) continue;
      this.#absent.delete(key);
      this.#absentInRow = 0;
      if (meaning.kind === "held") continue;
      receipts.push(receiptOf(receipt, meaning.reference));
      this.#held.delete(key);
      if (!this.#toKeep.delete(key)) this.#toForget.push(key);
    }
    if (this.#spelling.isKnown) {
      for (const [key, receipt] of this.#held) {
        const meaning = this.#spelling.read(receipt.id, receipt.addresses);
        if (meaning.kind === "reference") receipts.push(receiptOf(receipt, meaning.reference));
        if (!this.#toKeep.delete(key)) this.#toForget.push(key);
      }
      this.#held.clear();
      this.#absent.clear();
      this.#toForget.push(...this.#noted);
      this.#noted.clear();
      const { stored, learnt } = this.#spelling;
      if (stored !== null && stored !== this.#stored) {
        this.#toKeep.set(spellingKey, stored);
        if (learnt !== null) accountUpdates.push(this.#noticeOf(learnt));
      }
      this.#stored = stored;
    }
    const settled: Settled = { receipts, accountUpdates, toKeep: this.#toKeep, toForget: this.#toForget };
    if (this.#absentInRow >= unmatchedAfter) {
      settled.unmatched = true;
      this.#absentInRow = 0;
    }
    this.#toKeep = new Map();
    this.#toForget = [];
    return settled;
  }

  #noticeOf({ answer, receipt }: IdFormats): AccountUpdate {
    this.#host.log.warn(
      { event: "smpp.ids_learnt", answer, receipt },
      "The SMSC formats ids differently from the settings; receipts are read in its format.",
    );
    const notice = `The SMSC formats message ids differently from the settings. Trunkline now reads its receipts with message_id { answer: ${answer}, receipt: ${receipt} }; set it accordingly.`;
    return { at: this.#host.clock.now(), notice };
  }

  #drop(key: string): void {
    this.#held.delete(key);
    this.#absent.delete(key);
    if (!this.#toKeep.delete(key)) this.#toForget.push(key);
    this.#host.log.warn(
      { event: "smpp.receipt_unclear" },
      "A receipt was dropped: it may mean several messages, and others did not reveal the format of ids.",
    );
  }
}

const receiptOf = ({ status, code }: ReadId, reference: string): Receipt => ({
  reference,
  status,
  ...(code !== null && { code }),
});
