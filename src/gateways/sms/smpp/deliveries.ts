// What the SMSC delivers, receipts and messages: read from the connection at once, stored in batches, and answered once stored. An SMSC
// repeats a delivery without an answer and holds back everything after it, so nothing is refused that can be parsed.

import { createHash } from "node:crypto";
import type { InboundMessage, Receipt } from "#gateways/callback.ts";
import { type SessionHost, SessionLost } from "#gateways/session.ts";
import type { Bind } from "./bind.ts";
import { HeldReceipts } from "./held-receipts.ts";
import { type JoinedMessage, JoiningMessages, overlapMs, splitHeader } from "./joining.ts";
import type { Address, Delivery, Pdu } from "./pdu.ts";
import { isReceipt, readReceipt } from "./receipt.ts";
import type { SmppSettings } from "./settings.ts";
import type { IdSpelling } from "./spelling.ts";
import { status } from "./status.ts";
import { decodeText } from "./text.ts";

interface Waiting {
  bind: Bind;
  pdu: Pdu;
  delivery: Delivery;
}

/** Deliveries that wait to be stored. Beyond this, reading pauses: TCP makes the SMSC wait. */
const maxWaiting = 1_000;
const maxBatch = 200;
/** Messages whose answer could not be written, which the SMSC will deliver again. */
const maxUnanswered = 1_000;
/** How often to look for messages whose other parts never arrived, ms. */
const sweepMs = 5 * 60_000;
const international = 1;

export class Deliveries {
  readonly #host: SessionHost;
  readonly #settings: SmppSettings;
  /** The binds that were paused because too much waits. */
  readonly #paused = new Set<Bind>();
  readonly #waiting: Waiting[] = [];
  /** References of messages that were stored and not answered, by their content. */
  readonly #unanswered = new Map<string, string>();
  readonly #onLost: () => void;
  #working = false;
  /** Whether overlapping messages are awaited. */
  #watching = false;
  readonly #held: HeldReceipts;
  #joining: Promise<JoiningMessages>;

  /** `onLost`: another process owns the lane. */
  constructor(host: SessionHost, settings: SmppSettings, spelling: IdSpelling, onLost: () => void) {
    this.#host = host;
    this.#settings = settings;
    this.#onLost = onLost;
    this.#held = new HeldReceipts(host, spelling);
    this.#joining = this.#load();
    void this.#guard(() => this.#sweep());
  }

  add(bind: Bind, pdu: Pdu, delivery: Delivery): void {
    this.#waiting.push({ bind, pdu, delivery });
    if (this.#waiting.length >= maxWaiting) {
      this.#paused.add(bind);
      bind.pause();
    }
    this.#begin();
  }

