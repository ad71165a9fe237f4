// One connection to an SMSC: opened, bound, and then used for many messages until one side closes it. It tracks which PDU was written and
// which was answered, because that determines whether a message may have been sent.

import type { Clock, DialResult, Log, Outbound } from "#runtime/runtime.ts";
import {
  type BindFields,
  command,
  type Delivery,
  decodeDelivery,
  decodeSubmitResponse,
  encodeBind,
  encodePdu,
  isResponse,
  MalformedPdu,
  type Pdu,
  PduReader,
  responseTo,
  UnreadableStream,
} from "./pdu.ts";
import { PendingAnswers, type Submission, type SubmitAnswer } from "./pending.ts";
import { refusedBinds, status, statusName } from "./status.ts";

type Socket = Extract<DialResult, { kind: "connected" }>["socket"];

export type BindMode = "transceiver" | "transmitter" | "receiver";

const bindCommand = {
  transceiver: command.bindTransceiver,
  transmitter: command.bindTransmitter,
  receiver: command.bindReceiver,
} as const;

export interface BindTarget extends BindFields {
  host: string;
  port: number;
  tls: { ca?: string } | null;
  enquireMs: number;
  responseMs: number;
}

interface BindTools {
  clock: Clock;
  outbound: Outbound;
  log: Log;
  signal: AbortSignal;
}

interface BindEvents {
  /** A message or a receipt; `answer` it when it is stored. */
  onDelivery(bind: Bind, pdu: Pdu, delivery: Delivery): void;
  /** An answer to a PDU that had timed out. */
  onLateAnswer(messageId: string, answer: SubmitAnswer): void;
  /** Called before what was in flight is resolved. */
  onEnd(bind: Bind, reason: string): void;
}

/** Why no connection was made. `refused`: the SMSC knows us and refuses. */
export interface BindFailure {
  reason: string;
  refused: boolean;
  /** An earlier connection of ours still counts there. */
  stillBound: boolean;
}

/** Connecting and binding, each, ms. */
const openMs = 10_000;
/** How long the SMSC may take to answer `unbind`, ms. */
const unbindMs = 5_000;
export class Bind {
  readonly mode: BindMode;
  /** Messages that are being submitted on it: at most the window. */
  inUse = 0;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  readonly #socket: Socket;
  readonly #target: BindTarget;
  readonly #tools: BindTools;
  readonly #events: BindEvents;
  readonly #reader = new PduReader();
  readonly #over = new AbortController();
  readonly #end = Promise.withResolvers<string>();
  readonly #bound = Promise.withResolvers<number | null>();
  readonly #unbound = Promise.withResolvers<void>();
  /** The bind itself was number 1. */
  readonly #pending = new PendingAnswers(1);
  #isBound = false;
  #corked = false;
  #receivedAt: number;
  /** When an `enquire_link` was sent that nothing has followed; null if none is outstanding. */
  #enquiredAt: number | null = null;
  /** While nothing is read, timeouts for answers do not advance. */
  #pausedAt: number | null = null;
  #pausedMs = 0;
  #watchUntil = Number.POSITIVE_INFINITY;
  #watchSleep = new AbortController();

  private constructor(
    socket: Socket,
    mode: BindMode,
    target: BindTarget,
    tools: BindTools,
    events: BindEvents,
  ) {
    this.#socket = socket;
    this.mode = mode;
    this.#target = target;
    this.#tools = tools;
    this.#events = events;
    this.ended = this.#end.promise;
    this.#receivedAt = tools.clock.monotonic();
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", () => {});
    socket.on("close", () => this.#finish("The connection to the SMSC was lost."));
  }

  /** Connects and binds. Resolves when the SMSC has agreed. */
  static async open(
    mode: BindMode,
    target: BindTarget,
    tools: BindTools,
    events: BindEvents,
  ): Promise<Bind | BindFailure> {
    const { host, port, tls } = target;
    const { signal, clock, outbound } = tools;
    const dialled = await outbound.dial({ host, port, timeoutMs: openMs, signal, ...(tls && { tls }) });
    if (dialled.kind === "not_sent") {
      const { reason, code } = dialled;
      return { reason, refused: code === "url_not_allowed", stillBound: false };
    }
    const bind = new Bind(dialled.socket, mode, target, tools, events);
    bind.#write(encodePdu(bindCommand[mode], 0, 1, encodeBind(target)));
    const answered = new AbortController();
    const silence = clock.sleep(openMs, answered.signal).then(() => "silent" as const);
    const abort = () => bind.#finish("The session is being closed.");
    signal.addEventListener("abort", abort, { once: true });
    const answer = await Promise.race([bind.#bound.promise, silence]);
    answered.abort();
    signal.removeEventListener("abort", abort);
    if (answer === status.ok && !bind.#over.signal.aborted) {
      bind.#isBound = true;
      void bind.#watch();
      return bind;
    }
    bind.#finish("The SMSC did not bind.");
    if (answer === "silent")
      return { reason: "The SMSC did not answer the bind.", refused: false, stillBound: false };
    if (answer === null || answer === status.ok)
      return {
        reason: "The SMSC ended the connection before it answered.",
        refused: false,
        stillBound: false,
      };
    return {
      reason: `The SMSC refused the bind: ${statusName(answer)}.`,
      refused: refusedBinds.has(answer),
      stillBound: answer === status.alreadyBound,
    };
  }

  get isOpen(): boolean {
    return this.#isBound && !this.#over.signal.aborted;
  }

  /** Writes one `submit_sm`. `messageId`: the message that a late answer settles; null if a late answer would say too little. */
  submit(body: Buffer, messageId: string | null): Promise<Submission> {
    if (!this.isOpen) return Promise.resolve({ kind: "not_written" });
    const sequence = this.#pending.nextSequence();
    const deadline = this.#readingTime() + this.#target.responseMs;
    const submission = this.#pending.wait(sequence, deadline, messageId);
    this.#write(encodePdu(command.submitSm, 0, sequence, body));
    if (deadline < this.#watchUntil) this.#watchSleep.abort();
    return submission;
  }

  /** Answers a delivery. False if the connection has ended, so the SMSC will deliver it again. */
  answer(pdu: Pdu, code: number): boolean {
    if (!this.isOpen) return false;
    // An empty message_id: some SMSCs cannot handle another one.
    const body = code === status.ok ? Buffer.from([0]) : Buffer.alloc(0);
    this.#write(encodePdu(responseTo(pdu.command), code, pdu.sequence, body));
    return true;
  }

  /** Pauses reading: deliveries arrive faster than they can be stored. */
  pause(): void {
    if (this.#pausedAt !== null || this.#over.signal.aborted) return;
    this.#pausedAt = this.#tools.clock.monotonic();
    this.#socket.pause();
  }

  resume(): void {
    if (this.#pausedAt === null) return;
    this.#pausedMs += this.#tools.clock.monotonic() - this.#pausedAt;
    this.#pausedAt = null;
    this.#receivedAt = this.#readingTime();
    this.#enquiredAt = null;
    this.#watchSleep.abort();
    this.#socket.resume();
  }

  /** Closes the session in order: `unbind`, its answer, and the connection. */
  async close(): Promise<void> {
    if (this.isOpen) {
      this.#write(encodePdu(command.unbind, 0, this.#pending.nextSequence()));
      const answered = new AbortController();
      void Promise.race([this.#unbound.promise, this.ended]).then(() => answered.abort());
      await this.#tools.clock.sleep(unbindMs, answered.signal);
    }
    this.#finish("The session was closed.");
  }

  /** Closes the connection at once. Messages in flight are `lost`. */
  destroy(reason: string): void {
    this.#finish(reason);
  }

  #finish(reason: string): void {
    if (this.#over.signal.aborted) return;
    const wasBound = this.#isBound;
    this.#over.abort();
    this.#watchSleep.abort();
    this.#socket.destroy();
    this.#bound.resolve(null);
    if (wasBound) this.#events.onEnd(this, reason);
    this.#pending.lose();
    this.#end.resolve(reason);
  }

  #read(chunk: Buffer): void {
    if (this.#over.signal.aborted) return;
    this.#receivedAt = this.#readingTime();
    this.#enquiredAt = null;
    try {
      for (const pdu of this.#reader.push(chunk)) this.#handle(pdu);
    } catch (error) {
      if (!(error instanceof UnreadableStream)) throw error;
      this.#finish(error.message);
    }
  }

  #handle(pdu: Pdu): void {
    switch (pdu.command) {
      case responseTo(command.submitSm):
        this.#onAnswer(pdu);
        break;
      case command.genericNack:
        // It refuses the PDU with its number; 0 means that not even that was readable.
        if (pdu.sequence === 0) this.#finish("The SMSC could not read what was sent.");
        else this.#settle(pdu.sequence, refusal(pdu.status === status.ok ? status.systemError : pdu.status));
        break;
      case command.deliverSm:
      case command.dataSm:
        this.#onDelivery(pdu);
        break;
      case command.enquireLink:
        this.#write(encodePdu(responseTo(command.enquireLink), 0, pdu.sequence));
        break;
      case command.unbind:
        this.#write(encodePdu(responseTo(command.unbind), 0, pdu.sequence));
        this.#uncork();
        this.#finish("The SMSC ended the session.");
        break;
      case responseTo(command.unbind):
        this.#unbound.resolve();
        break;
      case responseTo(command.bindTransceiver):
      case responseTo(command.bindTransmitter):
      case responseTo(command.bindReceiver):
        this.#bound.resolve(pdu.status);
        break;
      case command.outbind:
      case command.alertNotification:
        break;
      default:
        if (!isResponse(pdu.command))
          this.#write(encodePdu(command.genericNack, status.invalidCommand, pdu.sequence));
    }
  }

  #onAnswer(pdu: Pdu): void {
    if (pdu.status !== status.ok) {
      this.#settle(pdu.sequence, refusal(pdu.status));
      return;
    }
    const taken = { kind: "answered", status: status.ok } as const;
    try {
      const { messageId, congestion } = decodeSubmitResponse(pdu.body);
      this.#settle(pdu.sequence, { ...taken, messageId, congestion });
    } catch (error) {
      if (!(error instanceof MalformedPdu)) throw error;
      this.#warnOf(pdu);
      // The status says that it was accepted.
      this.#settle(pdu.sequence, { ...taken, messageId: null, congestion: null });
    }
  }

  #settle(sequence: number, answer: SubmitAnswer): void {
    const late = this.#pending.settle(sequence, answer);
    if (late !== null) this.#events.onLateAnswer(late, answer);
  }

  #onDelivery(pdu: Pdu): void {
    let delivery: Delivery;
    try {
      delivery = decodeDelivery(pdu);
    } catch (error) {
      if (!(error instanceof MalformedPdu)) throw error;
      this.#warnOf(pdu);
      return void this.answer(pdu, status.invalidCommandLength);
    }
    this.#events.onDelivery(this, pdu, delivery);
  }

  #warnOf({ command: id, sequence }: Pdu): void {
    this.#tools.log.warn(
      { event: "smpp.pdu_malformed", command: id, sequence },
      "The SMSC sent a PDU that cannot be read.",
    );
  }

  /** The PDUs of one turn of the event loop are sent in one packet. */
  #write(pdu: Buffer): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => this.#uncork());
    }
    this.#socket.write(pdu);
  }

  #uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.#socket.uncork();
  }