  /**
   * The SMSC accepted a message. Until the format of ids is known, its receipt may arrive after a restart, or have arrived before its
   * answer.
   */
  took(id: string, recipient: string): void {
    const note = this.#held.note(id, recipient);
    if (note !== null) void this.#guard(() => this.#host.state.save(note));
    if (this.#held.awaitsMessages) this.#begin();
  }

  #begin(): void {
    if (this.#working) return;
    this.#working = true;
    void this.#guard(() => this.#work());
  }

  async #load(): Promise<JoiningMessages> {
    return JoiningMessages.load(this.#held.load(await this.#host.state.load()));
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof SessionLost) return this.#onLost();
      this.#host.log.error(
        { event: "smpp.deliveries_failed", error },
        "What the SMSC delivers could not be handled; the session ends.",
      );
      this.#host.fail("What the SMSC delivers could not be handled; see the log.");
    }
  }

  async #work(): Promise<void> {
    const joining = await this.#joining;
    do {
      const batch = this.#waiting.splice(0, maxBatch);
      if (this.#waiting.length < maxWaiting / 2) {
        for (const bind of this.#paused) bind.resume();
        this.#paused.clear();
      }
      await this.#store(joining, batch);
    } while (this.#waiting.length > 0 && !this.#host.signal.aborted);
    this.#working = false;
  }

  async #store(joining: JoiningMessages, batch: readonly Waiting[]): Promise<void> {
    const host = this.#host;
    const receipts: Receipt[] = [];
    const inbound: InboundMessage[] = [];
    const unknownWords: string[] = [];
    const joined: JoinedMessage[] = [];
    const parts = new Map<string, string>();
    const answers: { waiting: Waiting; key: string | null; reference: string | null }[] = [];
    for (const waiting of batch) {
      const { delivery } = waiting;
      let key: string | null = null;
      let reference: string | null = null;
      if (isReceipt(delivery)) {
        const read = readReceipt(delivery, this.#settings.receipts);
        if (read === null) this.#warnOfMissingId();
        else if (read.unknownWord !== null) unknownWords.push(read.unknownWord);
        else if (read.status !== null) {
          const addresses = [delivery.source.addr, delivery.destination.addr];
          receipts.push(...this.#held.read({ id: read.id, addresses, status: read.status, code: read.code }));
        }
      } else {
        const { place, octets, headerBytes } = splitHeader(delivery);
        const { default_alphabet: defaultAlphabet, packed } = this.#settings;
        const received = { dataCoding: delivery.dataCoding, octets, headerBytes };
        const part = {
          from: numberOf(delivery.source),
          to: numberOf(delivery.destination),
          text: decodeText(received, { defaultAlphabet, packed }),
        };
        if (place === null) {
          key = createHash("sha256").update(JSON.stringify(part)).digest("base64url");
          reference = this.#unanswered.get(key) ?? this.#newReference();
          inbound.push(inboundOf(part, reference));
        } else {
          const taken = joining.add(part, place, host.clock.now());
          joined.push(...taken.joined);
          if (taken.stored) parts.set(...taken.stored);
        }
      }
      answers.push({ waiting, key, reference });
    }
    inbound.push(...joined.map((message) => inboundOf(message, message.reference)));
    const news = this.#held.settle();
    receipts.push(...news.receipts);
    for (const [key, value] of news.toKeep) parts.set(key, value);
    if (parts.size > 0) await host.state.save(parts);
    if (receipts.length + inbound.length + unknownWords.length > 0 || news.unmatched)
      await host.report({
        receipts,
        inbound,
        ...(unknownWords.length > 0 && { unknownWords }),
        ...(news.accountUpdates.length > 0 && { accountUpdates: news.accountUpdates }),
        ...(news.unmatched && { unmatched: true }),
      });
    if (news.toForget.length > 0) await host.state.save(new Map(news.toForget.map((key) => [key, null])));
    for (const { waiting, key, reference } of answers) {
      const isAnswered = waiting.bind.answer(waiting.pdu, status.ok);
      if (key !== null && reference !== null) this.#remember(key, isAnswered ? null : reference);
    }
    await this.#forget(joined);
    if (joined.length + parts.size > 0) this.#watchOverlaps(joining);
  }

  #warnOfMissingId(): void {
    this.#host.log.warn(
      { event: "smpp.receipt_without_id" },
      "The SMSC sent a receipt that names no message; it was dropped.",
    );
  }

  /** `reference` null: it was answered, so the same text is another message. */
  #remember(key: string, reference: string | null): void {
    this.#unanswered.delete(key);
    if (reference === null) return;
    this.#unanswered.set(key, reference);
    if (this.#unanswered.size > maxUnanswered) {
      const [oldest] = this.#unanswered.keys();
      if (oldest !== undefined) this.#unanswered.delete(oldest);
    }
  }

  #newReference(): string {
    return Buffer.from(this.#host.random.bytes(16)).toString("hex");
  }

  async #forget(joined: readonly JoinedMessage[]): Promise<void> {
    const removed = joined.flatMap(({ keys }) => keys);
    if (removed.length > 0) await this.#host.state.save(new Map(removed.map((key) => [key, null])));
  }

  /** Delivers the existing parts of messages whose other parts never arrived. */
  async #sweep(): Promise<void> {
    const { clock, signal } = this.#host;
    const joining = await this.#joining;
    while (!signal.aborted) {
      await this.#deliverOverdue(joining);
      this.#watchOverlaps(joining);
      await clock.sleep(sweepMs, signal);
    }
  }

  /** Delivers messages that overlap under one reference, once no more of their parts can be expected. */
  #watchOverlaps(joining: JoiningMessages): void {
    const { clock, signal } = this.#host;
    if (this.#watching || !joining.areOverlapping) return;
    this.#watching = true;
    void this.#guard(async () => {
      while (joining.areOverlapping && !signal.aborted) {
        await clock.sleep(overlapMs, signal);
        await this.#deliverOverdue(joining);
      }
      this.#watching = false;
    });
  }

  async #deliverOverdue(joining: JoiningMessages): Promise<void> {
    const overdue = joining.overdue(this.#host.clock.now());
    if (overdue.length === 0) return;
    await this.#host.report({ inbound: overdue.map((message) => inboundOf(message, message.reference)) });
    await this.#forget(overdue);
  }
}

const inboundOf = (
  { from, to, text }: { from: string; to: string; text: string },
  reference: string,
): InboundMessage => ({ reference, from, to, message: text, media: [] });

/** With a plus if it is an international number. */
const numberOf = ({ ton, addr }: Address) =>
  ton === international && /^[0-9]/.test(addr) ? `+${addr}` : addr;