  /** Monotonic time minus the time in which nothing was read, ms. */
  #readingTime(): number {
    return (this.#pausedAt ?? this.#tools.clock.monotonic()) - this.#pausedMs;
  }

  /** Times out PDUs without an answer, and tests a silent connection. */
  async #watch(): Promise<void> {
    const { clock } = this.#tools;
    const { enquireMs, responseMs } = this.#target;
    while (!this.#over.signal.aborted) {
      const now = this.#readingTime();
      this.#pending.expire(now);
      if (this.#enquiredAt !== null && now - this.#enquiredAt >= responseMs)
        return this.#finish("The SMSC did not answer enquire_link.");
      if (this.#enquiredAt === null && this.#pausedAt === null && now - this.#receivedAt >= enquireMs) {
        this.#enquiredAt = now;
        this.#write(encodePdu(command.enquireLink, 0, this.#pending.nextSequence()));
      }
      const test = this.#enquiredAt === null ? this.#receivedAt + enquireMs : this.#enquiredAt + responseMs;
      this.#watchUntil = Math.min(test, this.#pending.deadline ?? Number.POSITIVE_INFINITY);
      this.#watchSleep = new AbortController();
      await clock.sleep(Math.max(this.#watchUntil - now, 1), this.#watchSleep.signal);
    }
  }
}

const refusal = (code: number): SubmitAnswer => ({
  kind: "answered",
  status: code,
  messageId: null,
  congestion: null,
});
